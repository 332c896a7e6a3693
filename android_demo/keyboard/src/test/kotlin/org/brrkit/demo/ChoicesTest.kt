package org.brrkit.demo

import android.text.InputType
import android.view.MotionEvent
import android.view.View
import org.brrkit.Writing
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config

/** The popups over the keys: the character under the finger, and a key's choices. */
@RunWith(RobolectricTestRunner::class)
class ChoicesTest {
    private val phone = Phone()
    private val e = KeyAction.Type("e")

    @Test
    fun aHeldLetterOffersItsAccents() {
        phone.enter()
        val key = phone.hold(e)
        assertEquals("nothing is typed yet", "", phone.text)
        assertEquals("èéêëēėę".map { "$it" }, names())
        phone.touch(key, MotionEvent.ACTION_UP)
        assertEquals("they wait for a tap", 7, phone.popups.buttons.size)
        choice("é").performClick()
        assertEquals("é", phone.text)
        assertTrue(phone.popups.buttons.isEmpty())
    }

    @Test
    fun aFingerSlidesToAnAccent() {
        phone.enter()
        phone.press(KeyAction.Shift)
        val key = phone.hold(e)
        val (from, to) = listOf(key, choice("capital ê")).map { view ->
            IntArray(2).also(view::getLocationOnScreen)
        }
        val x = to[0] - from[0] + 10f
        val y = to[1] - from[1] + 10f
        phone.touch(key, MotionEvent.ACTION_MOVE, x, y)
        phone.touch(key, MotionEvent.ACTION_UP, x, y)
        assertEquals("Ê", phone.text)
    }

    @Test
    fun aScreenReadersLongPressOffersThem() {
        phone.enter()
        assertTrue(phone.keys.getValue(e).isLongClickable)
        phone.keys.getValue(e).performLongClick()
        choice("ë").performClick()
        assertEquals("ë", phone.text)
        assertFalse(phone.keys.getValue(KeyAction.Type("q")).isLongClickable)
    }

    @Test
    fun anAccentIsPartOfItsWord() {
        phone.enter()
        phone.type("caf")
        phone.hold(e)
        choice("é").performClick()
        phone.type(" ")
        phone.settle()
        assertEquals("café ", phone.text)
        assertEquals(1, phone.app.sent.size)
    }

    @Test
    fun overlappingThumbsTypeInTheOrderOfTouching() {
        phone.enter()
        val (first, second) = listOf(e, KeyAction.Type("a")).map { phone.keys.getValue(it) }
        phone.touch(first, MotionEvent.ACTION_DOWN)
        phone.touch(second, MotionEvent.ACTION_DOWN)
        phone.touch(first, MotionEvent.ACTION_UP)
        phone.touch(second, MotionEvent.ACTION_UP)
        assertEquals("ea", phone.text)
        phone.touch(first, MotionEvent.ACTION_DOWN)
        phone.touch(first, MotionEvent.ACTION_CANCEL)
        assertEquals("a gesture of the system types nothing", "ea", phone.text)
    }

    @Test
    fun anotherFieldClosesTheChoices() {
        phone.enter()
        phone.hold(e)
        phone.enter()
        assertTrue(phone.popups.buttons.isEmpty())
        assertEquals("", phone.text)
    }

    @Test
    fun aTouchedKeyShowsItsCharacterButNotInAPassword() {
        phone.enter()
        val key = KeyAction.Type("q")
        phone.touch(phone.keys.getValue(key), MotionEvent.ACTION_DOWN)
        assertEquals("q", phone.popups.shownPreview)
        phone.touch(phone.keys.getValue(key), MotionEvent.ACTION_UP)
        assertNull(phone.popups.shownPreview)
        for (type in PASSWORDS) {
            phone.enter(type)
            val first = phone.keys.keys.first { it is KeyAction.Type }
            phone.touch(phone.keys.getValue(first), MotionEvent.ACTION_DOWN)
            assertNull(phone.popups.shownPreview)
            phone.touch(phone.keys.getValue(first), MotionEvent.ACTION_UP)
        }
    }

    @Test
    fun aPasswordsAccentsAreNotSpoken() {
        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        phone.hold(e)
        assertEquals(setOf("Character"), names().toSet())
    }

    @Test
    @Config(qualifiers = "w360dp-h640dp-port-xhdpi")
    fun choicesFitASmallPhone() = assertChoicesFit()

    @Test
    @Config(qualifiers = "w640dp-h360dp-land-xhdpi")
    fun choicesFitInLandscape() = assertChoicesFit()

    private fun assertChoicesFit() {
        phone.enter()
        val density = RuntimeEnvironment.getApplication().resources.displayMetrics.density
        for (key in phone.keys.filterKeys { it.choices.isNotEmpty() }.values) {
            key.performLongClick()
            phone.layOut()
            val popups = phone.popups
            assertEquals(phone.keyboard.width, popups.width)
            val at = IntArray(2).also(popups::getLocationOnScreen)
            for (button in popups.buttons) {
                assertTrue(button.width >= 48 * density && button.height >= 48 * density)
                val place = IntArray(2).also(button::getLocationOnScreen)
                val name = "${button.contentDescription}: ${place.toList()} in ${at.toList()}"
                assertTrue(name, place[0] >= at[0] && place[1] >= at[1])
                assertTrue(name, place[0] + button.width <= at[0] + popups.width)
            }
        }
    }

    @Test
    fun allOfAsciiCanBeTyped() {
        val typed = Page.entries.flatMap { it.actions }
            .flatMap { listOf((it as? KeyAction.Type)?.text) + it.choices }
        for (character in ' '..'~') assertTrue("$character", character.lowercase() in typed)
    }

    @Test
    fun emojiAreWrittenAndNeverReleased() {
        val emoji = Page.EMOJI.actions.filterIsInstance<KeyAction.Type>().map { it.text }
            .filter { it.codePointAt(0) > 0x7F }
        assertTrue(emoji.size > 20)
        for (text in emoji) {
            assertTrue(text, Writing.ENGLISH.finished(text).isNotEmpty())
            assertTrue(text, Writing.ENGLISH.joins("a", text).not())
        }
        phone.enter()
        phone.type(emoji.take(3).joinToString(""))
        phone.settle()
        assertEquals(emoji.take(3).joinToString(""), phone.text)
        assertTrue(phone.app.sent.isEmpty())
        assertEquals(0, phone.app.draws)
        phone.backspace(3)
        assertEquals("", phone.text)

        phone.type("${emoji[0]}london${emoji[1]}")
        phone.settle()
        assertEquals("the word beside them is one", 1, phone.app.sent.size)
        assertTrue(phone.suggestions.isEmpty())
        phone.type("${emoji[1]} ")
        phone.settle()
        assertEquals(1, phone.app.sent.size)
    }

    private fun names() = phone.popups.buttons.map { "${it.contentDescription}" }

    private fun choice(name: String): View {
        phone.layOut()
        return phone.popups.buttons.first { it.contentDescription == name }
    }

    private companion object {
        val PASSWORDS = listOf(
            TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD,
            InputType.TYPE_CLASS_NUMBER or InputType.TYPE_NUMBER_VARIATION_PASSWORD,
        )
    }
}
