package org.brrkit.keyboard

import org.brrkit.Writing
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

class TypedWordTest {
    private val english = Writing.ENGLISH
    private val persian = writingOf("fa")
    private val chinese = writingOf("zh")
    private val none = TypedWord(english)

    @Test
    fun aWordThatBeginsAfterASeparatorIsWhole() {
        assertTrue(none.plus("a", "").whole)
        assertTrue(none.plus("a", "see ").whole)
        assertTrue(none.plus("a", "(").whole)
        assertTrue(none.plus("a", "\uD83D\uDE00").whole) // an emoji
    }

    @Test
    fun aWordThatContinuesAnotherIsNot() {
        assertFalse(none.plus("s", "word").whole)
        assertFalse(none.plus("s", "rock'").whole)
        assertFalse(none.plus("s", "\uD840\uDC00").whole) // a letter of two chars
        assertFalse("the field doesn't say", none.plus("s", null).whole)
    }

    @Test
    fun aWordIsForgottenWhenTheFieldShowsAnother() {
        val typed = TypedWord(english, "hel", whole = true)
        assertEquals(TypedWord(english, "help", whole = true), typed.plus("p", "hel"))
        assertEquals(TypedWord(english, "p", whole = true), typed.plus("p", ""))
        assertEquals(TypedWord(english, "p", whole = false), typed.plus("p", "other"))
        assertEquals(TypedWord(english, "he", whole = true), typed.minusLast(1, "hel"))
        assertEquals(none, typed.minusLast(1, "other"))
        assertEquals(TypedWord(english, "h", whole = true), typed.minusLast(2, "hel"))
        assertEquals(none, TypedWord(english, "h", whole = true).minusLast(1, "h"))
    }

    @Test
    fun onlyAWholeWordOfTheFieldIsComplete() {
        val typed = TypedWord(english, "hello", whole = true)
        assertTrue(typed.isComplete("hello", ""))
        assertTrue(typed.isComplete("- hello", ", world"))
        assertFalse("a longer word before", typed.isComplete("othello", ""))
        assertFalse("a longer word after", typed.isComplete("hello", "s"))
        assertFalse("no such word", typed.isComplete("help", ""))
        assertFalse("unknown before", typed.isComplete(null, ""))
        assertFalse("unknown after", typed.isComplete("hello", null))
        assertFalse("begun inside", typed.copy(whole = false).isComplete("hello", ""))
        assertFalse("nothing typed", none.isComplete("", ""))
    }

    @Test
    fun aWordAndOneSpace() {
        assertTrue(english.endsInWordAndSpace("hello "))
        assertTrue(english.endsInWordAndSpace("a hello ", length = 5))
        assertTrue(english.endsInWordAndSpace("hello ", length = 5))
        for (text in listOf(null, "", " ", "hello", "hello  ", "hello. ", "hello\n")) {
            assertFalse("$text", english.endsInWordAndSpace(text))
        }
        assertFalse("a longer word", english.endsInWordAndSpace("othello ", length = 5))
        assertFalse("a shorter one", english.endsInWordAndSpace("he ", length = 5))
    }

    /** In Persian a zero-width non-joiner is part of a word. */
    @Test
    fun aJoinerEndsNoWord() {
        val word = TypedWord(persian).plus("ن", "").plus("\u200c", "ن").plus("د", "ن\u200c")
        assertEquals(TypedWord(persian, "ن\u200cد", whole = true), word)
        assertFalse(TypedWord(persian).plus("د", "ن\u200c").whole)
        assertTrue(TypedWord(persian).plus("د", "ن\u200c\u200c").whole)
        assertFalse(word.isComplete("ن\u200cد", "\u200cم"))
        val behind = TypedWord(persian).plus("\u200c", "ن").plus("د", "ن\u200c")
        assertFalse("goes on with a word", behind.isComplete("ن\u200cد", ""))
    }

    /** A word of another script begins after one in a script without spaces. */
    @Test
    fun scriptsWithoutSpaces() {
        assertTrue(TypedWord(chinese).plus("a", "我").whole)
        assertTrue(TypedWord(chinese).plus("我", "a").whole)
        assertFalse(TypedWord(chinese).plus("我", "我").whole)
        assertTrue(TypedWord(chinese, "wifi", whole = true).isComplete("我wifi", "我"))
        assertFalse(chinese.endsInWordAndSpace("我 "))
        assertTrue(chinese.endsInWordAndSpace("我a ", length = 1))
    }
}
