package org.brrkit

import java.math.BigInteger

/*
 * Storing takes milliseconds, a release microseconds. A budget therefore stores more than the cost of one
 * release: a lease. The rule is in spec/state-files.md, and the proof that releases never exceed the stored cost
 * is in docs/explanation/proofs.md, "Budget".
 */

private val LEASE_DIVISOR = 8.toBigInteger() // a lease is at most an eighth of the rest

/**
 * The epsilon that a budget has stored as spent and may still release, in one period and one unit.
 *
 * Use it under a lock: by one thread at a time, and never by two processes.
 *
 * @property unit the unit of epsilon.
 * @property period the period, as of the storing.
 * @property stored billionths of epsilon that are stored as spent, and aren't released yet.
 * @property released billionths that were released with this object since the period began.
 */
internal class Lease(
    val unit: String,
    val period: Period,
    stored: BigInteger = BigInteger.ZERO,
    released: BigInteger = BigInteger.ZERO,
) {
    var stored: BigInteger = stored
        private set
    var released: BigInteger = released
        private set

    /** Returns whether a release of [cost] in [unit] needs no further storing. */
    fun allows(cost: BigInteger, unit: String, now: Instant, length: Long): Boolean =
        cost <= stored && unit == this.unit && period.isOf(now) && period.at(now).elapsed < length

    /** Counts a release before it happens. */
    fun release(cost: BigInteger) {
        stored -= cost
        released += cost
    }

    /**
     * Returns the amount to store in addition to the cost of a release.
     *
     * It is at most the amount released so far, so at worst half of the spent epsilon is lost. It is at most an
     * eighth of the rest, so other processes can continue. It is a multiple of a word's cost.
     *
     * @param left rest of the limit after the release is paid.
     * @param each cost of a word.
     */
    fun extra(left: BigInteger, each: BigInteger): BigInteger {
        val extra = released.min(left / LEASE_DIVISOR)
        return if (each.signum() > 0) extra - extra % each else BigInteger.ZERO
    }
}
