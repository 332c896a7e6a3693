package org.brrkit.mechanisms

import org.brrkit.MechanismSetting
import org.brrkit.RandomSource
import org.brrkit.Randomizer
import org.brrkit.WordBundle

/** The interface of a mechanism for `Privatizer`: codes go in, ids of words come out. */
internal interface Sampler {
    /** The requested epsilon per bit of Hamming distance. */
    val epsilon: Double

    /** The epsilon of the integers, rounded up; never above [epsilon]. */
    val effectiveEpsilon: Double

    /** The integers that decide its draws: weights, or the flip threshold. */
    val integers: LongArray

    /** The sampler's setting. Two samplers of a bundle with equal settings are the same. */
    val setting: MechanismSetting

    /**
     * Returns the id of the released word for each of [codes], which may be overwritten.
     *
     * @param codes codes of words of one text.
     * @param before id of the previously released word in the text, for [org.brrkit.Base.BIGRAM];
     *   [org.brrkit.Masses.NONE] at its start.
     */
    fun release(codes: List<LongArray>, random: RandomSource, before: Int): IntArray
}

/** The code that creates samplers. */
internal class Ingredients(
    val bundle: WordBundle,
    val epsilon: Double,
    val randomizer: Randomizer,
)
