package org.brrkit

import java.math.BigInteger

/*
 * The proofs' conditions on the integers that decide a draw, checked after their computation.
 *
 * For any setting in range, Exact.kt computes integers that meet them; a faulty device might not. The checks are
 * those of the machine-checked proofs (`proofs/theories/Checker.v`), with e^x rounded down to 256 bits.
 */

private const val BITS = 256
private const val FLIP_ONE = 1L shl 32
private val KEEP_ONE = BigInteger.ONE shl 63

/**
 * Checks a table of `exponential`: positive and falling [weights], one for each distance.
 *
 * @param largest largest distance between two codes.
 * @param most upper bound on the sum of the base measure over the vocabulary.
 * @throws ParameterException the first weight isn't the quotient of 2^63 - 1 and [most], a step loses more than
 *   epsilon / 2, or the last weight is below e^(-cap / 2) times the first.
 */
internal fun checkWeights(
    weights: LongArray,
    epsilon: Double,
    largest: Int,
    most: BigInteger,
    cap: Double?,
) {
    val exact = weights.map(Long::toBigInteger)
    val step = power(epsilon, 2)
    check(
        weights.size == largest + 1 &&
            exact[0] == (KEEP_ONE - BigInteger.ONE) / most &&
            weights[largest] > 0 &&
            (1..largest).all {
                weights[it] <= weights[it - 1] && isAtMost(exact[it - 1], exact[it], step)
            } &&
            (cap == null || isAtMost(exact[0], exact[largest], power(cap, 2))),
    )
}

/**
 * Checks a flip [threshold].
 *
 * @throws ParameterException it is above one half, or the loss of a bit exceeds epsilon.
 */
internal fun checkFlips(threshold: Long, epsilon: Double) {
    val kept = FLIP_ONE - threshold
    check(
        threshold <= kept &&
            isAtMost(kept.toBigInteger(), threshold.toBigInteger(), power(epsilon)),
    )
}

/**
 * Checks a keep [threshold].
 *
 * @throws ParameterException the loss between two of the [symbols] exceeds the cap.
 */
internal fun checkKeep(threshold: BigInteger, cap: Double, symbols: Int) {
    val drawn = KEEP_ONE - threshold
    check(isAtMost(drawn + symbols.toBigInteger() * threshold, drawn, power(cap)))
}

/** Returns e^(exponent / divisor), rounded down, in units of 2^-256. */
private fun power(exponent: Double, divisor: Int = 1): BigInteger =
    expBounds(exponent.toRational() / divisor, BITS).first

/** Tells whether a ratio is at most a power. */
private fun isAtMost(numerator: BigInteger, denominator: BigInteger, power: BigInteger): Boolean =
    numerator shl BITS <= denominator * power

private fun check(holds: Boolean) {
    if (!holds) {
        throw ParameterException(
            "the integers computed for this setting fail the premises of the proofs; this device or " +
                "this version of brrkit is faulty: try others, and report it",
        )
    }
}
