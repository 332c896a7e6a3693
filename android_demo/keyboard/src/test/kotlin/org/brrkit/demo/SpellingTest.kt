package org.brrkit.demo

import android.text.InputType
import android.view.inputmethod.EditorInfo
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** Characters that the keyboard writes by itself: spaces, periods, the pronoun I. */
@RunWith(RobolectricTestRunner::class)
class SpellingTest {
    private val phone = Phone()

    @Test
    fun punctuationTakesTheSpaceOfASuggestionBack() {
        for (mark in ".,;:!?)]}…") {
            phone.enter()
            chooseLondon()
            phone.type("$mark is")
            assertEquals("London$mark is", phone.text)
        }
        phone.settle()
        assertEquals(10, phone.app.sent.size)
    }

    @Test
    fun otherKeysLeaveTheSpace() {
        for (text in listOf("is", "(", "\"", "'tis", "-", "@", "😀", "5")) {
            phone.enter()
            chooseLondon()
            phone.type("$text.")
            assertEquals("London $text.", phone.text)
        }
    }

    @Test
    fun aTypedSpaceIsTheSuggestions() {
        phone.enter()
        chooseLondon()
        phone.type(" is")
        assertEquals("London is", phone.text)
        phone.enter()
        chooseLondon()
        phone.press(KeyAction.Type(" "), pause = 100)
        phone.press(KeyAction.Type(" "))
        assertEquals("London. ", phone.text)
    }

    @Test
    fun onlyTheSpaceThatWasJustWrittenIsTakenBack() {
        phone.enter()
        phone.type("it is ")
        phone.type(".")
        assertEquals("a typed space stays", "it is .", phone.text)
        phone.enter()
        chooseLondon()
        phone.type("boston .")
        assertEquals("nor is one behind the next word", "London boston .", phone.text)
        phone.enter()
        phone.type("rome ")
        chooseLondon()
        phone.moveCursor(5)
        phone.type(".")
        assertEquals("the cursor is elsewhere", "rome .London ", phone.text)
        phone.enter()
        chooseLondon()
        phone.backspace()
        phone.type(" .")
        assertEquals("typed anew", "London .", phone.text)
        phone.enter()
        chooseLondon()
        phone.editor.setText("") // the app took it
        phone.type(".")
        assertEquals(".", phone.text)
    }

    @Test
    fun twoQuickSpacesEndASentence() {
        phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES)
        phone.type("Yes")
        spaces(pause = 300)
        assertEquals("Yes. ", phone.text)
        assertEquals(ShiftState.ONCE, phone.shift)
        phone.press(KeyAction.Type(" "), pause = 100)
        assertEquals("not again", "Yes.  ", phone.text)
        phone.type("No")
        spaces(pause = 1_000)
        assertEquals("too slow", "Yes.  No  ", phone.text)
        phone.settle()
        assertEquals(2, phone.app.sent.size)
    }

    @Test
    fun twoQuickSpacesBehindNoWordAreSpaces() {
        for (text in listOf("", "yes, ", "yes!", "(")) {
            phone.enter()
            phone.type(text)
            spaces(pause = 100)
            assertEquals("$text  ", phone.text)
        }
    }

    @Test
    fun thePronounIIsACapital() {
        val written = mapOf(
            "so i am" to "so I am",
            "i am, i think" to "I am, I think",
            "am i? i, too! i" to "am I? I, too! i",
            "i'm sure i'll, i've. i'd " to "I'm sure I'll, I've. I'd ",
            "(i think) \"i do" to "(I think) \"I do",
            "so am i. yes" to "so am I. yes",
        )
        for ((typed, expected) in written) assertEquals(expected, typed(typed))
    }

    @Test
    fun whatIsNotThePronounStays() {
        val others = listOf(
            "that is, i.e. this ", "wi-fi i/o i=1 x.i i-th #i @i _i i+ i18n ", "(i) one (ii) two ",
            "i. one ", "in is it ii hi ", "i's i'x 'i ", "x-i ", "i'mm ",
        )
        for (text in others) assertEquals(text, typed(text))
        phone.enter()
        phone.editor.setText("i") // pasted
        phone.editor.setSelection(1)
        phone.type(" ")
        assertEquals("i ", phone.text)
    }

    @Test
    fun enterEndsTheWordIToo() {
        val sent = mutableListOf<String>()
        for (text in listOf("so do i", "so do i.")) {
            val field = phone.enter(options = EditorInfo.IME_ACTION_SEND)
            field.setOnEditorActionListener { view: TextView, _, _ -> sent.add("${view.text}") }
            phone.type(text)
            phone.press(KeyAction.Enter)
        }
        assertEquals(listOf("so do I", "so do I."), sent)
        phone.settle()
        assertEquals(6, phone.app.sent.size)
    }

    @Test
    fun suggestionsWriteTheWordIToo() {
        phone.enter()
        phone.type("i'")
        phone.settle()
        val shown = phone.suggestions.map { it.text.toString() }
        assertTrue("$shown", shown.size > 1 && shown.all { it.startsWith("I'") })
        phone.suggestions[shown.indexOf("I'm")].performClick()
        phone.type("in.")
        assertEquals("I'm in.", phone.text)
    }

    @Test
    fun whereNothingIsReleasedWhatIsTypedStays() {
        val field = phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS)
        assertFalse(field.text.isNotEmpty())
        phone.type("i am i. x")
        spaces(pause = 100)
        assertEquals("i am i. x  ", phone.text)
    }

    @Test
    fun backspaceDeletesWhatIsSeenAsOneCharacter() {
        val seen = listOf(
            "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "1️⃣", "🧑🏽‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "각", "\r\n",
        )
        for (type in listOf(TEXT, TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS)) {
            for (character in seen) {
                phone.enter(type or InputType.TYPE_TEXT_FLAG_MULTI_LINE)
                phone.editor.append("🇫🇷a$character")
                phone.backspace()
                assertEquals("🇫🇷a", phone.text)
                phone.backspace(2)
                assertEquals("", phone.text)
            }
        }
    }

    @Test
    fun aDeletedLetterIsDeletedFromItsWord() {
        phone.enter()
        phone.type("roma")
        phone.backspace()
        phone.type("e ")
        phone.settle()
        assertEquals("rome ", phone.text)
        assertEquals(1, phone.app.sent.size)
    }

    private fun typed(text: String): String {
        phone.enter()
        phone.type(text)
        return phone.text
    }

    private fun spaces(pause: Long) = repeat(2) { phone.press(KeyAction.Type(" "), pause) }

    private fun chooseLondon() {
        phone.type("Londo")
        phone.settle()
        phone.suggestions.first { it.text.toString() == "London" }.performClick()
    }
}
