package org.brrkit.mechanisms

import org.brrkit.MechanismSetting
import org.brrkit.RandomSource
import org.brrkit.Randomizer
import org.brrkit.WordBundle

/** What `Privatizer` needs of a mechanism: codes go in, the ids of words come out. */
internal interface Sampler {
    /** As requested, per bit of Hamming distance. */
    val epsilon: Double

    /** What the integers really give, rounded up; never more than [epsilon]. */
    val effectiveEpsilon: Double

    /** That decide its draws: weights, or the flip threshold. */
    val integers: LongArray

    /** Two samplers of a bundle with one setting are the same. */
    val setting: MechanismSetting

    /**
     * Returns the id of the released word for each of [codes], which may be overwritten.
     *
     * @param codes of the words of one text.
     * @param before what was released before them in it, which [org.brrkit.Base.BIGRAM] takes into
     *   account; [org.brrkit.Masses.NONE] at its start.
     */
    fun release(codes: List<LongArray>, random: RandomSource, before: Int): IntArray
}

/** What samplers are made from. */
internal class Ingredients(
    val bundle: WordBundle,
    val epsilon: Double,
    val randomizer: Randomizer,
)
