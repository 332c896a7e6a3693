package org.brrkit.demo

import android.os.Looper
import android.text.InputType
import android.view.MotionEvent
import android.view.View
import android.view.inputmethod.EditorInfo
import java.time.Duration
import org.brrkit.keyboard.R as Strip
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

/** Keys in, text of the field out. */
@RunWith(RobolectricTestRunner::class)
class TypingTest {
    private val phone = Phone()

    @Test
    fun keysWriteIntoTheField() {
        phone.enter()
        phone.type("It's 7:30 (a.m.) & 5% <ok>")
        assertEquals("It's 7:30 (a.m.) & 5% <ok>", phone.text)
    }

    /** In Arabic, say: letters and digits still stand as on the key caps. */
    @Test
    @Config(qualifiers = "ar-ldrtl")
    fun keysArentMirrored() {
        assertEquals(View.LAYOUT_DIRECTION_RTL, phone.app.resources.configuration.layoutDirection)
        phone.enter()
        for (page in listOf(Page.LETTERS, Page.SYMBOLS, Page.MORE_SYMBOLS, Page.EMOJI)) {
            if (page != Page.LETTERS) phone.press(KeyAction.Turn(page))
            assertFromLeftToRight(page)
        }
        phone.enter(InputType.TYPE_CLASS_NUMBER)
        assertFromLeftToRight(Page.NUMBERS)
        phone.enter()
        phone.hold(KeyAction.Type("e"))
        phone.layOut()
        val choices = phone.popups.buttons
        assertEquals(choices, choices.sortedBy { left(it) })
        assertEquals(choices.size, choices.distinctBy { left(it) }.size)
    }

    private fun assertFromLeftToRight(page: Page) {
        phone.layOut()
        for (row in page.rows(switches = false, layoutOf("en"))) {
            val places = row.map { left(phone.keys.getValue(it.action)) }
            assertEquals("$row", places.distinct().sorted(), places)
        }
    }

    private fun left(view: View) = IntArray(2).also(view::getLocationInWindow)[0]

    @Test
    fun everyKeyOfEveryPageTypesItself() {
        phone.enter()
        val characters = Page.entries.flatMap { it.actions }
            .mapNotNull { (it as? KeyAction.Type)?.text }
        characters.forEach(phone::type)
        assertEquals(characters.joinToString(""), phone.text)
    }

    @Test
    fun keysWorkBeforeTheBundleIsOpen() {
        phone.enter()
        phone.type("hello ")
        assertEquals("hello ", phone.text)
        assertTrue(phone.app.sent.isEmpty())
        phone.settle() // only now may it be opened
        assertEquals(1, phone.app.sent.size)
    }

    @Test
    fun shiftIsForOneLetterAndTwoTapsLockIt() {
        phone.enter()
        phone.press(KeyAction.Shift)
        phone.moveCursor(0) // a late report of the cursor doesn't undo the tap
        assertEquals(ShiftState.ONCE, phone.shift)
        phone.type("A")
        assertEquals(ShiftState.OFF, phone.shift)
        phone.press(KeyAction.Shift, pause = 100)
        phone.press(KeyAction.Shift)
        assertEquals(ShiftState.LOCKED, phone.shift)
        "bc".forEach { phone.press(KeyAction.Type(it.toString())) }
        phone.press(KeyAction.Shift)
        phone.type("d")
        assertEquals("ABCd", phone.text)
    }

    @Test
    fun sentencesBeginWithACapital() {
        phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES)
        "yes. no".forEach { phone.press(KeyAction.Type(it.toString())) }
        assertEquals("Yes. No", phone.text)
    }

    @Test
    fun backspaceDeletesACharacterOrTheSelection() {
        phone.enter()
        phone.type("ab ")
        phone.editor.append("\uD83D\uDE00")
        phone.backspace()
        assertEquals("ab ", phone.text)
        phone.backspace(2)
        assertEquals("a", phone.text)
        phone.type("bcd")
        phone.editor.setSelection(1, 3)
        phone.backspace()
        assertEquals("ad", phone.text)
    }

    @Test
    fun backspaceRepeatsWhileItIsHeld() {
        phone.enter()
        phone.type("abcdefgh")
        val key = phone.keys.getValue(KeyAction.Backspace)
        phone.touch(key, MotionEvent.ACTION_DOWN)
        assertTrue(key.isPressed)
        assertEquals("abcdefg", phone.text)
        shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(600))
        val left = phone.text
        assertTrue(left, left.length < 6)
        phone.touch(key, MotionEvent.ACTION_UP)
        shadowOf(Looper.getMainLooper()).idleFor(Duration.ofSeconds(2))
        assertEquals(left, phone.text)
    }

    @Test
    fun enterIsTheFieldsActionOrANewLine() {
        val done = mutableListOf<Int>()
        val field = phone.enter(options = EditorInfo.IME_ACTION_SEND)
        field.setOnEditorActionListener { _, action, _ ->
            done += action
            true
        }
        phone.type("hello")
        phone.press(KeyAction.Enter)
        assertEquals(listOf(EditorInfo.IME_ACTION_SEND), done)
        assertEquals("hello", phone.text)

        phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_MULTI_LINE, EditorInfo.IME_ACTION_SEND)
        phone.type("hello")
        phone.press(KeyAction.Enter)
        assertEquals("hello\n", phone.text)
        phone.settle()
        assertEquals(2, phone.app.sent.size)
    }

    @Test
    fun suggestionsCompleteTheWordInItsCase() {
        phone.enter()
        phone.type("Londo")
        phone.settle()
        val london = phone.suggestions.first { it.text.toString() == "London" }
        london.performClick()
        assertEquals("London ", phone.text)
        phone.settle()
        assertTrue(phone.suggestions.isEmpty())
        assertEquals(1, phone.app.sent.size)
    }

    @Test
    fun suggestionsOfAWordAreItsNearestWords() {
        phone.enter()
        phone.type("king")
        phone.settle()
        val shown = phone.suggestions.map { it.text.toString() }
        var nearest = emptyList<String>()
        phone.app.keyboard.bundle.run({ it.neighbors("king", 2) }) { found ->
            nearest = found.getOrThrow().map { it.word }
        }
        phone.settle()
        assertEquals(2, nearest.size)
        assertTrue("$shown lack $nearest", shown.containsAll(nearest))
        assertFalse("king" in shown)
    }

    @Test
    fun rotationKeepsPageWordAndStrip() {
        val field = phone.enter()
        phone.type("book ")
        phone.settle()
        val strip = phone.releaseText
        assertEquals(phone.app.sent.single().joinToString(" "), strip)
        phone.type("fli")
        phone.press(KeyAction.Turn(Page.SYMBOLS))

        phone.showKeyboard() // as the system does for a new configuration
        phone.attach(field, restarting = true)
        assertTrue(KeyAction.Turn(Page.MORE_SYMBOLS) in phone.keys)
        assertEquals(strip, phone.releaseText)
        phone.type("ght ")
        phone.settle()
        assertEquals("book flight ", phone.text)
        assertEquals(2, phone.app.sent.size)
    }

    @Test
    fun theSettingsButtonOpensThem() {
        phone.keyboard.findViewById<View>(Strip.id.brr_open_settings).performClick()
        val intent = shadowOf(phone.app).nextStartedActivity
        assertEquals(SettingsActivity::class.java.name, intent.component?.className)
        Robolectric.buildActivity(SettingsActivity::class.java, intent).setup().close()
    }
}
