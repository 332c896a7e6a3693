package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import org.brrkit.Memory
import org.brrkit.Oov
import org.brrkit.ParameterException
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

    /** Calibrated just now, by the README's command. */
    private val bundle by lazy { WordBundle.open(File(work, "calibrated")) }
    private val setting by lazy { bundle.recommended!! }
    private val recommended by lazy { ReleaseSettings.recommended(bundle, dailyBudget = 10.0) }

    /** A number that happens to be the recommended one. */
    private val sameNumber by lazy { ReleaseSettings(setting.mechanism, setting.epsilon, 10.0) }

    @Test
    fun whatIsRecommendedIsAllOfIt() {
        assertNotEquals("the test needs another radius", 8L, setting.parameters["radius"])
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
    fun reportsSayWhatMadeThem() {
        val source = recommended.source(bundle)
        assertEquals("\"recommended\"", source.setting)
        assertEquals(bundle.manifest["sha256"], source.bundle)
        assertTrue(source.isEstimable)
        assertFalse(recommended.copy(oov = Oov.DROP).source(bundle).isEstimable)
        assertSame(
            """{"mechanism":"exponential","epsilon":${setting.epsilon},""" +
                """"parameters":{"radius":${setting.parameters["radius"]}},""" +
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

    private fun assertSame(json: String, source: ReportSource) =
        assertEquals(JSONObject(json).toString(), JSONObject(source.setting).toString())
}
