package org.brrkit.demo

import java.io.File
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings
import org.json.JSONArray
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** What a setting does, from the bundle's manifest. */
@RunWith(RobolectricTestRunner::class)
class RatesTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val assets = RuntimeEnvironment.getApplication().assets
    private val bundle by lazy { WordBundle.open(assets, "bundle") }
    private val fields by lazy {
        JSONObject(assets.open("bundle/manifest.json").reader().use { it.readText() })
    }

    @Test
    fun everyStrengthOfEveryMechanismHasItsMeasurements() {
        for (mechanism in listOf("brr", "vickrey", "exponential")) {
            val strengths = bundle.manifest.strengths(mechanism)
            assertEquals(6, strengths.size)
            strengths.forEachIndexed { place, epsilon ->
                val rates = bundle.manifest.rates(settings(mechanism, epsilon))!!
                assertEquals("exact", null, rates.named.low)
                val utility = point("utility", mechanism, place)
                assertAbove(utility.getDouble("unchanged"), rates.unchanged)
                val attack = point("attack", mechanism, place)
                assertAbove(attack.getJSONObject("success").getDouble("high"), rates.named)
                assertEquals(attack.isNull("worst"), rates.worst == null)
                rates.worst?.let { assertAbove(attack.getDouble("worst"), it) }
            }
        }
    }

    @Test
    fun betweenTwoStrengthsItIsWhatBothSay() {
        val rates = bundle.manifest.rates(settings("exponential", 0.8))!!
        assertEquals(Rates(Rate(8, 39), Rate(7, 39), Rate(14, 70)), rates)
        assertNull("below all", bundle.manifest.rates(settings("exponential", 0.1)))
        assertNull("above all", bundle.manifest.rates(settings("exponential", 9.0)))
    }

    /** What leaves is a second draw of the first one's word. */
    @Test
    fun withAMemoryNoMoreWordsLeaveUnchanged() {
        val words = List(1_500) { bundle.vocabulary.word(it * bundle.size / 1_500) }
        for (mechanism in listOf("brr", "exponential")) {
            val settings = settings(mechanism, bundle.manifest.strengths(mechanism)[2])
            val first = settings.privatizer(bundle).words(words)
            val second = settings.copy(epsilon = settings.secondEpsilon).privatizer(bundle)
            val released = second.words(first)
            val same = words.zip(released).count { (word, output) -> word == output }
            val most = bundle.manifest.rates(settings)!!.unchanged.high
            // Three standard deviations of 1,500 words are 4 in 100, of the measured 1,000 5.
            assertTrue("$mechanism: $same", 100.0 * same / words.size <= most + 7)
        }
    }

    @Test
    fun theRecommendedSettingIsOneOfTheStrengths() {
        val manifest = recommending("""{"radius": 8}""", 0.8).manifest
        assertTrue(0.8 in manifest.strengths("exponential"))
        assertEquals(6, manifest.strengths("brr").size)
        assertNotNull(manifest.rates(settings("exponential", 0.8)))
    }

    @Test
    fun whatIsNotMeasuredIsNotSaid() {
        val radius = recommending("""{"radius": 12}""", 0.8).manifest
        assertNull(radius.rates(settings("exponential", 0.8)))
        assertNull(radius.rates(settings("exponential", radius.strengths("exponential")[0])))
        assertNotNull(radius.rates(settings("brr", radius.strengths("brr")[0])))
        for (field in listOf("attack", "utility", "distances")) {
            val manifest = changed { it.remove(field) }.manifest
            val strengths = manifest.strengths("exponential")
            assertTrue(field, strengths.size >= 6)
            for (epsilon in strengths) assertNull(manifest.rates(settings("exponential", epsilon)))
        }
        val wrong = changed { it.getJSONObject("attack").put("mechanisms", JSONArray()) }
        assertNull(wrong.manifest.rates(settings("brr", wrong.manifest.strengths("brr")[0])))
    }

    private fun assertAbove(share: Double, rate: Rate) {
        assertTrue("$share: $rate", 100 * share <= rate.high + 1e-9 && rate.high < 100 * share + 1)
    }

    private fun point(block: String, mechanism: String, place: Int): JSONObject =
        fields.getJSONObject(block).getJSONObject("mechanisms").getJSONArray(mechanism)
            .getJSONObject(place)

    private fun settings(mechanism: String, epsilon: Double) =
        ReleaseSettings(mechanism, epsilon, dailyBudget = 100.0)

    private fun recommending(parameters: String, epsilon: Double) =
        changed {
            val setting = JSONObject().put("mechanism", "exponential").put("epsilon", epsilon)
                .put("goal", "a test").put("parameters", JSONObject(parameters))
            it.put("recommended", setting)
        }

    private fun changed(change: (JSONObject) -> Unit): WordBundle {
        val folder = temporary.newFolder()
        for (name in assets.list("bundle")!!) {
            assets.open("bundle/$name").use { File(folder, name).writeBytes(it.readBytes()) }
        }
        val manifest = JSONObject(fields.toString()).also(change)
        File(folder, "manifest.json").writeText(manifest.toString())
        return WordBundle.open(folder, verifyHashes = false)
    }
}
