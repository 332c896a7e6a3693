package org.brrkit

/**
 * Randomized response on every bit of a code.
 *
 * Two implementations return the same bits: [KotlinRandomizer], without dependencies, and [TfLiteRandomizer],
 * which runs the bundle's graph. Safe to share between threads. Proof: `docs/explanation/proofs.md`, "The
 * randomizer".
 */
public interface Randomizer {
    /**
     * Flips, in place, each bit i of [code] for which number i of [random] is below [threshold].
     *
     * @param code bit i is bit i mod 64 of number i div 64.
     * @param random a signed little-endian integer of 32 bits for each bit of the code.
     * @param threshold T - 2^31, where T / 2^32 is the probability of a flip.
     */
    public fun flip(code: LongArray, random: ByteArray, threshold: Int)
}

/** The randomizer in Kotlin. */
public object KotlinRandomizer : Randomizer {
    override fun flip(code: LongArray, random: ByteArray, threshold: Int) {
        var at = 0
        for (i in code.indices) {
            var flips = 0L
            for (bit in 0 until Long.SIZE_BITS) {
                // The sign of the difference is the result of the comparison, so no branch depends on a secret.
                val below = (random.intAt(at).toLong() - threshold) ushr 63
                flips = flips or (below shl bit)
                at += Int.SIZE_BYTES
            }
            code[i] = code[i] xor flips
        }
    }
}
