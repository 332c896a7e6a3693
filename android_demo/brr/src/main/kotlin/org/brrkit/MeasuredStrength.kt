package org.brrkit

import kotlin.math.floor
import kotlin.math.sqrt

/**
 * A strength that was measured when the bundle was built.
 *
 * @property epsilon epsilon of a mechanism with its default parameters, per bit of Hamming distance.
 * @property measured the measured results.
 */
public class MeasuredStrength internal constructor(
    public val epsilon: Double,
    public val measured: Measured,
)

/**
 * Reads the fields `attack` and `utility` for a [mechanism]; strongest first. Results for E apply to E /
 * [average], rounded down to four decimals.
 */
internal fun readStrengths(
    fields: Map<String, Any?>,
    average: Double,
    mechanism: String,
): List<MeasuredStrength> {
    val attack = fields["attack"] as? Map<*, *> ?: return emptyList()
    val utility = fields["utility"] as? Map<*, *> ?: return emptyList()
    val attacker = attack["attacker"] as? String ?: return emptyList()
    val words = utility.number("words")?.takeIf { it >= 1 } ?: return emptyList()
    val shares = points(utility, mechanism).toMap()
    return points(attack, mechanism).mapNotNull { (loss, point) ->
        val success = point["success"] as? Map<*, *> ?: return@mapNotNull null
        val worst = point.share("worst")
        if (worst == null && point["worst"] != null) return@mapNotNull null
        val epsilon = floor(loss / average * DECIMALS) / DECIMALS
        if (epsilon !in EPSILON_MIN..EPSILON_MAX) return@mapNotNull null
        val measured = Measured(
            attacker,
            "all",
            null,
            shares[loss]?.share("unchanged")?.let { counted(it, words) } ?: return@mapNotNull null,
            Estimate(
                success.share("value") ?: return@mapNotNull null,
                success.share("low") ?: return@mapNotNull null,
                success.share("high") ?: return@mapNotNull null,
            ),
            worst?.let { Estimate(it, it, it) },
        )
        MeasuredStrength(epsilon, measured)
    }.sortedBy { it.epsilon }
}

/** Returns a block's entries for a mechanism, by the loss E. */
private fun points(block: Map<*, *>, mechanism: String): List<Pair<Double, Map<*, *>>> {
    val losses = block["estimated_losses"] as? List<*> ?: return emptyList()
    val points = (block["mechanisms"] as? Map<*, *>)?.get(mechanism) as? List<*>
    return losses.zip(points.orEmpty()).mapNotNull { (loss, point) ->
        if (loss is Number && point is Map<*, *>) loss.toDouble() to point else null
    }
}

/** A share of [words] words, with Wilson's interval. */
private fun counted(share: Double, words: Double): Estimate {
    val spread = DEVIATIONS_OF_95_PERCENT * DEVIATIONS_OF_95_PERCENT / words
    val center = share + spread / 2
    val half = DEVIATIONS_OF_95_PERCENT * sqrt(share * (1 - share) / words + spread / words / 4)
    fun bound(value: Double) = (value / (1 + spread)).coerceIn(0.0, 1.0)
    return Estimate(share, bound(center - half), bound(center + half))
}

private fun Map<*, *>.number(name: String): Double? = (this[name] as? Number)?.toDouble()

private fun Map<*, *>.share(name: String): Double? = number(name)?.takeIf { it in 0.0..1.0 }

private const val DECIMALS = 10_000
private const val DEVIATIONS_OF_95_PERCENT = 1.959963984540054
