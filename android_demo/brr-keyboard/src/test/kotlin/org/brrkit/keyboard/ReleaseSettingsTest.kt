package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import org.brrkit.Base
import org.brrkit.BundleException
import org.brrkit.Mechanism
import org.brrkit.Memory
import org.brrkit.ParameterException
import org.brrkit.Privatizer
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class ReleaseSettingsTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val work = System.getProperty("brr.work").orEmpty()

    /** With masses and bigrams; it recommends a setting that has no history. */
    private val bundle by lazy { recommending(""""radius": 12, "base": "unigram", "cap": 9.5""") }

    /** It recommends one that has. */
    private val ofBigrams by lazy { recommending(""""radius": 12, "cap": 9.5""", certified = false) }
    private val setting by lazy { bundle.recommended!! }
    private val recommended by lazy { ReleaseSettings.recommended(bundle, dailyBudget = 10.0) }

    /** A number that happens to be the recommended one. */
    private val sameNumber by lazy { ReleaseSettings(setting.mechanism.name, setting.epsilon, 10.0) }

    @Test
    fun whatIsRecommendedIsAllOfIt() {
        assertNotEquals("the test needs another radius", 8L, setting.mechanism.parameters["radius"])
        val privatizer = recommended.privatizer(bundle)
        assertEquals(setting.epsilon, privatizer.epsilon, 0.0)
        assertEquals(setting.certifiedEpsilon!!, privatizer.certifiedEpsilon, 0.0)
        assertTrue(privatizer.certifiedEpsilon < privatizer.epsilon)
    }

    /** By its number, nothing is the recommended setting. */
    @Test
    fun whatIsChosenIsNotRecommendedWhateverItsNumber() {
        assertNotEquals(recommended, sameNumber)
        val privatizer = sameNumber.privatizer(bundle)
        assertEquals(setting.epsilon, privatizer.epsilon, 0.0)
        assertEquals("no certificate", privatizer.effectiveEpsilon, privatizer.certifiedEpsilon, 0.0)
        assertSame(
            """{"mechanism":"exponential","epsilon":${setting.epsilon},"parameters":{}}""",
            sameNumber.source(bundle),
        )
    }

    @Test
    fun textSaysWhatMadeIt() {
        val source = recommended.source(bundle)
        assertEquals("\"recommended\"", source.setting)
        assertEquals(bundle.manifest["sha256"], source.bundle)
        assertSame(
            """{"mechanism":"exponential","epsilon":${setting.epsilon},""" +
                """"parameters":{"radius":12,"base":"unigram","cap":9.5},""" +
                """"second_epsilon":${2 * setting.epsilon}}""",
            recommended.source(bundle, withMemory = true),
        )
        val other = ReleaseSettings("brr", 20.0, 10.0)
        assertSame(
            """{"mechanism":"brr","epsilon":20,"parameters":{},"second_epsilon":22.18}""",
            other.source(bundle, withMemory = true),
        )
        val memory = Memory(Duration.ofMinutes(1), File(temporary.root, "memory"), TestVault())
        other.privatizer(bundle, memory = memory)
    }

    /** A report of text names the setting that runs. */
    @Test
    fun aRecommendedTaskWeightIsUsedAndReported() {
        val parameters = """"base": "uniform", "task_weight": 2"""
        val withTasks = recommending(parameters, certified = false, name = "tasks")
        val text = ReleaseSettings.recommended(withTasks, dailyBudget = 10.0)
        assertSame(
            """{"mechanism":"exponential","epsilon":0.75,"parameters":{"base":"uniform","task_weight":2},""" +
                """"second_epsilon":1.5}""",
            text.source(withTasks, withMemory = true),
        )
        assertEquals(
            Mechanism.exponential(base = Base.UNIFORM, taskWeight = 2),
            text.privatizer(withTasks).setting.mechanism,
        )
    }

    @Test
    fun aBundleThatRecommendsNothingIsNamed() {
        val plain = WordBundle.open(File(work, "bundles/64"))
        for (use in listOf(
            { ReleaseSettings.recommended(plain, 10.0) },
            { recommended.privatizer(plain) },
            { recommended.source(plain, withMemory = true) },
        )) {
            val error = assertThrows(ParameterException::class.java) { use() }
            assertTrue(error.message, "brr calibrate --write" in error.message!!)
        }
    }

    @Test
    fun textHasTheBaseThatIsRecommended() {
        val text = ReleaseSettings.recommended(ofBigrams, dailyBudget = 10.0)
        assertEquals(Base.BIGRAM, text.base(ofBigrams))
        assertEquals(9.5, text.cap(ofBigrams))
        assertEquals("\"recommended\"", text.source(ofBigrams).setting)
        val bigram = Mechanism.exponential(12, Base.BIGRAM, 9.5)
        val expected = Privatizer(ofBigrams, Setting(setting.epsilon, bigram))
        assertEquals(expected.effectiveEpsilon, text.privatizer(ofBigrams).effectiveEpsilon, 0.0)
        // A chosen mechanism has the last base that the bundle has.
        assertEquals(Base.BIGRAM, sameNumber.base(ofBigrams))
        assertEquals(null, sameNumber.cap(ofBigrams))
        assertEquals(Base.UNIGRAM, recommended.base(bundle))
        val plain = WordBundle.open(File(work, "bundles/256")) // without bigrams
        assertEquals(Base.UNIGRAM, ReleaseSettings("exponential", 0.5, 10.0).base(plain))
        assertEquals(null, ReleaseSettings("brr", 0.5, 10.0).base(bundle))
    }

    @Test
    fun aSettingThatCannotBeRunIsRefused() {
        for (parameters in listOf("\"cap\": 100", "\"new\": 1", "\"task_weight\": 1")) {
            val bundle = recommending(parameters, certified = false)
            val settings = ReleaseSettings.recommended(bundle, 10.0)
            assertThrows(BundleException::class.java) { settings.privatizer(bundle) }
        }
    }

    /** The upper end of the measured interval decides; between two measured epsilons, that of the weaker one. */
    @Test
    fun theAppsLimitIsByWhatWasMeasured() {
        val calibrated = WordBundle.open(File(work, "calibrated"))
        fun limited(most: Double?) =
            ReleaseSettings(Strength.Recommended, 10.0, mostAttackSuccess = most)
        val own = calibrated.recommended!!.measured!!.attackSuccess.high
        assertTrue(limited(own).allows(Strength.Recommended, calibrated))
        assertFalse(limited(own - 1e-9).allows(Strength.Recommended, calibrated))
        for (mechanism in listOf("brr", "vickrey", "exponential")) {
            val strengths = calibrated.strengths(mechanism)
            for ((stronger, weaker) in strengths.zip(strengths.drop(1))) {
                val high = weaker.measured.attackSuccess.high
                val between = (stronger.epsilon + weaker.epsilon) / 2
                for (epsilon in listOf(between, weaker.epsilon)) {
                    val chosen = Strength.Chosen(mechanism, epsilon)
                    assertTrue(limited(high).allows(chosen, calibrated))
                    assertFalse(limited(high - 1e-9).allows(chosen, calibrated))
                }
            }
            val unmeasured = Strength.Chosen(mechanism, strengths.last().epsilon + 0.001)
            assertFalse("weaker than all", limited(1.0).allows(unmeasured, calibrated))
            assertTrue(limited(null).allows(unmeasured, calibrated))
            assertFalse(limited(Double.NaN).allows(Strength.Chosen(mechanism, 0.1), calibrated))
        }
        assertFalse("not measured", limited(1.0).allows(Strength.Recommended, bundle))
        assertFalse(limited(1.0).allows(Strength.Chosen("later", 0.1), calibrated))
        limited(own).privatizer(calibrated)
        val error = assertThrows(ParameterException::class.java) {
            limited(own - 1e-9).privatizer(calibrated)
        }
        assertTrue(error.message, "mostAttackSuccess" in error.message!!)
    }

    /** Returns a bundle, by default that with bigrams, recommending `exponential` with [parameters]. */
    private fun recommending(
        parameters: String,
        certified: Boolean = true,
        name: String = "64",
    ): WordBundle {
        val folder = temporary.newFolder()
        File(work, "bundles/$name").copyRecursively(folder, overwrite = true)
        val digest = WordBundle.open(folder).digest
        val certificate =
            if (certified) """, "certificate": {"certified_epsilon": 0.5, "index": "$digest"}""" else ""
        val manifest = File(folder, "manifest.json")
        val setting = """{"mechanism": "exponential", "epsilon": 0.75, "parameters": {$parameters},
            "goal": ""$certificate}"""
        manifest.writeText(manifest.readText().replaceFirst("{", "{\"recommended\": $setting,"))
        return WordBundle.open(folder, verifyHashes = false)
    }

    private fun assertSame(json: String, source: ReportSource) =
        assertEquals(JSONObject(json).toString(), JSONObject(source.setting).toString())
}
