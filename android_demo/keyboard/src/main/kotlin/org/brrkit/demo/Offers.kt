package org.brrkit.demo

import kotlin.math.ceil
import kotlin.math.roundToInt
import org.brrkit.Estimate
import org.brrkit.Measured
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength

/**
 * A strength to choose, with its measured results, if there are any.
 *
 * The results are for single draws. With a memory, they also hold for words that are typed several times in a
 * period: the attack success is at most that of the first draw (`docs/explanation/proofs.md`).
 */
internal data class Offer(val strength: Strength, val epsilon: Double, val measured: Measured?) {

    /**
     * Whether an attacker recovers more words than with [other]. Without measurements, or if these have different
     * attackers, epsilon decides.
     */
    fun isWeakerThan(other: Offer): Boolean =
        if (measured == null || other.measured == null || measured.of != other.measured.of) {
            epsilon > other.epsilon
        } else {
            measured.attackSuccess.high > other.measured.attackSuccess.high
        }

    private val Measured.of get() = attacker to over
}

/** The mechanisms to choose from. */
internal val MECHANISMS: List<String> = listOf("brr", "vickrey", "exponential")

/** The setting that the bundle recommends, if this version can run it. */
internal val WordBundle.own: Setting?
    get() = recommended?.takeIf { it.mechanism.name in MECHANISMS }

/** The mechanism that releases words. */
internal fun WordBundle.mechanism(strength: Strength): String = when (strength) {
    is Strength.Chosen -> strength.mechanism
    Strength.Recommended -> own?.mechanism?.name ?: DEFAULT_MECHANISM
}

/**
 * The strengths to choose from for a mechanism, strongest first: those that were measured when the bundle was
 * built, and the recommended one.
 *
 * The effect of an epsilon depends on the bundle's distances, and two random words differ in about half of the
 * bits. Without measurements, the strengths are therefore multiples of 5 / (bits / 2).
 */
internal fun WordBundle.offers(mechanism: String): List<Offer> {
    val measured = strengths(mechanism)
        .map { Offer(Strength.Chosen(mechanism, it.epsilon), it.epsilon, it.measured) }
    val steps = measured.ifEmpty {
        (1..16).map { Math.round(it * 1000.0 * 10 / bits) / 1000.0 }
            .map { Offer(Strength.Chosen(mechanism, it), it, null) }
    }
    val own = own?.takeIf { it.mechanism.name == mechanism } ?: return steps
    return steps.with(Offer(Strength.Recommended, own.epsilon, own.measured))
}

/** The strengths of a mechanism that the app's limit in [settings] allows; perhaps none. */
internal fun WordBundle.offers(mechanism: String, settings: ReleaseSettings): List<Offer> =
    offers(mechanism).filter { settings.allows(it.strength, this) }

/** The strengths to choose from, including that of [settings]. */
internal fun WordBundle.offers(settings: ReleaseSettings): List<Offer> {
    val strength = settings.strength
    val offers = offers(mechanism(strength), settings)
    return if (offers.any { it.strength == strength }) offers else offers.with(offer(strength))
}

/** The measured results of a strength; none for an earlier bundle's strength. */
internal fun WordBundle.offer(strength: Strength): Offer =
    offers(mechanism(strength)).firstOrNull { it.strength == strength }
        ?: Offer(strength, (strength as Strength.Chosen).epsilon, null)

/**
 * The strength of a [mechanism] that is nearest to [settings] and not weaker; otherwise the strongest. Null if
 * the app allows none of this mechanism.
 */
internal fun WordBundle.strength(mechanism: String, settings: ReleaseSettings): Strength? {
    val current = offer(settings.strength)
    val offers = offers(mechanism, settings)
    return (offers.lastOrNull { !it.isWeakerThan(current) } ?: offers.firstOrNull())?.strength
}

/**
 * The default strength: the recommended one, if there is one and the app allows it. If the app allows no
 * strength, a strength that releases nothing.
 */
internal fun WordBundle.strength(mostAttackSuccess: Double? = null): Strength {
    val limit =
        ReleaseSettings(Strength.Recommended, 1.0, mostAttackSuccess = mostAttackSuccess)
    if (own != null && limit.allows(Strength.Recommended, this)) return Strength.Recommended
    val epsilon = DEFAULT_LOSS / (averageDistance ?: (bits / 2.0))
    val offers = (listOf(DEFAULT_MECHANISM) + MECHANISMS).map { offers(it, limit) }
        .firstOrNull { it.isNotEmpty() } ?: offers(DEFAULT_MECHANISM)
    return (offers.lastOrNull { it.epsilon <= epsilon } ?: offers.first()).strength
}

/** Rounded percentage. */
internal val Estimate.about: Int
    get() = (100 * value).roundToInt()

/** Percentage, rounded up. */
internal val Estimate.most: Int
    get() = ceil(100 * high - ROUNDING).toInt()

private fun List<Offer>.with(offer: Offer): List<Offer> =
    takeWhile { !it.isWeakerThan(offer) }.let { it + offer + drop(it.size) }

private const val DEFAULT_MECHANISM = "exponential"
private const val DEFAULT_LOSS = 20.0 // E, of the epsilon that measurements are made at
internal const val ROUNDING = 1e-9 // 100 * 0.07 is 7.000000000000001
