package org.brrkit.demo

import android.widget.TextView
import java.io.File
import org.brrkit.CountsSetting
import org.brrkit.ParameterException
import org.brrkit.WordBundle
import org.brrkit.keyboard.BrrKeyboard
import org.brrkit.keyboard.ReportSettings
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

/** The demo with the sample, and French and Persian bundles beside it. */
internal class ManyLanguages : TestApplication() {
    override val languages = listOf("en", "fa", "fr")

    override fun openBundle(language: String): WordBundle =
        if (language == "en") super.openBundle(language)
        else WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/writing-$language"))
}

@RunWith(RobolectricTestRunner::class)
@Config(application = ManyLanguages::class, shadows = [SwitchingManager::class])
class TwoLanguagesTest {
    private val phone = Phone()
    private val app = phone.app

    @After
    fun end() {
        SwitchingManager.offers = false
        SwitchingManager.switched = 0
        app.onTerminate()
    }

    private fun turnTo(language: String) {
        while (app.language != language) phone.press(KeyAction.Switch)
        phone.settle()
    }

    private fun states(language: String): Set<String> =
        File(app.noBackupFilesDir, "brr/$language").list().orEmpty().filterNot { it.endsWith(".lock") }.toSet()

    @Test
    fun eachLanguageHasItsLettersBundleAndBudget() {
        phone.enter()
        phone.settle()
        phone.type("book ")
        phone.settle()
        assertEquals(setOf("budget.json", "memory.json"), states("en"))
        assertEquals(emptySet<String>(), states("fr"))
        turnTo("fr")
        assertTrue(KeyAction.Type("é") in phone.keys)
        assertEquals("français", (phone.keys.getValue(KeyAction.Type(" ")) as TextView).text.toString())
        phone.type("l'homme ")
        phone.settle()
        assertEquals(listOf(1, 2), app.sent.map { it.size })
        assertEquals(setOf("budget.json", "memory.json"), states("fr"))
        fun left(language: String) = app.keyboards.getValue(language).let { keyboard ->
            keyboard.releaser.budget(app.settings.load(WordBundle.open(app.assets, "$BUNDLES/en"))).remaining()
        }
        assertTrue(left("fr") < left("fa") && left("en") < left("fa"))
        assertEquals("book l'homme ", phone.text)
    }

    @Test
    fun aPersianWordIsTypedFromRightToLeftWithItsHalfSpace() {
        phone.enter()
        turnTo("fa")
        assertFalse(KeyAction.Shift in phone.keys)
        assertEquals("›|‹", (phone.keys.getValue(KeyAction.Type(NON_JOINER)) as TextView).text.toString())
        phone.type("کتاب${NON_JOINER}ها خانه ")
        phone.settle()
        assertEquals("کتاب${NON_JOINER}ها خانه ", phone.text)
        assertEquals(listOf(1, 1), app.sent.map { it.size })
    }

    @Test
    fun allKeysFitTheirRow() {
        for (language in listOf("de", "en", "fa", "fr")) {
            for (row in Page.LETTERS.rows(switches = true, layoutOf(language))) {
                assertTrue("$language $row", row.map(Key::width).sum() <= ROW_WIDTH + 0.001f)
                assertEquals("$language $row", row.size, row.map(Key::action).toSet().size)
            }
        }
        assertEquals(layoutOf("en"), layoutOf("tr"))
    }

    @Test
    fun theKeyGoesToTheNextLanguageAndBehindTheLastToTheNextKeyboard() {
        phone.enter()
        val seen = List(4) { app.language.also { phone.press(KeyAction.Switch) } }
        assertEquals(listOf("en", "fa", "fr", "en"), seen)
        assertEquals(0, SwitchingManager.switched)
        SwitchingManager.offers = true
        turnTo("fr")
        phone.press(KeyAction.Switch)
        assertEquals(1, SwitchingManager.switched)
        assertEquals("en", app.language)
    }

    /** A word that was begun in one language isn't finished in another. */
    @Test
    fun whatWasBegunIsNotReleased() {
        phone.enter()
        phone.settle()
        phone.type("fli")
        turnTo("fr")
        phone.type("ght ")
        phone.settle()
        assertEquals(emptyList<List<String>>(), app.sent)
        Robolectric.buildService(BrrInputMethodService::class.java).create()
        assertEquals("fr", app.language)
    }

    @Test
    fun oneConsentIsForAllLanguages() {
        app.reports = ReportSettings(CountsSetting(cap = 9.0, wordsADay = 2))
        phone.enter()
        phone.settle()
        phone.type("book ")
        turnTo("fr")
        phone.type("homme ")
        phone.settle()
        fun batches() = app.languages.map { app.keyboards.getValue(it).outbox.status().batches }
        assertEquals(listOf(1, 0, 1), batches())
        val draws = app.draws
        app.withdraw()
        assertEquals(listOf(0, 0, 0), batches())
        phone.type("femme ")
        turnTo("en")
        phone.type("book ")
        phone.settle()
        assertEquals(draws, app.draws)
        assertFalse(app.keyboards.values.any { it.consent.isGiven })
        assertEquals(2, app.sent.size)
    }

    @Test
    fun theSettingsSayWhoseBudgetItIs() {
        turnTo("fr")
        val screen = Robolectric.buildActivity(SettingsActivity::class.java).setup().get()
        phone.settle()
        val note = screen.findViewById<TextView>(R.id.languages_note)
        assertTrue(note.isShown)
        assertTrue("${note.text}", "français" in note.text && "at most the sum" in note.text)
    }

    @Test
    fun aStateHasAPlainName() {
        for (name in listOf("", "..", "a/b", "é", "a".repeat(65))) {
            assertThrows(ParameterException::class.java) {
                BrrKeyboard.Builder(app) { error("not opened") }.state(name)
            }
        }
    }
}
