package org.brrkit.mechanisms

import org.brrkit.MOST_CANDIDATES
import org.brrkit.MechanismSetting
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.brrkit.decay
import org.brrkit.eightBytes
import org.brrkit.toRational
import org.brrkit.uniformBelow

private const val ONE = 1L shl 32

/**
 * Vickrey over Hamming distance: randomized response, then one of the nearest words at random.
 *
 * A number t chooses between the two nearest: the nearest with probability (1 - t) d2 / (t d1 + (1 - t) d2). A
 * list t_1 ... t_k chooses among k: the r-th with probability proportional to exp(-t_r d_r). Unlike in the
 * paper's algorithms, the input word is a candidate like any other. Without it, the guarantee would fail. Proof:
 * `docs/explanation/proofs.md`, "vickrey".
 */
internal class Vickrey(
    ingredients: Ingredients,
    private val values: List<Double>,
    private val several: Boolean,
) : Sampler {
    private val brr = Brr(ingredients)
    private val index = ingredients.bundle.index

    init {
        if (values.size > MOST_CANDIDATES) {
            throw ParameterException("t has ${values.size} numbers; give at most $MOST_CANDIDATES")
        }
        val inRange = values.all { it >= 0 && it < Double.POSITIVE_INFINITY }
        if (values.isEmpty() || !inRange || (!several && values[0] > 1)) {
            throw ParameterException(
                "t must be a number from 0 to 1, or a list of k numbers >= 0, not $values",
            )
        }
        if (candidates > ingredients.bundle.size) {
            throw ParameterException(
                "k = $candidates is larger than the vocabulary of ${ingredients.bundle.size} words",
            )
        }
    }

    private val candidates: Int
        get() = if (several) values.size else 2

    private val rates = if (several) values.map(Double::toRational) else emptyList()

    /** The number t in units of 2^-32: exact in every language. */
    private val second = if (several) 0 else Math.rint(values[0] * ONE).toLong()

    override val epsilon = brr.epsilon
    override val effectiveEpsilon = brr.effectiveEpsilon
    override val integers = brr.integers
    override val setting = MechanismSetting(
        "vickrey",
        brr.setting.numbers + if (several) {
            values.fold(byteArrayOf(1)) { bytes, t -> bytes + eightBytes(t.toRawBits()) }
        } else {
            byteArrayOf(0) + eightBytes(second)
        },
    )

    override fun release(codes: List<LongArray>, random: RandomSource, before: Int): IntArray {
        brr.noise(codes, random)
        return IntArray(codes.size) {
            val nearest = index.nearest(codes[it], candidates)
            nearest[choose(nearest, random)].toInt()
        }
    }

    private fun choose(nearest: LongArray, random: RandomSource): Int {
        val weights = weights(IntArray(nearest.size) { (nearest[it] ushr 32).toInt() })
        var number = uniformBelow(weights.sum(), random)
        var rank = 0
        while (number >= weights[rank]) number -= weights[rank++]
        return rank
    }

    private fun weights(distances: IntArray): LongArray {
        if (!several) {
            val first = (ONE - second) * distances[1]
            val other = second * distances[0]
            // It is 0 : 0 only if the nearest code is the noised one. With t = 1, the second word is chosen even
            // then.
            return if (first + other == 0L) {
                longArrayOf(ONE - second, second)
            } else {
                longArrayOf(first, other)
            }
        }
        val exponents = rates.mapIndexed { rank, rate -> rate * distances[rank] }
        val least = exponents.reduce { a, b -> if (b < a) b else a }
        return LongArray(exponents.size) { decay(exponents[it] - least) }
    }
}
