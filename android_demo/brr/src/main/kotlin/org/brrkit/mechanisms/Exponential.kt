package org.brrkit.mechanisms

import java.security.MessageDigest
import org.brrkit.MechanismSetting
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.brrkit.checkEpsilon
import org.brrkit.eightBytes
import org.brrkit.uniformBelow
import org.brrkit.weightTable
import org.brrkit.weightsEpsilon

private const val SHARE = 8 // the default radius is the number of bits divided by this

/**
 * The exponential mechanism on Hamming distance, exact in integers: Pr[y | w] is proportional to
 * W[d(w, y)], which falls gently up to a radius. Draws a distance, then a word at that distance; no
 * noised code.
 *
 * Proof: `docs/privacy.md`, "exponential".
 */
internal class Exponential(ingredients: Ingredients, radius: Int?) : Sampler {
    override val epsilon = checkEpsilon(ingredients.epsilon)

    private val index = ingredients.bundle.index
    private val weights = weightTable(
        epsilon,
        ingredients.bundle.bits,
        ingredients.bundle.size,
        checked(radius, ingredients.bundle.bits),
    )

    override val effectiveEpsilon = weightsEpsilon(weights)
    override val setting = MechanismSetting(
        "exponential",
        MessageDigest.getInstance("SHA-256").run {
            weights.forEach { update(eightBytes(it)) }
            digest()
        },
    )

    override fun release(codes: List<LongArray>, random: RandomSource): IntArray =
        IntArray(codes.size) { release(codes[it], random) }

    private fun release(code: LongArray, random: RandomSource): Int {
        val counts = index.histogram(code)
        // Below 2^63 by the choice of W[0].
        var number = uniformBelow(counts.indices.sumOf { counts[it] * weights[it] }, random)
        var distance = 0
        while (number >= counts[distance] * weights[distance]) {
            number -= counts[distance] * weights[distance]
            distance++
        }
        val position = uniformBelow(counts[distance].toLong(), random)
        return index.idAt(code, distance, position.toInt())
    }
}

/** Returns the [radius] that is given, or the default. */
private fun checked(radius: Int?, bits: Int): Int {
    if (radius != null && radius !in 0..bits) {
        throw ParameterException("radius must be an integer from 0 to $bits (bits), not $radius")
    }
    return radius ?: (bits / SHARE)
}
