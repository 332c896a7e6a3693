package org.brrkit.demo

import android.graphics.Bitmap
import android.graphics.Canvas
import android.os.Looper
import android.text.InputType
import android.view.MotionEvent
import android.view.View
import android.widget.EditText
import java.io.File
import org.brrkit.keyboard.ReportSettings
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

/** Draws the keyboard and the settings screen into target/screenshots, for people to look at. */
@RunWith(RobolectricTestRunner::class)
class ScreenshotTest {
    @Test
    @Config(qualifiers = "w392dp-h820dp-port-xxhdpi")
    fun phone() = draw("phone")

    @Test
    @Config(qualifiers = "w392dp-h820dp-port-night-xxhdpi")
    fun phoneDark() = draw("phone-dark")

    @Test
    @Config(qualifiers = "w800dp-h360dp-land-xhdpi")
    fun phoneLandscape() = draw("phone-landscape")

    @Test
    @Config(qualifiers = "sw800dp-w800dp-h1280dp-port-xhdpi")
    fun tablet() = draw("tablet")

    @Test
    @Config(qualifiers = "sw800dp-w1280dp-h800dp-land-night-xhdpi")
    fun tabletLandscapeDark() = draw("tablet-landscape-dark")

    @Test
    @Config(qualifiers = "w360dp-h740dp-port-xhdpi", fontScale = 2f)
    fun phoneLargeFont() = draw("phone-large-font")

    private fun draw(name: String) {
        val phone = Phone()
        phone.enter(TEXT)
        phone.type(TYPED.removeSuffix("on "))
        phone.settle()
        val key = phone.keys.getValue(KeyAction.Type("o"))
        phone.touch(key, MotionEvent.ACTION_DOWN)
        save(phone.keyboard, "keyboard-$name")
        phone.touch(key, MotionEvent.ACTION_CANCEL)

        phone.type("on ")
        phone.press(KeyAction.Turn(Page.SYMBOLS))
        phone.settle()
        save(phone.keyboard, "keyboard-symbols-$name")
        phone.press(KeyAction.Turn(Page.EMOJI))
        save(phone.keyboard, "keyboard-emoji-$name")
        phone.press(KeyAction.Turn(Page.LETTERS))
        val held = phone.hold(KeyAction.Type("e"))
        phone.popups.buttons[1].isPressed = true
        save(phone.keyboard, "keyboard-choices-$name")
        phone.touch(held, MotionEvent.ACTION_CANCEL)

        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        phone.settle()
        save(phone.keyboard, "keyboard-private-$name")

        save(settings(), "settings-$name")
    }

    /** All of the settings screen, however long it is; the figures' light half and dark half. */
    @Test
    @Config(qualifiers = "en-w360dp-h2800dp-port-xhdpi")
    fun settingsLight() = save(settings(), "settings")

    @Test
    @Config(qualifiers = "de-w360dp-h3200dp-port-night-xhdpi")
    fun settingsGermanDark() = save(settings(), "settings-de-dark")

    private fun settings(): View {
        val app = RuntimeEnvironment.getApplication() as TestApplication
        app.reports = ReportSettings()
        val settings = Robolectric.buildActivity(SettingsActivity::class.java).setup().get()
        settings.findViewById<EditText>(R.id.try_it).setText(TYPED.trim())
        TYPED.split(" ").dropLast(1).forEach { app.keyboard.release(it) {} }
        settings.findViewById<View>(R.id.show_advanced).performClick()
        app.settle()
        return settings.window.decorView
    }

    private fun save(view: View, name: String) {
        shadowOf(Looper.getMainLooper()).idle() // new views get their places
        val bitmap = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.jumpDrawablesToCurrentState() // radio buttons are checked in a moment
        view.draw(Canvas(bitmap))
        val folder = File(checkNotNull(System.getProperty("screenshots")))
        folder.mkdirs()
        File(folder, "$name.png").outputStream().use {
            bitmap.compress(Bitmap.CompressFormat.PNG, 100, it)
        }
        // Something was drawn: more than a background, and letters on the keys.
        val pixels = IntArray(view.width * view.height)
        bitmap.getPixels(pixels, 0, view.width, 0, 0, view.width, view.height)
        assertTrue(name, pixels.asSequence().distinct().drop(20).any())
    }

    private companion object {
        const val TYPED = "ok see u tmr in london "
    }
}
