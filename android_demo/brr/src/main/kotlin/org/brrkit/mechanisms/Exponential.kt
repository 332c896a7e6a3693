package org.brrkit.mechanisms

import java.security.MessageDigest
import org.brrkit.MechanismSetting
import org.brrkit.RandomSource
import org.brrkit.eightBytes
import org.brrkit.uniformBelow
import org.brrkit.weightTable
import org.brrkit.weightsEpsilon

/**
 * The exponential mechanism on Hamming distance, exact in integers: Pr[y | w] is proportional to
 * W[d(w, y)]. Draws a distance, then a word at that distance; no noised code.
 */
internal class Exponential(ingredients: Ingredients) : Mechanism {
    private val index = ingredients.bundle.index
    private val weights =
        weightTable(ingredients.epsilon, ingredients.bundle.bits, ingredients.bundle.size)

    override val epsilon = ingredients.epsilon
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
