package org.brrkit.keyboard

import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

class TypedWordTest {
    @Test
    fun aWordThatBeginsAfterASeparatorIsWhole() {
        assertTrue(TypedWord.NONE.plus("a", "").whole)
        assertTrue(TypedWord.NONE.plus("a", "see ").whole)
        assertTrue(TypedWord.NONE.plus("a", "(").whole)
        assertTrue(TypedWord.NONE.plus("a", "\uD83D\uDE00").whole) // an emoji
    }

    @Test
    fun aWordThatContinuesAnotherIsNot() {
        assertFalse(TypedWord.NONE.plus("s", "word").whole)
        assertFalse(TypedWord.NONE.plus("s", "rock'").whole)
        assertFalse(TypedWord.NONE.plus("s", "\uD840\uDC00").whole) // a letter of two chars
        assertFalse("the field doesn't say", TypedWord.NONE.plus("s", null).whole)
    }

    @Test
    fun aWordIsForgottenWhenTheFieldShowsAnother() {
        val typed = TypedWord("hel", whole = true)
        assertEquals(TypedWord("help", whole = true), typed.plus("p", "hel"))
        assertEquals(TypedWord("p", whole = true), typed.plus("p", ""))
        assertEquals(TypedWord("p", whole = false), typed.plus("p", "other"))
        assertEquals(TypedWord("he", whole = true), typed.minusLast(1, "hel"))
        assertEquals(TypedWord.NONE, typed.minusLast(1, "other"))
        assertEquals(TypedWord("h", whole = true), typed.minusLast(2, "hel"))
        assertEquals(TypedWord.NONE, TypedWord("h", whole = true).minusLast(1, "h"))
    }

    @Test
    fun onlyAWholeWordOfTheFieldIsComplete() {
        val typed = TypedWord("hello", whole = true)
        assertTrue(typed.isComplete("hello", ""))
        assertTrue(typed.isComplete("- hello", ", world"))
        assertFalse("a longer word before", typed.isComplete("othello", ""))
        assertFalse("a longer word after", typed.isComplete("hello", "s"))
        assertFalse("no such word", typed.isComplete("help", ""))
        assertFalse("unknown before", typed.isComplete(null, ""))
        assertFalse("unknown after", typed.isComplete("hello", null))
        assertFalse("begun inside", typed.copy(whole = false).isComplete("hello", ""))
        assertFalse("nothing typed", TypedWord.NONE.isComplete("", ""))
    }

    @Test
    fun aWordAndOneSpace() {
        assertTrue(endsInWordAndSpace("hello "))
        assertTrue(endsInWordAndSpace("a hello ", length = 5))
        assertTrue(endsInWordAndSpace("hello ", length = 5))
        for (text in listOf(null, "", " ", "hello", "hello  ", "hello. ", "hello\n")) {
            assertFalse("$text", endsInWordAndSpace(text))
        }
        assertFalse("a longer word", endsInWordAndSpace("othello ", length = 5))
        assertFalse("a shorter one", endsInWordAndSpace("he ", length = 5))
    }

    @Test
    fun separatorsAreTheTokenizers() {
        for (character in listOf(" ", "\n", "-", ".", "_", "@", "€", "«", "\uD83D\uDE00", "❤️")) {
            assertTrue(character, isSeparator(character))
        }
        for (character in listOf("a", "Z", "7", "'", "é")) assertFalse(isSeparator(character))
    }
}
