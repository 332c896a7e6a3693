package org.brrkit.demo

import kotlin.math.abs
import kotlin.math.ceil
import kotlin.math.floor
import org.brrkit.Manifest
import org.brrkit.keyboard.ReleaseSettings

/** Of 100: between two numbers, or just [high] or fewer. */
internal data class Rate(val low: Int?, val high: Int)

/**
 * What a setting does to 100 single words, as it was measured when the bundle was built.
 *
 * It holds with a memory, too, however often a word is typed in a period: nobody names it more
 * often than from its first draw, which is the one that was measured (`docs/memory.md`).
 *
 * @property unchanged how many come out as they are.
 * @property named how many the best possible attacker names, who knows everything but the words.
 * @property worst the same of the least protected hundredth, if that was measured.
 */
internal data class Rates(val unchanged: Rate, val named: Rate, val worst: Rate?)

/**
 * Returns what the manifest says of [settings]; null if it doesn't. Between the strengths that were
 * measured it says what the two next to it do.
 */
internal fun Manifest.rates(settings: ReleaseSettings): Rates? {
    val epsilon = measuredEpsilon(settings) ?: return null
    val utility = around(epsilon, "utility", settings.mechanism) ?: return null
    val attack = around(epsilon, "attack", settings.mechanism) ?: return null
    return Rates(
        rate(utility.map { it.number("unchanged") }, utility.map { it.number("unchanged") })
            ?: return null,
        rate(
            attack.map { (it["success"] as? Map<*, *>)?.number("low") },
            // What no attacker exceeds, where what he reaches is an estimate.
            attack.map { (it["success"] as? Map<*, *>)?.number("high") },
        ) ?: return null,
        rate(attack.map { it.number("worst") }, attack.map { it.number("worst") }),
    )
}

/**
 * The strengths to choose from for a mechanism, strongest first: those that were measured, and what
 * the bundle recommends.
 *
 * An epsilon means something only beside the distances of the bundle, and those of two random words
 * are about half of its bits. So without measurements, these are multiples of 5 / (bits / 2).
 */
internal fun Manifest.strengths(mechanism: String): List<Double> {
    val steps = measured("attack").filter { it in EPSILONS }
        .ifEmpty { (1..16).map { Math.round(it * 1000.0 * 10 / bits) / 1000.0 } }
    val recommended = recommended?.takeIf { it.mechanism == mechanism }?.epsilon
    return (steps + listOfNotNull(recommended)).distinct().sorted()
}

/** The strength to begin with, if the bundle recommends none. */
internal fun Manifest.strength(mechanism: String): Double {
    val wanted = DEFAULT_LOSS / (averageDistance ?: (bits / 2.0))
    return strengths(mechanism).minBy { abs(it - wanted) }
}

/** The epsilon whose measurements are those of [settings], or null if there are none. */
private fun Manifest.measuredEpsilon(settings: ReleaseSettings): Double? {
    val own = recommended?.takeIf { it.mechanism == settings.mechanism }
        ?: return settings.epsilon
    // All were measured with the default parameters.
    val defaults = mapOf("radius" to bits / 8.0, "t" to 0.5, "k" to 2.0)
    val isDefault = own.parameters.all { (name, value) ->
        value is Number && value.toDouble() == defaults[name]
    }
    return settings.epsilon.takeIf { isDefault }
}

/** The measurements at [epsilon], or just below and above it. */
private fun Manifest.around(epsilon: Double, block: String, mechanism: String): List<Map<*, *>>? {
    val mechanisms = (fields[block] as? Map<*, *>)?.get("mechanisms") as? Map<*, *>
    val points = measured(block).zip((mechanisms?.get(mechanism) as? List<*>).orEmpty())
        .mapNotNull { (at, point) -> (point as? Map<*, *>)?.let { at to it } }
    val exact = points.filter { it.first == epsilon }
    val near = exact.ifEmpty {
        listOf(
            points.lastOrNull { it.first < epsilon } ?: return null,
            points.firstOrNull { it.first > epsilon } ?: return null,
        )
    }
    return near.map { it.second }
}

/** The epsilons that a block is about, rounded down: what was measured is not less then. */
private fun Manifest.measured(block: String): List<Double> {
    val average = averageDistance?.takeIf { it > 0 } ?: return emptyList()
    return ((fields[block] as? Map<*, *>)?.get("estimated_losses") as? List<*>).orEmpty()
        .map { floor(((it as? Number)?.toDouble() ?: 0.0) / average * DIGITS) / DIGITS }
}

private fun Map<*, *>.number(name: String): Double? = (this[name] as? Number)?.toDouble()

private fun rate(lows: List<Double?>, highs: List<Double?>): Rate? {
    val low = lows.first()?.takeIf { it in 0.0..1.0 } ?: return null
    val high = highs.last()?.takeIf { it in 0.0..1.0 } ?: return null
    return Rate(
        floor(100 * low + ROUNDING).toInt().takeIf { lows.size > 1 },
        ceil(100 * high - ROUNDING).toInt(),
    )
}

private const val DIGITS = 10_000
private const val ROUNDING = 1e-9 // 100 * 0.07 is 7.000000000000001
private const val DEFAULT_LOSS = 20.0 // E, of the epsilon that measurements are made at
private val EPSILONS = 1e-4..22.0
