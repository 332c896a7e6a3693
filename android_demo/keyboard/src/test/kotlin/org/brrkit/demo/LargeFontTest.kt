package org.brrkit.demo

import android.text.InputType
import android.view.View
import android.widget.TextView
import org.brrkit.CountsSetting
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.ReleaseStrip
import org.brrkit.keyboard.ReportSettings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config

/** At twice the size, on a small phone, in a language of long words, nothing is cut off. */
@RunWith(RobolectricTestRunner::class)
@Config(qualifiers = "de-w360dp-h740dp-port-xhdpi", fontScale = 2f)
class LargeFontTest {
    @Test
    fun theKeyboardFits() {
        val phone = Phone()
        for (type in listOf(TEXT, TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)) {
            phone.enter(type)
            phone.layOut()
            assertUncut(phone.keyboard, least = 25)
        }
        phone.enter()
        val strip = phone.keyboard.findViewById<ReleaseStrip>(R.id.releases)
        for (notice in NOTICES) {
            strip.show(listOf(notice))
            phone.layOut()
            assertUncut(strip, least = 2)
        }
    }

    @Test
    fun theSettingsFit() {
        val app = RuntimeEnvironment.getApplication() as TestApplication
        app.reports = ReportSettings(CountsSetting(cap = 9.0, wordsADay = 1_000))
        val screen = Robolectric.buildActivity(SettingsActivity::class.java).setup().get()
        app.settle()
        screen.findViewById<View>(R.id.show_advanced).performClick()
        screen.findViewById<View>(R.id.vickrey).performClick() // another one is recommended
        app.settle()
        assertUncut(screen.window.decorView, least = 40)
        val headings = descendants(screen.window.decorView).filterIsInstance<TextView>()
            .filter { it.isShown && isHeading(it) }
        assertTrue("${headings.map { it.text }}", headings.size >= 9)
    }

    // Newer than what this compiles against.
    private fun isHeading(view: View) =
        View::class.java.getMethod("isAccessibilityHeading").invoke(view) as Boolean

    /** All shown texts have room, in height and in width; no word is broken; and there are some. */
    private fun assertUncut(view: View, least: Int) {
        val texts = descendants(view).filterIsInstance<TextView>().filter { it.isShown }
        assertTrue("${texts.size}", texts.size >= least)
        for (text in texts) {
            val room = text.height - text.compoundPaddingTop - text.compoundPaddingBottom
            assertTrue("${text.text}", text.layout.height <= room)
            val width = text.width - text.compoundPaddingLeft - text.compoundPaddingRight
            for (line in 0 until text.layout.lineCount) {
                assertEquals("${text.text}", 0, text.layout.getEllipsisCount(line))
                assertTrue("${text.text}", text.layout.getLineMax(line) <= width)
                val end = text.layout.getLineEnd(line)
                val isWhole = end == text.length() || text.text[end - 1] in " \n-"
                assertTrue("${text.text}: ${text.text.take(end)}", isWhole)
            }
        }
    }

    private companion object {
        val NOTICES = listOf(
            Release(Release.Text.NoSink, Release.Report.COUNTED),
            Release(Release.Text.NoSink, Release.Report.NO_SETTING),
            Release(Release.Text.Off, Release.Report.OFF),
            Release(Release.Text.LeftOut, Release.Report.NO_SETTING),
            Release(Release.Text.BudgetUsedUp, Release.Report.BUDGET_USED_UP),
            Release(Release.Text.Unavailable, Release.Report.UNAVAILABLE),
        )
    }
}
