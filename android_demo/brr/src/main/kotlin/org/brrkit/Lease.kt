package org.brrkit

import java.math.BigInteger

/*
 * Storing takes milliseconds, a word microseconds. So a budget stores more than one release costs: a
 * lease. The rule is in spec/state-files.md, and the proof that no more is released than is
 * stored in docs/explanation/proofs.md, "Budget".
 */

private val LEASE_DIVISOR = 8.toBigInteger() // a lease is at most an eighth of what is left

/**
 * What a budget has stored as spent and may still release, in one period and one unit.
 *
 * Whoever has it holds a lock: it is for one thread at a time, and never for two processes.
 *
 * @property unit the unit of epsilon.
 * @property period where its counting stood when this was stored.
 * @property stored billionths of epsilon that are on disk as spent, and aren't released yet.
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

    /** Returns whether a release of [cost] in [unit] needs nothing more on disk. */
    fun allows(cost: BigInteger, unit: String, now: Instant, length: Long): Boolean =
        cost <= stored && unit == this.unit && period.isOf(now) && period.at(now).elapsed < length

    /** Counts a release before it happens. */
    fun release(cost: BigInteger) {
        stored -= cost
        released += cost
    }

    /**
     * Returns what is stored beyond the cost of a release.
     *
     * It is at most what was released, so half of what is spent is lost at worst; at most an eighth
     * of what is left, so other processes go on; and whole words.
     *
     * @param left what remains of the limit when the release is paid.
     * @param each the cost of a word.
     */
    fun extra(left: BigInteger, each: BigInteger): BigInteger {
        val extra = released.min(left / LEASE_DIVISOR)
        return if (each.signum() > 0) extra - extra % each else BigInteger.ZERO
    }
}
