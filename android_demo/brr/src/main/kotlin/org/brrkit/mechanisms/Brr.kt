package org.brrkit.mechanisms

import org.brrkit.MechanismSetting
import org.brrkit.RandomSource
import org.brrkit.checkFlips
import org.brrkit.eightBytes
import org.brrkit.flipThreshold
import org.brrkit.thresholdEpsilon

/**
 * BRR: randomized response on the code, then the nearest word (BRR, Algorithm 3).
 *
 * Proof: `docs/explanation/proofs.md`, "brr".
 */
internal class Brr(ingredients: Ingredients) : Sampler {
    private val threshold =
        flipThreshold(ingredients.epsilon).also { checkFlips(it, ingredients.epsilon) }
    private val randomizer = ingredients.randomizer
    private val bits = ingredients.bundle.bits
    private val index = ingredients.bundle.index

    override val epsilon = ingredients.epsilon
    override val effectiveEpsilon = thresholdEpsilon(threshold)
    override val integers = longArrayOf(threshold)
    override val setting = MechanismSetting("brr", eightBytes(threshold))

    override fun release(codes: List<LongArray>, random: RandomSource, before: Int): IntArray {
        noise(codes, random)
        return IntArray(codes.size) { index.nearest(codes[it], 1)[0].toInt() }
    }

    /** Noises [codes] in place; 4 * bits random bytes for each. */
    fun noise(codes: List<LongArray>, random: RandomSource) {
        val numbers = ByteArray(bits * Int.SIZE_BYTES)
        for (code in codes) {
            random.fill(numbers)
            randomizer.flip(code, numbers, (threshold + Int.MIN_VALUE).toInt())
        }
    }
}
