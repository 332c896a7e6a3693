package org.brrkit.demo

import android.os.Bundle
import android.os.Parcel
import android.widget.EditText
import android.widget.RadioButton
import android.widget.SeekBar
import android.widget.Switch
import android.widget.TextView
import java.math.BigDecimal
import org.brrkit.Oov
import org.brrkit.keyboard.ReleaseSettings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

@RunWith(RobolectricTestRunner::class)
class SettingsActivityTest {
    private val app = RuntimeEnvironment.getApplication() as TestApplication
    private val controller = Robolectric.buildActivity(SettingsActivity::class.java).setup()
    private var screen = controller.get()

    @Test
    fun choicesWaitForTheBundleThenAreSaved() {
        assertFalse(screen.findViewById<RadioButton>(R.id.exponential).isEnabled)
        app.settle()
        val before = settings()
        assertTrue(screen.findViewById<RadioButton>(R.id.exponential).isChecked)
        screen.findViewById<RadioButton>(R.id.brr).performClick()
        screen.findViewById<RadioButton>(R.id.oov_drop).performClick()
        app.settle()
        assertEquals(before.copy(mechanism = "brr", oov = Oov.DROP), settings())
        assertTrue(screen.findViewById<RadioButton>(R.id.brr).isChecked)
    }

    @Test
    fun theSwitchIsTheConsent() {
        val switch = screen.findViewById<Switch>(R.id.consent)
        assertTrue(switch.isChecked) // the tests' app was agreed to
        app.keyboard.releaser.release("london") {}
        app.settle()
        switch.performClick()
        assertFalse(app.keyboard.consent.isGiven)
        assertEquals(screen.getString(R.string.sent_nothing), text(R.id.log))
        switch.performClick()
        assertTrue(app.keyboard.consent.isGiven)
    }

    @Test
    fun strengthIsSaidInRatesAndAsEpsilon() {
        app.settle()
        move(R.id.strength, 2)
        assertEquals(
            "Of 100 words, 39 or fewer leave unchanged. An attacker who knows everything but the " +
                "words names 39 or fewer of them.\n" +
                "Of 100 of the least protected words he names 70 or fewer.",
            text(R.id.strength_words),
        )
        val epsilon = settings().epsilon
        assertTrue(text(R.id.strength_epsilon), "ε = $epsilon" in text(R.id.strength_epsilon))
        screen.findViewById<RadioButton>(R.id.brr).performClick()
        app.settle()
        val said = text(R.id.strength_words)
        assertTrue(said, said.startsWith("Of 100 words, 35 or fewer leave unchanged."))
        assertTrue(said, said.endsWith("names 36 or fewer of them.")) // no worst is measured
    }

    @Test
    fun theBudgetSaysWhatIsLeft() {
        app.settle()
        move(R.id.budget, 0)
        val epsilon = settings().epsilon.toBigDecimal()
        val words = BigDecimal("30").divideToIntegralValue(epsilon).toInt()
        assertEquals("$words words left today", text(R.id.budget_left))
        app.keyboard.releaser.release("london") {}
        app.settle()
        assertEquals("${words - 1} words left today", text(R.id.budget_left))
        assertEquals(app.sent.single().joinToString(" "), text(R.id.log))
    }

    @Test
    fun rotationKeepsTheTextAndTheLog() {
        app.keyboard.releaser.release("london") {}
        app.settle()
        screen.findViewById<EditText>(R.id.try_it).setText("hello")
        val log = text(R.id.log)
        val state = Bundle().also(controller::saveInstanceState)
        val parcel = Parcel.obtain().also { it.writeBundle(state) }
        val stored = String(parcel.marshall(), Charsets.UTF_16LE)
        assertFalse("typed text is in no saved state", "hello" in stored)
        screen = controller.recreate().get()
        app.settle()
        assertEquals("hello", text(R.id.try_it))
        assertEquals(log, text(R.id.log))
    }

    private fun move(bar: Int, place: Int) {
        val seekBar = screen.findViewById<SeekBar>(bar)
        shadowOf(seekBar).onSeekBarChangeListener
            .onProgressChanged(seekBar, place, true)
        app.settle()
        assertEquals(place, seekBar.progress)
    }

    private fun text(view: Int) = screen.findViewById<TextView>(view).text.toString()

    private fun settings(): ReleaseSettings {
        lateinit var settings: ReleaseSettings
        app.keyboard.bundle.run(app.settings::load) { settings = it.getOrThrow() }
        app.settle()
        return settings
    }
}
