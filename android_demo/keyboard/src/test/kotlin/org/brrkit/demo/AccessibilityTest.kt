package org.brrkit.demo

import android.text.InputType
import android.view.View
import android.view.ViewGroup
import android.view.WindowInsets
import android.view.accessibility.AccessibilityEvent
import android.view.accessibility.AccessibilityManager
import android.widget.TextView
import org.brrkit.keyboard.R as Strip
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
class AccessibilityTest {
    @Test
    fun everyKeyHasAName() {
        val phone = Phone()
        phone.enter()
        for (page in listOf(Page.LETTERS, Page.SYMBOLS, Page.MORE_SYMBOLS, Page.EMOJI)) {
            if (page != Page.LETTERS) phone.press(KeyAction.Turn(page))
            val names = phone.keys.map { (_, view) -> view.contentDescription.toString() }
            assertEquals("two keys with one name", names.size, names.toSet().size)
            for ((key, view) in phone.keys) {
                val name = view.contentDescription.toString()
                assertTrue("$key: $name", name.any(Char::isLetterOrDigit))
                assertTrue("$key", view.isClickable)
            }
        }
    }

    @Test
    fun aPasswordIsNotSpoken() {
        val phone = Phone()
        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        for (page in listOf(Page.LETTERS, Page.SYMBOLS)) {
            if (page != Page.LETTERS) phone.press(KeyAction.Turn(page))
            val typing = phone.keys.filterKeys { it is KeyAction.Type }.values
            assertEquals(setOf("Character"), typing.map { "${it.contentDescription}" }.toSet())
        }
        phone.enter()
        assertEquals("q", phone.keys.getValue(KeyAction.Type("q")).contentDescription)
    }

    @Test
    fun numbersArePressedOnAPad() {
        val phone = Phone()
        phone.enter(InputType.TYPE_CLASS_NUMBER or InputType.TYPE_NUMBER_FLAG_SIGNED)
        for (key in "-4201") phone.press(KeyAction.Type("$key"))
        phone.backspace()
        assertEquals("-420", phone.text)
        assertTrue(KeyAction.Type("a") !in phone.keys)
        val names = phone.keys.values.map { "${it.contentDescription}" }
        assertEquals(names.size, names.toSet().size)
    }

    @Test
    fun aScreenReadersTapTypes() {
        val phone = Phone()
        phone.enter()
        phone.keys.getValue(KeyAction.Type("q")).performClick()
        assertEquals("q", phone.text)
    }

    @Test
    fun capitalsAndCapsLockAreSaid() {
        val phone = Phone()
        phone.enter()
        phone.press(KeyAction.Shift, pause = 100)
        assertEquals("capital q", phone.keys.getValue(KeyAction.Type("q")).contentDescription)
        phone.press(KeyAction.Shift)
        assertEquals("Caps lock on", phone.keys.getValue(KeyAction.Shift).contentDescription)
    }

    @Test
    fun theStripSaysWhatChangesAndNotEveryWord() {
        val phone = Phone()
        val said = listen(phone)
        phone.enter()
        phone.settle()
        phone.type("book flight to the qxqxq ")
        phone.settle()
        assertEquals(5, phone.app.sent.size)
        val first = phone.app.sent.first().joinToString(" ")
        assertEquals(listOf("Leaves the device: $first"), said)
        val text = phone.keyboard.findViewById<TextView>(Strip.id.brr_release_text)
        val last = phone.app.sent.last().joinToString(" ")
        val found = "${text.contentDescription}"
        assertEquals("a finger finds the last one", "Leaves the device: $last", found)

        said.clear()
        phone.app.keyboard.consent.withdraw()
        phone.type("one two ")
        phone.settle()
        assertEquals(listOf("Leaves the device: Nothing: turned off"), said)
        said.clear()
        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        phone.type("one two ")
        phone.settle()
        assertEquals(listOf("Leaves the device: Nothing: this field is private"), said)
    }

    /** Returns what a screen reader would say by itself, but for keys that are touched. */
    private fun listen(phone: Phone): MutableList<String> {
        val said = mutableListOf<String>()
        val manager = phone.app.getSystemService(AccessibilityManager::class.java)
        shadowOf(manager).setEnabled(true)
        (phone.keyboard.parent as View).accessibilityDelegate =
            object : View.AccessibilityDelegate() {
                override fun onRequestSendAccessibilityEvent(
                    host: ViewGroup,
                    child: View,
                    event: AccessibilityEvent,
                ): Boolean {
                    val isLive = event.eventType == AccessibilityEvent.TYPE_ANNOUNCEMENT
                    if (isLive) said += event.text.joinToString(" ")
                    return true
                }
            }
        descendants(phone.keyboard).forEach {
            assertEquals(View.ACCESSIBILITY_LIVE_REGION_NONE, it.accessibilityLiveRegion)
        }
        return said
    }

    /** The navigation bar below, or in landscape a cut-out beside the keys. */
    @Test
    fun keysLieBesideWhatTheSystemCovers() {
        val phone = Phone()
        // Newer than what this compiles against.
        val side = Class.forName("android.graphics.Insets")
        val of = side.getMethod("of", *Array(4) { Int::class.java })
        val builder = Class.forName("android.view.WindowInsets\$Builder")
        val made = builder.getConstructor().newInstance()
        val covered = of.invoke(null, 30, 0, 20, 40)
        builder.getMethod("setSystemWindowInsets", side).invoke(made, covered)
        val insets = builder.getMethod("build").invoke(made) as WindowInsets
        phone.keyboard.dispatchApplyWindowInsets(insets)
        phone.layOut()
        val keys = phone.keyboard.findViewById<View>(R.id.keys)
        assertEquals(30, (keys.parent as View).left)
        assertEquals(phone.keyboard.width - 20, (keys.parent as View).right)
        assertEquals(phone.keyboard.height - 40, (keys.parent as View).bottom)
    }

    @Test
    @Config(qualifiers = "w392dp-h820dp-port-xxhdpi")
    fun targetsOnAPhone() = assertTargets(minimumWidth = 36)

    @Test
    @Config(qualifiers = "w800dp-h360dp-land-xhdpi")
    fun targetsInLandscape() = assertTargets(minimumWidth = 48)

    @Test
    @Config(qualifiers = "sw600dp-w600dp-h960dp-port-xhdpi")
    fun targetsOnATablet() = assertTargets(minimumWidth = 48)

    /** Ten keys side by side can't be 48 dp wide on a narrow phone. */
    private fun assertTargets(minimumWidth: Int) {
        val phone = Phone()
        phone.enter()
        phone.type("lon")
        phone.settle()
        val targets = descendants(phone.keyboard).filter { it.isClickable && it.visibility == View.VISIBLE }
        assertTrue(targets.size > 30)
        val density = RuntimeEnvironment.getApplication().resources.displayMetrics.density
        for (target in targets) {
            val name = "${target.contentDescription}: ${target.width} x ${target.height} px"
            assertTrue(name, target.height >= 48 * density)
            assertTrue(name, target.width >= minimumWidth * density)
        }
    }
}
