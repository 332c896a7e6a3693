package org.brrkit.keyboard

import java.io.ByteArrayInputStream
import java.io.File
import java.time.Duration
import org.brrkit.BudgetException
import org.brrkit.Counts
import org.brrkit.CountsSetting
import org.brrkit.Memory
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.json.JSONArray
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** Reports for counting in addition to text: their cost and setting, and the cases without reports. */
class ReporterTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val folder by lazy { File(temporary.root, "outbox") }
    private val outbox by lazy { Outbox(folder, TestVault(), OutboxLimits(), TestClock()) }
    private val plain by lazy { WordBundle.open(bundles) }
    private val bundles = File(System.getProperty("brr.work").orEmpty(), "bundles/64")

    /** Recommends 9.25 and three words a day. */
    private val recommending by lazy {
        val copy = temporary.newFolder()
        bundles.copyRecursively(copy, overwrite = true)
        val manifest = File(copy, "manifest.json")
        val field = """"counts": {"cap": 9.25, "words_a_day": 3, "goal": "", "measured": {}}"""
        manifest.writeText(manifest.readText().replaceFirst("{", "{$field,"))
        WordBundle.open(copy, verifyHashes = false)
    }
    private val loss by lazy { Counts(recommending).loss }
    private fun budget(limit: Double) =
        PrivacyBudget(limit, Duration.ofDays(9), File(temporary.root, "budget"))

    private fun sample() = batchesIn(folder, TestVault()).single().sample

    private fun setting() = batchesIn(folder, TestVault()).single().source.setting

    @Test
    fun theFirstWordsOfADayCostTheLossAndNoOthersDo() {
        val budget = budget(100.0)
        val reporter = Reporter(outbox)
        fun cost(vararg words: String): Double {
            val before = budget.remaining()
            assertTrue(reporter.report(words.asList(), recommending, ReportSettings(), budget))
            return before - budget.remaining()
        }
        assertEquals(2 * loss, cost("the", "of"), 1e-8)
        assertEquals(loss, cost("the", "qxqxq"), 1e-8)
        assertEquals(0.0, cost("the"), 0.0)
        assertEquals(5L, sample().seen)
        assertEquals(3, sample().words.size)
    }

    /** Text and reports have one budget. */
    @Test
    fun whatTheBudgetRefusesIsNotReported() {
        val budget = budget(2.5 * loss)
        val reporter = Reporter(outbox)
        reporter.report(listOf("the"), recommending, ReportSettings(), budget)
        budget.spend(loss, unit = recommending.digest) // for text
        val before = sample().words
        repeat(2) {
            assertThrows(BudgetException::class.java) {
                reporter.report(listOf("of"), recommending, ReportSettings(), budget)
            }
        }
        assertEquals(before, sample().words)
        assertEquals("it wasn't seen", 1L, sample().seen)
    }

    @Test
    fun theSettingIsStatedAsItIs() {
        val reporter = Reporter(outbox)
        reporter.report(listOf("the"), recommending, ReportSettings(), null)
        assertEquals("\"counts\"", setting())
        assertEquals(3, sample().most)
        reporter.report(listOf("the"), recommending, ReportSettings(CountsSetting(cap = 7.5)), null)
        assertEquals(1, sample().most)
        val fields = JSONObject(setting())
        assertEquals(setOf("mechanism", "cap"), fields.keys().asSequence().toSet())
        assertEquals("counts", fields.getString("mechanism"))
        assertEquals(7.5, fields.getDouble("cap"), 0.0)
    }

    @Test
    fun aMemorySaysHowOftenAWordMayBeSent() {
        fun stated(period: Duration): JSONObject {
            val memory = Memory(period, File(temporary.newFolder(), "memory"))
            Reporter(outbox, memory).report(listOf("the"), recommending, ReportSettings(), null)
            return JSONObject(setting())
        }
        val month = stated(Duration.ofDays(30))
        keep("remembered", batchesIn(folder, TestVault()).single().report())
        assertEquals(9.25, month.getDouble("cap"), 0.0)
        assertEquals(18.5, month.getDouble("second_cap"), 0.0)
        assertEquals(3 * 31, month.getInt("repeats"))
        assertEquals(3 * 32, stated(Duration.ofDays(30).plusNanos(1)).getInt("repeats"))
        assertEquals(3 * 2, stated(Duration.ofSeconds(1)).getInt("repeats"))
    }

    /** For three words in all patterns of repeats: the refusals and the rest of a budget with a memory. */
    @Test
    fun aRefusalDependsOnTheNumberOfReportsAlone() {
        val settings = ReportSettings(CountsSetting(1.0, 9))
        fun shown(words: List<String>): List<Any> {
            val own = temporary.newFolder()
            val memory = Memory(Duration.ofDays(1), File(own, "memory"))
            val budget = PrivacyBudget(2.5, Duration.ofDays(1), File(own, "budget"))
            val kept = Outbox(File(own, "outbox"), TestVault(), OutboxLimits(), TestClock())
            val reporter = Reporter(kept, memory)
            return words.map { word ->
                val isRefused = runCatching { reporter.report(listOf(word), plain, settings, budget) }
                    .exceptionOrNull() is BudgetException
                listOf(isRefused, budget.remaining())
            }
        }
        val patterns = listOf("the the the", "the the of", "the of the", "of the the", "the of zorblaxian")
        val seen = patterns.map { shown(it.split(" ")) }
        assertEquals(1, seen.toSet().size)
        assertEquals(listOf(false, false, true), seen[0].map { (it as List<*>)[0] })
    }

    @Test
    fun withoutASettingNothingIsReported() {
        val reporter = Reporter(outbox)
        assertFalse(reporter.report(listOf("the"), plain, ReportSettings(), budget(1.0)))
        assertFalse(folder.exists())
        assertTrue(reporter.report(listOf("the"), plain, ReportSettings(CountsSetting(9.0, 3)), null))
        for (setting in listOf(CountsSetting(89.0, 3), CountsSetting(9.0, 0), CountsSetting(9.0, 1_001))) {
            assertThrows(ParameterException::class.java) {
                reporter.report(listOf("the"), plain, ReportSettings(setting), null)
            }
        }
        assertEquals(1L, sample().seen)
    }

    /** Frozen cases: each is one call. */
    @Test
    fun samplesAreAsTheVectorsSay() {
        val spec = File("../../spec")
        val kinds = JSONObject(File(spec, "vectors/counts.json").readText()).getJSONObject("bundles")
        for (name in kinds.keys()) {
            val cases = kinds.getJSONObject(name).getJSONArray("samples")
            samplesOf(WordBundle.open(File(spec, "conformance/$name")), cases)
        }
    }

    private fun samplesOf(bundle: WordBundle, cases: JSONArray) {
        assertTrue(cases.length() > 5)
        for (case in List(cases.length(), cases::getJSONObject)) {
            val hexadecimal = case.getString("random").chunked(2)
            val drawn = ByteArray(hexadecimal.size) { hexadecimal[it].toInt(16).toByte() }
            val bytes = ByteArrayInputStream(drawn)
            val random = RandomSource { check(bytes.read(it) == it.size) }
            val settings =
                ReportSettings(CountsSetting(case.getDouble("cap"), case.getInt("words_a_day")))
            val words = case.strings("words")
            Reporter(outbox, random = random).report(words, bundle, settings, null)
            assertEquals("$case", case.strings("outputs").sorted(), sample().words)
            assertEquals("$case", 0, bytes.available())
            outbox.clear()
        }
    }

    private fun JSONObject.strings(name: String) =
        getJSONArray(name).let { List(it.length(), it::getString) }

    /**
     * With this cap one draw of 2^63 gives another word; an unknown one is the empty string.
     * False alarm: 1e-18.
     */
    @Test
    fun unknownWordsAreOneMoreWord() {
        val reporter = Reporter(outbox)
        reporter.report(listOf("qxqxq", "London"), plain, ReportSettings(CountsSetting(88.0, 3)), null)
        assertEquals(listOf("", "london"), sample().words)
    }
}
