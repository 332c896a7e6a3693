package org.brrkit.mechanisms

import java.security.MessageDigest
import org.brrkit.Base
import org.brrkit.HammingIndex
import org.brrkit.Masses
import org.brrkit.MechanismSetting
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.brrkit.checkCap
import org.brrkit.checkEpsilon
import org.brrkit.checkWeights
import org.brrkit.eightBytes
import org.brrkit.uniformBelow
import org.brrkit.weightTable
import org.brrkit.weightsEpsilon

private const val DEFAULT_RADIUS_DIVISOR = 8 // share of the number of bits

/**
 * The exponential mechanism on Hamming distance, exact in integers: Pr[y | w] is proportional to m(y) W[d(w, y)],
 * with integer weights W that fall slowly up to a radius, and a base measure m of positive integers, which can
 * depend on the previously released word. In the distance d, each task bit has the task weight. It draws a
 * distance, then a word at this distance, without a noised code.
 *
 * Proof: `docs/explanation/proofs.md`, "exponential".
 */
internal class Exponential(
    ingredients: Ingredients,
    radius: Int?,
    base: Base?,
    val cap: Double?,
    taskWeight: Int?,
) : Sampler {
    override val epsilon = checkEpsilon(ingredients.epsilon)

    /** The task weight in force, given or the default. */
    val taskWeight: Int = taskWeight ?: 1

    private val index = index(ingredients.bundle, taskWeight)
    private val masses = ingredients.bundle.masses

    /** The base measure in force, given or the default. */
    val base: Base = checked(base, masses)

    override val integers = weightTable(
        epsilon,
        index.largest,
        masses.most(this.base),
        checked(radius, ingredients.bundle.wordBits),
        cap?.let(::checkCap),
    )

    init {
        val most = masses.most(this.base).toBigInteger()
        checkWeights(integers, epsilon, index.largest, most, cap)
    }

    override val effectiveEpsilon = weightsEpsilon(integers)
    override val setting = MechanismSetting(
        "exponential",
        MessageDigest.getInstance("SHA-256").run {
            integers.forEach { update(eightBytes(it)) }
            digest() + (if (this@Exponential.base == Base.UNIFORM) 0 else 1).toByte()
        },
    )

    override fun release(codes: List<LongArray>, random: RandomSource, before: Int): IntArray {
        var last = before
        return IntArray(codes.size) { place ->
            release(codes[place], random, last).also { last = it }
        }
    }

    private fun release(code: LongArray, random: RandomSource, before: Int): Int {
        val measure = masses.measure(base, before)
        val sums = index.sums(code, measure)
        // Below 2^63 by the choice of W[0].
        var number = uniformBelow(integers.indices.sumOf { sums[it] * integers[it] }, random)
        var distance = 0
        while (number >= sums[distance] * integers[distance]) {
            number -= sums[distance] * integers[distance]
            distance++
        }
        return index.idAt(code, distance, uniformBelow(sums[distance], random), measure, sums)
    }
}

/** Returns the [bundle]'s index, in which a differing task bit counts [taskWeight] times. */
private fun index(bundle: WordBundle, taskWeight: Int?): HammingIndex {
    if (taskWeight != null && bundle.taskBits == 0) {
        throw ParameterException(
            "parameter task_weight needs task bits, and the bundle has none; build it with tasks",
        )
    }
    return if (taskWeight == null || taskWeight == 1) bundle.index
    else HammingIndex(bundle.codes, bundle.taskBits, taskWeight)
}

/** Returns the given [radius], or the default. */
private fun checked(radius: Int?, bits: Int): Int {
    if (radius != null && radius !in 0..bits) {
        throw ParameterException("radius must be an integer from 0 to $bits (bits), not $radius")
    }
    return radius ?: (bits / DEFAULT_RADIUS_DIVISOR)
}

/** Returns the given [base], or the last one in the [bundle]. */
private fun checked(base: Base?, masses: Masses): Base {
    if (base == Base.BIGRAM && masses.bigrams == 0) {
        throw ParameterException(
            "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the " +
                "bundle with --text",
        )
    }
    return base ?: if (masses.bigrams > 0) Base.BIGRAM else Base.UNIGRAM
}
