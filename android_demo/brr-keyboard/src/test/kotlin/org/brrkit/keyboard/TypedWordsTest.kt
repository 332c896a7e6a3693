package org.brrkit.keyboard

import android.text.InputType
import android.view.View
import android.view.inputmethod.BaseInputConnection
import android.view.inputmethod.EditorInfo
import org.brrkit.Writing
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** Text that a keyboard composes itself, and text that it didn't write. */
@RunWith(RobolectricTestRunner::class)
class TypedWordsTest {
    private val editor = BaseInputConnection(View(RuntimeEnvironment.getApplication()), true)
    private val words = typing()

    private fun typing(
        type: Int = InputType.TYPE_CLASS_TEXT,
        options: Int = 0,
        writing: Writing = Writing.ENGLISH,
    ): TypedWords {
        val info = EditorInfo()
        info.inputType = type
        info.imeOptions = options
        return TypedWords(Field.of(info), writing)
    }

    private val text get() = "${editor.editable}"

    /** Shows [steps] as a composition, removes it, and passes the last one as a word. */
    private fun compose(vararg steps: String, words: TypedWords = this.words): String? {
        for (step in steps) editor.setComposingText(step, 1)
        editor.setComposingText("", 1)
        return words.type(steps.last(), editor)
    }

    @Test
    fun aComposedWordIsFinishedAsATypedOne() {
        assertNull(compose("h", "hal", "hello"))
        assertEquals("hello", words.prefix)
        assertEquals("hello", text)
        words.correct("hallo", editor)
        assertEquals("hallo", text)
        assertEquals("hallo", words.type(" ", editor))
        assertTrue(words.beginsText)
        assertNull(compose("don't"))
        assertEquals("don't", words.type(".", editor))
        assertFalse(words.beginsText)
        assertEquals("hallo don't.", text)
        assertEquals(-1, BaseInputConnection.getComposingSpanStart(editor.editable!!))
    }

    @Test
    fun aCompositionGoesOnWithLetters() {
        compose("fligh", "flight")
        words.type("s", editor)
        assertEquals("flights", words.enter(editor))
    }

    /** A composition that is still in the field isn't a word: it may change. */
    @Test
    fun whatIsStillComposedIsNotReturned() {
        editor.setComposingText("hello", 1)
        assertNull(words.type(" ", editor))
        assertEquals("", words.prefix)
    }

    @Test
    fun whatWasNotTypedIsNeverReturned() {
        editor.commitText("pasted", 1)
        assertNull(words.type(" ", editor))
        editor.commitText("some", 1)
        compose("thing") // after text of another keyboard
        assertEquals("", words.prefix)
        assertNull(words.type(" ", editor))
        assertNull(compose("two words"))
        assertNull("a text of several words isn't a word", words.type(" ", editor))
        compose("gone")
        editor.deleteSurroundingText(4, 0)
        editor.commitText("other", 1)
        assertNull(words.type(" ", editor))
        compose("half")
        editor.commitText("way", 1) // pasted behind it
        assertNull(words.type(" ", editor))
    }

    @Test
    fun aPrivateFieldReturnsNothing() {
        for (words in listOf(
            typing(InputType.TYPE_CLASS_NUMBER),
            typing(InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD),
            typing(InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS),
            typing(InputType.TYPE_CLASS_TEXT, EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING),
        )) {
            editor.editable!!.clear()
            assertNull(compose("secret", words = words))
            assertEquals("", words.prefix)
            assertNull(words.type(" ", editor))
            assertNull(words.choose("secrets", "secret", editor))
            assertEquals("secret ", text)
        }
    }

    private fun TypedWords.typed(text: String): List<String> =
        text.map { "$it" }.mapNotNull { type(it, editor) }

    @Test
    fun aFrenchWordHasItsArticle() {
        val words = typing(writing = writingOf("fr"))
        assertEquals(listOf("l'homme", "L’eau"), words.typed("l'homme, L’eau "))
    }

    @Test
    fun aPersianWordHasItsJoiner() {
        val words = typing(writing = writingOf("fa"))
        assertEquals(listOf("می\u200cخواهم", "کتاب"), words.typed("می\u200cخواهم کتاب،"))
        assertEquals("می\u200cخواهم کتاب،", text)
        assertEquals(listOf("می\u200cخواهم"), typing().typed(" می\u200cخواهم "))
    }

    @Test
    fun whatAnInputMethodDecidesIsFinished() {
        val words = typing(writing = writingOf("zh"))
        assertEquals("我们", words.commit("我们", editor))
        assertTrue(words.beginsText)
        assertEquals("喜欢", words.commit("喜欢", editor))
        assertFalse(words.beginsText)
        assertEquals(emptyList<String>(), words.typed("wifi"))
        assertEquals("wifi", words.prefix)
        assertEquals("with the word before", "wifi很好", words.commit("很好", editor))
        assertNull(words.commit("。", editor))
        assertNull("it goes on", words.commit("A股", editor))
        assertEquals("A股差", words.commit("差", editor))
        assertEquals("我们喜欢wifi很好。A股差", text)
        editor.setSelection(2, 2)
        assertEquals("into the midst of others", "很", words.commit("很", editor))
        assertEquals("in a language with spaces it is typed", null, typing().commit("我们", editor))
    }

    /** Thai is typed letter by letter. Its words are cut at the release. */
    @Test
    fun aScriptWithoutSpacesThatIsTypedEndsAtASeparator() {
        val words = typing(writing = writingOf("th"))
        assertEquals(listOf("ร้านกาแฟดี"), words.typed("ร้านกาแฟดี "))
        assertNull(words.choose("กาแฟ", "กา", editor))
        words.typed("กา")
        assertEquals("กาแฟ", words.choose("กาแฟ", "กา", editor))
        assertEquals("ร้านกาแฟดี กาแฟ", text)
        editor.setSelection(2, 2)
        words.typed("กา")
        assertNull("inside of a word", words.enter(editor))
    }

    @Test
    fun aPrivateFieldFinishesNothing() {
        val password = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD
        assertNull(typing(password, writing = writingOf("zh")).commit("我们", editor))
        assertEquals("我们", text)
    }
}
