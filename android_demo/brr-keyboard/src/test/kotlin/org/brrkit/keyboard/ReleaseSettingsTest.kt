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
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class ReleaseSettingsTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val made = File(System.getProperty("brr.work").orEmpty(), "bundles/64")
    private val bundle by lazy {
        recommending(
            """{"mechanism": "exponential", "epsilon": 0.5, "goal": "",""" +
                """"parameters": {"radius": 64}}""",
        )
    }
    private val settings by lazy { ReleaseSettings.recommended(bundle, dailyBudget = 10.0) }

    @Test
    fun whatIsRecommendedKeepsItsRadiusAtEveryStrength() {
        assertEquals(0.5, settings.epsilon, 0.0)
        for (epsilon in listOf(0.5, 2.0)) {
            val privatizer = settings.copy(epsilon = epsilon).privatizer(bundle)
            // Within the radius are all words, and an eighth of the loss.
            assertEquals(epsilon / 8, privatizer.effectiveEpsilon, 1e-9)
        }
        assertTrue(settings.copy(mechanism = "brr").privatizer(bundle).effectiveEpsilon > 0.4)
    }

    @Test
    fun reportsSayWhatMadeThem() {
        val source = settings.source(bundle, withMemory = false)
        assertEquals("\"recommended\"", source.setting)
        assertEquals(bundle.manifest.fields["sha256"], source.bundle)
        assertTrue(source.isEstimable)
        assertFalse(settings.copy(oov = Oov.DROP).source(bundle, withMemory = false).isEstimable)
        val chosen = settings.copy(epsilon = 2.0).source(bundle, withMemory = false)
        assertSame("""{"mechanism":"exponential","epsilon":2,"parameters":{"radius":64}}""", chosen)
        assertSame(
            """{"mechanism":"exponential","epsilon":0.5,"parameters":{"radius":64},""" +
                """"second_epsilon":1}""",
            settings.source(bundle, withMemory = true),
        )
        val other = settings.copy(mechanism = "brr", epsilon = 20.0)
        assertSame(
            """{"mechanism":"brr","epsilon":20,"parameters":{},"second_epsilon":22.18}""",
            other.source(bundle, withMemory = true),
        )
        other.privatizer(bundle, memory = Memory(Duration.ofMinutes(1), File(temporary.root, "memory"), TestVault()))
    }

    @Test
    fun aBundleThatRecommendsNothingIsNamed() {
        val error = assertThrows(ParameterException::class.java) {
            ReleaseSettings.recommended(WordBundle.open(made), 10.0)
        }
        assertTrue(error.message, "brr calibrate --write" in error.message!!)
    }

    private fun assertSame(json: String, source: ReportSource) =
        assertEquals(JSONObject(json).toString(), JSONObject(source.setting).toString())

    private fun recommending(setting: String): WordBundle {
        made.copyRecursively(temporary.root, overwrite = true)
        val manifest = File(temporary.root, "manifest.json")
        manifest.writeText(manifest.readText().replaceFirst("{", "{\"recommended\": $setting,"))
        return WordBundle.open(temporary.root, verifyHashes = false)
    }
}
