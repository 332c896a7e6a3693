package org.brrkit

import java.math.BigDecimal
import java.math.BigInteger
import kotlin.math.ln1p
import kotlin.math.nextDown
import kotlin.math.nextUp

/*
 * Probabilities as integers. They decide random outcomes, and are computed without floating point.
 *
 * `exp` differs by an ulp between platforms, and one ulp too much would reveal more than promised. Here, two big
 * integers enclose e^x.
 */

/** Below about 9.3e-10, a 32-bit flip probability equals one half. */
internal const val EPSILON_MIN: Double = 1e-9

/** Above ln(2^32 - 1) = 22.1807..., a probability below 2^-32 would be needed. */
internal const val EPSILON_MAX: Double = 22.18

/** Returns [epsilon] if it is in [[EPSILON_MIN], [EPSILON_MAX]]. */
internal fun checkEpsilon(epsilon: Double): Double {
    if (epsilon !in EPSILON_MIN..EPSILON_MAX) { // nor is NaN
        throw ParameterException(
            "epsilon must be a number from 1e-09 to 22.18 (per bit of Hamming distance), " +
                "not $epsilon",
        )
    }
    return epsilon
}

/** With a smaller cap, a mechanism reveals next to nothing. */
internal const val CAP_MIN: Double = 1e-9

/** W[0] is below 2^63, and e^(88 / 2) is above, so larger caps have no effect. */
internal const val CAP_MAX: Double = 88.0

/** Returns [cap] if it is in [[CAP_MIN], [CAP_MAX]]. */
internal fun checkCap(cap: Double): Double {
    if (cap !in CAP_MIN..CAP_MAX) { // nor is NaN
        throw ParameterException("cap must be a number from 1e-09 to 88, not $cap")
    }
    return cap
}

/** A fraction with a positive denominator. */
internal class Rational(val numerator: BigInteger, val denominator: BigInteger) {
    operator fun times(factor: Int) = Rational(numerator * factor.toBigInteger(), denominator)

    operator fun div(divisor: Int) = Rational(numerator, denominator * divisor.toBigInteger())

    operator fun minus(other: Rational) = Rational(
        numerator * other.denominator - other.numerator * denominator,
        denominator * other.denominator,
    )

    operator fun compareTo(other: Rational): Int =
        (numerator * other.denominator).compareTo(other.numerator * denominator)

    operator fun compareTo(other: Int): Int =
        numerator.compareTo(denominator * other.toBigInteger())
}

/** Returns the rational value of a finite double. */
internal fun Double.toRational(): Rational {
    val exact = BigDecimal(this)
    val scale = BigInteger.TEN.pow(maxOf(exact.scale(), 0))
    return Rational((exact * BigDecimal(scale)).toBigIntegerExact(), scale)
}

private fun ceilDiv(dividend: BigInteger, divisor: BigInteger): BigInteger =
    (dividend + divisor - BigInteger.ONE) / divisor // for nonnegative numbers

/** Returns integers (low, high) with low <= e^x * 2^precision <= high, for x >= 0. */
internal fun expBounds(x: Rational, precision: Int): Pair<BigInteger, BigInteger> {
    // Taylor series of x / 2^k < 2^-8, then k squarings; `low` always rounds down, and `high` up.
    val one = BigInteger.ONE shl precision
    val halvings = (x.numerator / x.denominator).bitLength() + 8
    val numerator = x.numerator shl precision
    val denominator = x.denominator shl halvings
    val reducedLow = numerator / denominator
    val reducedHigh = ceilDiv(numerator, denominator)

    var low = one
    var term = one
    var index = 1L
    while (term.signum() > 0) {
        term = (term * reducedLow shr precision) / index.toBigInteger()
        low += term
        index++
    }

    var high = one
    term = one
    index = 1L
    while (term > BigInteger.ONE) {
        term = ceilDiv(term * reducedHigh, one * index.toBigInteger())
        high += term
        index++
    }
    high += BigInteger.ONE // the omitted terms: together less than the last term, which was at most 1

    repeat(halvings) {
        low = low * low shr precision
        high = ceilDiv(high * high, one)
    }
    return low to high
}

/**
 * Returns the value of `evaluate(e^x * 2^precision, precision)` for exact e^x.
 *
 * [evaluate] is monotonic and never jumps exactly at e^x, which is transcendental for x > 0. With enough bits,
 * both ends of the enclosure therefore agree.
 */
private fun <T> settle(x: Rational, evaluate: (BigInteger, Int) -> T): T {
    var precision = 64
    while (true) {
        val (low, high) = expBounds(x, precision)
        val result = evaluate(low, precision)
        if (result == evaluate(high, precision)) return result
        precision *= 2
    }
}

/**
 * Returns T = ceil(2^32 / (1 + e^[epsilon])): flip when a uniform 32-bit number is below T.
 *
 * The double [epsilon] is taken as an exact rational number. Proof: `docs/explanation/proofs.md`, "The
 * randomizer".
 */
internal fun flipThreshold(epsilon: Double): Long =
    settle(checkEpsilon(epsilon).toRational()) { e, precision ->
        ceilDiv(BigInteger.ONE shl 32 + precision, (BigInteger.ONE shl precision) + e)
    }.toLong()

/**
 * Returns K = floor(2^63 (e^cap - 1) / (e^cap - 1 + k)) for k [symbols]: a symbol stays when a uniform
 * 63-bit number is below K, and is any of the k otherwise.
 *
 * The double [cap] is taken as an exact rational number. Proof that no two symbols have a larger loss:
 * `docs/explanation/proofs.md`, "Counts".
 */
internal fun keepThreshold(cap: Double, symbols: Int): Long =
    settle(checkCap(cap).toRational()) { e, precision ->
        val gain = e - (BigInteger.ONE shl precision)
        (gain shl KEEP_BITS) / (gain + (symbols.toBigInteger() shl precision))
    }.toLong()

/**
 * Returns ln(1 + k K / (2^63 - K)), the loss between any two of k [symbols] with a keep threshold K, rounded up.
 */
internal fun keepLoss(threshold: Long, symbols: Int): Double {
    val drawn = (BigInteger.ONE shl KEEP_BITS) - threshold.toBigInteger()
    return logUp(drawn + symbols.toBigInteger() * threshold.toBigInteger(), drawn)
}

private const val KEEP_BITS = 63

/** Returns ln((2^32 - T) / T), the epsilon per bit of a flip threshold T, rounded up. */
internal fun thresholdEpsilon(threshold: Long): Double =
    logUp(((1L shl 32) - threshold).toBigInteger(), threshold.toBigInteger())

/**
 * Returns 2 ln(max W[d] / W[d+1]), the epsilon of a weight table, rounded up.
 *
 * The exponential mechanism loses half of it by the weight and half by the normalizer. Proof:
 * `docs/explanation/proofs.md`, "exponential".
 */
internal fun weightsEpsilon(weights: LongArray): Double {
    fun product(a: Long, b: Long) = a.toBigInteger() * b.toBigInteger()
    var steepest = 1
    for (d in 2 until weights.size) {
        val one = product(weights[d - 1], weights[steepest])
        if (one > product(weights[steepest - 1], weights[d])) steepest = d
    }
    return 2 * logUp(weights[steepest - 1].toBigInteger(), weights[steepest].toBigInteger())
}

/** Returns the smallest double that is at least ln(numerator / denominator), which is >= 0. */
private fun logUp(numerator: BigInteger, denominator: BigInteger): Double {
    fun reaches(x: Double) =
        settle(x.toRational()) { e, precision -> e * denominator >= numerator shl precision }
    // Off by some ulps.
    var value = ln1p((numerator - denominator).toDouble() / denominator.toDouble())
    while (!reaches(value)) value = value.nextUp()
    while (value > 0 && reaches(value.nextDown())) value = value.nextDown()
    return value
}

/** Returns floor(2^32 * e^-x) for x >= 0. */
internal fun decay(x: Rational): Long = when {
    x.numerator.signum() == 0 -> 1L shl 32
    x >= 23 -> 0 // 2^32 < e^22.2
    else -> settle(x) { e, precision -> (BigInteger.ONE shl 32 + precision) / e }.toLong()
}

/** The factor by which weights fall more slowly within the radius: docs/explanation/mechanisms.md. */
private const val GENTLER_WITHIN_RADIUS = 8

/**
 * Returns the weights W[0..largest] of the exponential mechanism.
 *
 * W[0] = floor((2^63 - 1) / M), so that any total over the vocabulary fits a Long;
 * W[d+1] = ceil(W[d] * 2^64 / G), but at least F, with G = floor(2^64 * e^(epsilon / 2)), and with
 * G = floor(2^64 * e^(epsilon / 16)) for d < [radius]. F = ceil(W[0] * 2^64 / floor(2^64 *
 * e^(cap / 2))), or 0 without a cap. Proof: `docs/explanation/proofs.md`, "exponential".
 *
 * @param epsilon per bit of Hamming distance, taken as an exact rational number.
 * @param largest largest distance between two codes.
 * @param most M, the upper bound on the sum of the base measure over the vocabulary.
 * @param cap largest loss between any two words, also taken as an exact rational number; null for none.
 */
internal fun weightTable(
    epsilon: Double,
    largest: Int,
    most: Long,
    radius: Int,
    cap: Double? = null,
): LongArray {
    val half = checkEpsilon(epsilon).toRational() / 2
    val within = growth(half / GENTLER_WITHIN_RADIUS)
    val beyond = growth(half)
    val weights = LongArray(largest + 1)
    weights[0] = Long.MAX_VALUE / most
    val least = if (cap == null) 0 else fallen(weights[0], growth(checkCap(cap).toRational() / 2))
    for (distance in 0 until largest) {
        val next = fallen(weights[distance], if (distance < radius) within else beyond)
        weights[distance + 1] = maxOf(next, least)
    }
    return weights
}

/** Returns floor(2^64 * e^x) for x > 0. */
private fun growth(x: Rational): BigInteger = settle(x) { e, precision -> e shr precision - 64 }

/** Returns ceil(weight * 2^64 / growth). */
private fun fallen(weight: Long, growth: BigInteger): Long =
    ceilDiv(weight.toBigInteger() shl 64, growth).toLong()
