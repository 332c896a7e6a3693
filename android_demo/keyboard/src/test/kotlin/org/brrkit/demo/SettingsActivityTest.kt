package org.brrkit.demo

import android.os.Bundle
import android.os.Parcel
import android.view.View
import android.widget.Button
import android.widget.EditText
import android.widget.ProgressBar
import android.widget.RadioButton
import android.widget.SeekBar
import android.widget.Switch
import android.widget.TextView
import java.io.File
import java.math.BigDecimal
import java.text.NumberFormat
import java.util.Locale
import kotlin.math.ceil
import kotlin.math.exp
import kotlin.math.roundToInt
import org.brrkit.CountsSetting
import org.brrkit.Oov
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Strength
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
class SettingsActivityTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val app = RuntimeEnvironment.getApplication() as TestApplication
    private val controller = Robolectric.buildActivity(SettingsActivity::class.java).setup()
    private var screen = controller.get()

    @Test
    fun choicesWaitForTheBundleThenAreSaved() {
        assertFalse(screen.findViewById<RadioButton>(R.id.exponential).isEnabled)
        app.settle()
        val before = settings()
        assertTrue(screen.findViewById<RadioButton>(R.id.exponential).isChecked)
        screen.findViewById<RadioButton>(R.id.oov_drop).performClick()
        app.settle()
        assertEquals(before.copy(oov = Oov.DROP), settings())
        screen.findViewById<RadioButton>(R.id.brr).performClick()
        app.settle()
        assertEquals("brr", (settings().strength as Strength.Chosen).mechanism)
        assertEquals(Oov.DROP, settings().oov)
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
    fun whatIsRecommendedIsSaidInNumbers() {
        app.settle()
        assertItIsSaid(WordBundle.open(app.assets, "bundles/en").recommended!!)
    }

    @Test
    fun aCalibratedBundlesRecommendationIsSaidInNumbers() = assertItIsSaid(calibrated())

    private fun assertItIsSaid(setting: Setting) {
        val measured = setting.measured!!
        val all = measured.allWords
        val unchanged = (100 * (all?.unchanged ?: measured.unchanged).value).roundToInt()
        val found = "ords recovered by an attacker who reads what leaves"
        val facts = listOfNotNull(
            (if (all == null) "W$found" else "Less frequent w$found") to measured.attackSuccess,
            all?.let { "W$found" to it.attackSuccess },
            measured.worst?.let { "Of the least protected words" to it },
        ).map { (name, share) -> name to ceil(100 * share.high).toInt() }
        assertEquals(20, facts.first().second)
        val said = "Words that leave unchanged: about $unchanged in 100. " +
            facts.joinToString("") { (name, most) -> "$name: at most $most in 100. " } +
            "Such an attacker ${ATTACKERS.getValue(measured.attacker)}. " +
            "This is the recommended protection."
        assertEquals(said, "${view<View>(R.id.protection).contentDescription}")
        val shown = descendants(view(R.id.protection)).filterIsInstance<TextView>()
            .filter { it.isShown }.map { "${it.text}" }
        assertEquals("what is seen is what is said", said, sentences(shown))
        val bars = descendants(view(R.id.protection)).filterIsInstance<ProgressBar>()
        val expected = listOf(unchanged) + facts.map { (_, most) -> most }
        assertEquals(expected, bars.filter { it.isShown }.map { it.progress })
        assertEquals(View.GONE, view<View>(R.id.recommended).visibility)
    }

    private fun sentences(shown: List<String>): String =
        (shown.dropLast(1).chunked(2) { (name, value) -> "$name: $value." } + shown.last())
            .joinToString(" ")

    /** If the bundle has no measurements, the screen says so. */
    @Test
    fun withoutMeasurementsThereAreNoNumbers() {
        calibrated(changedBundle(temporary.root) { it.getJSONObject("recommended").remove("measured") })
        assertEquals(Strength.Recommended, settings().strength)
        assertEquals(
            "The strength of this protection wasn't measured with this word list. " +
                "This is the recommended protection.",
            "${view<View>(R.id.protection).contentDescription}",
        )
        for (fact in listOf(R.id.unchanged, R.id.attack, R.id.attack_of_all, R.id.worst)) {
            assertEquals(View.GONE, view<View>(fact).visibility)
        }
        assertFalse("measured" in text(R.id.details))
    }

    @Test
    fun whatNeverLeavesIsSaidOfLists() {
        calibrated(
            changedBundle(temporary.root) {
                it.put("policy", JSONObject("""{"lists": [${list("names", 3)}, ${list("illnesses", 4)}]}"""))
            },
        )
        assertEquals(View.VISIBLE, view<View>(R.id.secrets).visibility)
        assertEquals(
            "A replacement never depends on which word of a list you typed (names, illnesses). It may show that " +
                "you typed one, and the words around it may reveal which.",
            text(R.id.secrets),
        )
    }

    @Test
    fun withoutListsNothingIsSaidOfThem() {
        calibrated()
        assertEquals(View.GONE, view<View>(R.id.secrets).visibility)
    }

    private fun list(name: String, member: Int) = """{"name": "$name", "members": [$member], "forms": []}"""

    @Test
    fun theAppsLimitIsSaidAndKept() {
        app.mostAttackSuccess = 0.29
        calibrated()
        assertTrue(text(R.id.limit), "more than 29 in 100" in text(R.id.limit))
        assertEquals(View.VISIBLE, view<View>(R.id.limit).visibility)
        val bundle = WordBundle.open(calibratedBundle)
        move(R.id.strength, view<SeekBar>(R.id.strength).max)
        assertTrue(bundle.offer(settings().strength).measured!!.attackSuccess.high <= 0.29)
        assertTrue(view<SeekBar>(R.id.strength).max < bundle.offers("exponential").lastIndex)
    }

    /** A screen reader announces the meaning of a slider's position, not a percentage. */
    @Test
    fun slidersSpeakTheirValues() {
        calibrated()
        fun state(id: Int): String {
            val node = view<View>(id).createAccessibilityNodeInfo()
            // Newer than what this compiles against.
            return "${node.javaClass.getMethod("getStateDescription").invoke(node)}"
        }
        val strength = view<SeekBar>(R.id.strength)
        for (place in listOf(0, strength.max)) {
            move(R.id.strength, place)
            val found = descendants(view(R.id.attack)).filterIsInstance<TextView>()
                .joinToString(": ", "Step ${place + 1} of ${strength.max + 1}. ", ".") { it.text }
            assertEquals(found, state(R.id.strength))
            assertTrue(found, Regex(".* [0-9]+ of [0-9]+\\. .* in 100\\.|.*all\\.").matches(found))
        }
        val protection = view<View>(R.id.protection)
        assertEquals(View.ACCESSIBILITY_LIVE_REGION_POLITE, protection.accessibilityLiveRegion)
        assertEquals("Protection", "${strength.contentDescription}")
        view<View>(R.id.recommended).performClick()
        app.settle()
        move(R.id.budget, 0)
        assertTrue(state(R.id.budget), Regex("\\d+ new words a day").matches(state(R.id.budget)))
    }

    @Test
    fun mechanismAndEpsilonAreUnderAdvanced() {
        calibrated()
        val button = view<Button>(R.id.show_advanced)
        val advanced = listOf(R.id.mechanism, R.id.details, R.id.epsilon).map { view<View>(it) }
        assertTrue(advanced.none { it.isShown })
        val others = descendants(screen.window.decorView).filterIsInstance<TextView>()
        assertFalse(others.any { it.isShown && "ε" in it.text })
        button.performClick()
        assertTrue(advanced.all { it.isShown })
        assertEquals("Hide advanced settings", "${button.text}")
        button.performClick()
        assertTrue(advanced.none { it.isShown })
    }

    @Test
    fun whichWordsComeOutMoreReadilyIsSaid() {
        val setting = calibrated()
        val bases = mapOf(
            "uniform" to "Frequent words are no more likely to leave than rare ones.",
            "unigram" to "Frequent words are more likely to leave than rare ones.",
            "bigram" to "Frequent words are more likely to leave, and so are words that often follow the " +
                "previous one: what leaves reads like text.",
        )
        val noLimit = "the easier they are to tell apart, without a limit."
        fun said() = text(R.id.details).let { text ->
            bases.filterValues { it in text }.keys.toList() to (noLimit in text)
        }
        val base = setting.mechanism.parameters["base"] ?: "bigram" // the bundle has bigrams
        val cap = setting.mechanism.parameters["cap"] as Number?
        assertEquals(listOf(base) to (cap == null), said())
        if (cap != null) {
            val times = NumberFormat.getInstance().format(ceil(exp(cap.toDouble())))
            assertTrue("at most $times times as likely" in text(R.id.details))
        }
        move(R.id.strength, 0)
        assertTrue(settings().strength is Strength.Chosen)
        assertEquals(listOf("bigram") to true, said())
        screen.findViewById<RadioButton>(R.id.brr).performClick()
        app.settle()
        assertEquals(emptyList<String>() to false, said())
    }

    @Test
    fun whatLeavesIsSaidNotToBeWhatWasTyped() {
        val note = descendants(screen.window.decorView).filterIsInstance<TextView>()
            .single { "Never show it as something a person wrote." in it.text }
        assertTrue(note.isShown)
    }

    @Test
    fun howManyWordsLeaveForCountingIsSaid() {
        app.settle()
        assertTrue("no word leaves" in text(R.id.reports))
        app.reports = ReportSettings(CountsSetting(cap = 9.0, wordsADay = 1_000))
        screen = controller.recreate().get()
        app.settle()
        assertTrue("at most 1,000 replaced words leave per day" in text(R.id.reports))
    }

    @Test
    fun aControlChangesWhatItIsForAndNothingElse() {
        calibrated()
        val before = settings()
        assertEquals(Strength.Recommended, before.strength)
        move(R.id.budget, 0)
        assertEquals(before.copy(dailyBudget = 30.0), settings())
        screen.findViewById<RadioButton>(R.id.oov_error).performClick()
        app.settle()
        assertEquals(before.copy(dailyBudget = 30.0, oov = Oov.ERROR), settings())
        move(R.id.strength, 0)
        val chosen = settings()
        assertEquals(before.copy(chosen.strength, 30.0, Oov.ERROR), chosen)
        move(R.id.budget, 1)
        assertEquals(chosen.copy(dailyBudget = 100.0), settings())
    }

    @Test
    fun theRecommendedStrengthCanBeChosenAgain() {
        calibrated()
        val strength = screen.findViewById<SeekBar>(R.id.strength)
        val (recommended, last) = strength.progress to strength.max
        for (place in 0..last) {
            move(R.id.strength, place)
            assertEquals(place == recommended, settings().strength == Strength.Recommended)
            assertFalse(screen.getString(R.string.strength_unknown) in text(R.id.attacker))
        }
        val button = screen.findViewById<Button>(R.id.recommended)
        assertEquals(View.VISIBLE, button.visibility)
        button.performClick()
        app.settle()
        assertEquals(Strength.Recommended, settings().strength)
        assertEquals(recommended, strength.progress)
        for (other in listOf(R.id.brr, R.id.vickrey)) {
            screen.findViewById<RadioButton>(other).performClick()
            app.settle()
            assertTrue(settings().strength is Strength.Chosen)
            button.performClick()
            app.settle()
            assertEquals(Strength.Recommended, settings().strength)
            assertTrue(screen.findViewById<RadioButton>(R.id.exponential).isChecked)
        }
    }

    @Test
    @Config(qualifiers = "de")
    fun textsAndNumbersAreInThePhonesLanguage() {
        val epsilon = "%.2f".format(Locale.GERMANY, calibrated().epsilon).trimEnd('0')
        assertTrue(text(R.id.epsilon), text(R.id.epsilon).startsWith("ε ist $epsilon je Bit."))
        assertTrue(text(R.id.epsilon), text(R.id.epsilon).endsWith("1.000 von 1.000 ε sind übrig."))
        assertTrue("höchstens 20 von 100" in view<View>(R.id.protection).contentDescription)
        for (view in descendants(screen.window.decorView).filterIsInstance<TextView>()) {
            val text = "${view.text}"
            assertFalse(text, Regex("""\d[.,]\d{4}|attack-success|prior| the """).containsMatchIn(text))
        }
    }

    @Test
    fun theBudgetSaysWhatIsLeft() {
        calibrated()
        move(R.id.budget, 0)
        lateinit var cost: BigDecimal
        val settings = settings()
        app.keyboard.bundle.run({ settings.privatizer(it).certifiedEpsilon }) {
            cost = it.getOrThrow().toBigDecimal()
        }
        app.settle()
        assertTrue("within 30 days counts once, and once more after" in text(R.id.budget_note))
        val words = BigDecimal("30").divideToIntegralValue(cost).toInt()
        assertEquals("Enough for at least $words new words now", text(R.id.budget_left))
        app.keyboard.releaser.release("the") {}
        app.settle()
        assertEquals("Enough for at least ${words - 1} new words now", text(R.id.budget_left))
        assertEquals(app.sent.single().joinToString(" "), text(R.id.log))
    }

    /** Also where words for counting take from the budget, too. */
    @Test
    fun asManyNewWordsLeaveAsTheBudgetSays() {
        app.reports = ReportSettings(CountsSetting(cap = 2.0, wordsADay = 3))
        calibrated()
        move(R.id.budget, 0)
        val count = Regex("\\d+").find(text(R.id.budget_left))!!.value.toInt()
        assertTrue("$count", count > 10)
        lateinit var words: List<String>
        app.keyboard.bundle.run({ bundle -> List(count) { bundle.vocabulary.word(it) } }) {
            words = it.getOrThrow()
        }
        app.settle()
        val releases = mutableListOf<Release>()
        words.forEach { app.keyboard.release(it, releases::add) }
        app.settle()
        assertEquals(count, releases.size)
        assertTrue(releases.all { it.text is Release.Text.Sent && it.report == Release.Report.COUNTED })
        assertEquals("Enough for at least 0 new words now", text(R.id.budget_left))
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

    /** Takes the bundle that the README's commands have just made. Returns its recommended setting. */
    private fun calibrated(bundle: File = calibratedBundle): Setting {
        app.bundle = bundle
        lateinit var setting: Setting
        app.keyboard.bundle.run({ it.recommended!! }) { setting = it.getOrThrow() }
        app.settle()
        return setting
    }

    private fun move(bar: Int, place: Int) {
        val seekBar = screen.findViewById<SeekBar>(bar)
        shadowOf(seekBar).onSeekBarChangeListener
            .onProgressChanged(seekBar, place, true)
        app.settle()
        assertEquals(place, seekBar.progress)
    }

    private fun <T : View> view(id: Int): T = screen.findViewById(id)

    private fun text(view: Int) = screen.findViewById<TextView>(view).text.toString()

    private fun settings(): ReleaseSettings {
        lateinit var settings: ReleaseSettings
        app.keyboard.bundle.run(app.settings::load) { settings = it.getOrThrow() }
        app.settle()
        return settings
    }

    private companion object {
        val ATTACKERS = mapOf(
            "frequencies" to "sees one word, and knows how often each word is typed",
            "sentence" to "sees the whole text that leaves, and knows which words often follow which",
        )
    }
}
