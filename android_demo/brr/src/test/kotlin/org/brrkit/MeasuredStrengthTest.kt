package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** A bundle's results for strengths that were measured when it was built. */
class MeasuredStrengthTest {
    private val bundle = Work.bundle64
    private val average = bundle.averageDistance!!

    @Test
    fun everyLossThatWasMeasuredIsAStrength() {
        val attack = bundle.manifest["attack"] as Map<*, *>
        val losses = (attack["estimated_losses"] as List<*>).map { (it as Number).toDouble() }
        for (mechanism in listOf("brr", "vickrey", "exponential")) {
            val strengths = bundle.strengths(mechanism)
            assertEquals(losses.size, strengths.size)
            for ((place, strength) in strengths.withIndex()) {
                assertTrue(strength.epsilon * average <= losses[place])
                assertEquals(losses[place], strength.epsilon * average, 1e-4 * average)
                assertEquals(attack["attacker"], strength.measured.attacker)
                val point = point("attack", mechanism, place)
                val success = point["success"] as Map<*, *>
                val read = strength.measured.attackSuccess
                assertEquals(success["value"], read.value)
                assertEquals(success["low"], read.low)
                assertEquals(success["high"], read.high)
                assertEquals(point["worst"], strength.measured.worst?.value)
                val unchanged = strength.measured.unchanged
                assertEquals(point("utility", mechanism, place)["unchanged"], unchanged.value)
                assertTrue(unchanged.low in 0.0..unchanged.value)
                assertTrue(unchanged.high in unchanged.value..1.0)
                assertTrue(unchanged.high - unchanged.low in 0.001..0.07)
            }
        }
    }

    /** 84 of 1,000: scipy.stats.binomtest(84, 1000).proportion_ci(method="wilson"). */
    @Test
    fun whatWasCountedHasWilsonsInterval() {
        val unchanged = strengths("""{"unchanged": 0.084}""")!!.unchanged
        assertEquals(0.084, unchanged.value, 0.0)
        assertEquals(0.0683588, unchanged.low, 1e-6)
        assertEquals(0.1028250, unchanged.high, 1e-6)
    }

    @Test
    fun whatIsNotThereIsNotRead() {
        assertTrue(bundle.strengths("laplace").isEmpty())
        assertTrue(bundle.strengths("other").isEmpty())
        assertEquals(null, strengths("null"))
        assertEquals(null, strengths("{}"))
        assertEquals(null, strengths("""{"unchanged": 1.1}"""))
        for (success in listOf("null", "{}", """{"value": 0.1, "low": 0, "high": 2}""")) {
            assertEquals(null, strengths("""{"unchanged": 0.1}""", """{"success": $success, "worst": null}"""))
        }
        val worst = """{"success": {"value": 0, "low": 0, "high": 1}, "worst": "a"}"""
        assertEquals(null, strengths("""{"unchanged": 0.1}""", worst))
        assertEquals(null, strengths("""{"unchanged": 0.1}""", loss = "1e9"))
    }

    private fun point(block: String, mechanism: String, place: Int): Map<*, *> {
        val mechanisms = (bundle.manifest[block] as Map<*, *>)["mechanisms"] as Map<*, *>
        return (mechanisms[mechanism] as List<*>)[place] as Map<*, *>
    }

    private fun strengths(
        utility: String,
        attack: String = """{"success": {"value": 0, "low": 0, "high": 1}, "worst": null}""",
        loss: String = "10",
    ): Measured? {
        val fields = parseJson(
            """{"attack": {"attacker": "isolated", "estimated_losses": [$loss],
                "mechanisms": {"brr": [$attack]}},
                "utility": {"words": 1000, "estimated_losses": [$loss],
                "mechanisms": {"brr": [$utility]}}}
            """.toByteArray(),
        ) as Map<*, *>
        @Suppress("UNCHECKED_CAST")
        return readStrengths(fields as Map<String, Any?>, 32.0, "brr").singleOrNull()?.measured
    }
}
