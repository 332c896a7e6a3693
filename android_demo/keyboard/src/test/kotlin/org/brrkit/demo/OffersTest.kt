package org.brrkit.demo

import java.io.File
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** The strengths to choose from, with the demo's bundle and one that was calibrated just now. */
@RunWith(RobolectricTestRunner::class)
class OffersTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val sample by lazy {
        WordBundle.open(RuntimeEnvironment.getApplication().assets, "bundles/en")
    }

    /** What it recommends was measured as its strengths were. */
    private val calibrated by lazy { recommendedFor("isolated") }
    private val plain by lazy { WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/64")) }

    @Test
    fun theRecommendedOneIsAmongThemAndAllAreMeasured() {
        for (bundle in listOf(sample, calibrated)) {
            val offers = bundle.offers("exponential")
            assertEquals(7, offers.size)
            val own = offers.single { it.strength == Strength.Recommended }
            assertSame(bundle.recommended!!.measured, own.measured)
            assertOrdered(offers)
            for (other in listOf("brr", "vickrey")) {
                assertEquals(6, bundle.offers(other).size)
                assertTrue(bundle.offers(other).all { it.strength is Strength.Chosen })
                assertOrdered(bundle.offers(other))
            }
        }
    }

    /** With another radius, a larger epsilon isn't weaker. */
    @Test
    fun theirOrderIsThatOfTheAttackers() {
        val offers = calibrated.offers("exponential")
        val place = offers.indexOfFirst { it.strength == Strength.Recommended }
        assertTrue(offers[place + 1].epsilon < offers[place].epsilon)
    }

    @Test
    fun betweenDifferentAttackersItIsThatOfEpsilon() {
        val offers = recommendedFor("sentence").offers("exponential")
        assertEquals(7, offers.size)
        assertEquals(offers.sortedBy { it.epsilon }, offers)
    }

    @Test
    fun anotherMechanismIsNotWeaker() {
        for (offer in calibrated.offers("exponential")) {
            val settings = ReleaseSettings(offer.strength, 100.0)
            for (mechanism in MECHANISMS - "exponential") {
                val strength = calibrated.strength(mechanism, settings)
                val others = calibrated.offers(mechanism)
                val place = others.indexOfFirst { it.strength == strength }
                assertTrue(place == 0 || others[place].named <= offer.named)
                assertTrue(place == others.lastIndex || others[place + 1].named > offer.named)
            }
        }
    }

    /** For an estimate, the upper bound on any attacker's success. */
    @Test
    fun theyNameAtMostTheUpperEndOfTheInterval() {
        for (offer in MECHANISMS.flatMap(calibrated::offers)) {
            val (high, most) = 100 * offer.named to offer.measured!!.attackSuccess.most
            assertTrue("$high: $most", high <= most + 1e-9 && most < high + 1)
        }
    }

    @Test
    fun withoutARecommendationItIsOneThatWasMeasured() {
        val strength = plain.strength()
        val offer = plain.offers("exponential").single { it.strength == strength }
        assertNotNull(offer.measured)
        assertEquals(20.0 / plain.averageDistance!!, offer.epsilon, 1e-4)
    }

    @Test
    fun whatIsNotMeasuredIsNotSaid() {
        for (field in listOf("attack", "utility", "distances")) {
            val bundle = changed { it.remove(field) }
            val offers = bundle.offers("exponential")
            assertEquals(17, offers.size)
            assertEquals(offers.sortedBy { it.epsilon }, offers)
            val own = offers.single { it.strength == Strength.Recommended }
            assertNotNull("$field: it is still measured", own.measured)
            assertTrue((offers - own).all { it.measured == null })
        }
        val unmeasured = changed { it.getJSONObject("recommended").remove("measured") }
        val own = unmeasured.offers("exponential").single { it.strength == Strength.Recommended }
        assertNull(own.measured)
    }

    /** A choice made with an earlier bundle stays until the next choice. */
    @Test
    fun anEarlierChoiceStays() {
        val chosen = ReleaseSettings("exponential", 0.7, 100.0)
        val offers = calibrated.offers(chosen)
        assertEquals(8, offers.size)
        val own = offers.single { it.strength == chosen.strength }
        assertNull(own.measured)
        assertNotNull(calibrated.strength("brr", chosen))
    }

    @Test
    fun aMechanismOfALaterVersionIsNotRecommended() {
        val bundle = changed { it.getJSONObject("recommended").put("mechanism", "later") }
        assertNull(bundle.own)
        assertNotEquals(Strength.Recommended, bundle.strength())
        assertTrue(bundle.offers("exponential").none { it.strength == Strength.Recommended })
    }

    @Test
    fun theAppsLimitIsThatOfTheOffers() {
        fun limited(most: Double) =
            ReleaseSettings(Strength.Recommended, 100.0, mostAttackSuccess = most)
        for (most in listOf(0.05, 0.2, 0.5, 1.0)) {
            for (mechanism in MECHANISMS) {
                val allowed = calibrated.offers(mechanism).filter { it.named <= most }
                val offered = calibrated.offers(mechanism, limited(most))
                assertEquals(allowed.map { it.strength }, offered.map { it.strength })
            }
        }
        // The recommended strength is within the limit, or isn't begun with.
        assertEquals(Strength.Recommended, calibrated.strength(0.21))
        val first = calibrated.offer(calibrated.strength(0.1))
        assertTrue(first.strength != Strength.Recommended && first.named <= 0.1)
        val other = calibrated.strength("brr", limited(0.1))!!
        assertTrue(calibrated.offer(other).named <= 0.1)
        assertNull(calibrated.strength("brr", limited(0.0)))
        // Strengths without measurements aren't offered.
        val unmeasured = changed { it.remove("attack") }
        assertEquals(emptyList<Offer>(), unmeasured.offers("brr", limited(0.9)))
    }

    /** Rarer words are found out less often: which words a number is of is said beside it. */
    @Test
    fun theWordsOfANumberAreNamed() {
        val meaning = Meaning(RuntimeEnvironment.getApplication().resources)
        val said = listOf("all", "content").map { over ->
            val bundle = changed {
                it.getJSONObject("recommended").getJSONObject("measured").put("over", over)
            }
            meaning.attack(bundle.recommended!!.measured!!).name
        }
        val all = "Words recovered by an attacker who reads what leaves"
        assertEquals(listOf(all, "Less frequent w${all.drop(1)}"), said)
    }

    private val Offer.named get() = measured!!.attackSuccess.high

    private fun assertOrdered(offers: List<Offer>) {
        val attackers = offers.map { it.measured!!.attacker }.toSet()
        assertEquals(offers.sortedBy { if (attackers.size == 1) it.named else it.epsilon }, offers)
    }

    private fun recommendedFor(attacker: String) = changed {
        it.getJSONObject("recommended").getJSONObject("measured").put("attacker", attacker)
    }

    private fun changed(change: (JSONObject) -> Unit): WordBundle =
        WordBundle.open(changedBundle(temporary.newFolder(), change))
}
