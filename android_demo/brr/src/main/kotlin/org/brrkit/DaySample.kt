package org.brrkit

/**
 * What a device reports of a day: a uniform sample of the outputs for its words.
 *
 * Each word is released when it is typed, and takes the place of an earlier one or is dropped
 * (reservoir sampling: Vitter 1985, algorithm R). So nothing typed is held, and what leaves is as if
 * the words had been chosen first. Immutable.
 *
 * @property most how many words leave, at most, from 1 to 1,000: the bundle's
 *   [CountsSetting.wordsADay], say.
 * @property seen how many words of the day there were.
 * @property words the outputs that were kept; as many as were seen, up to [most].
 */
public class DaySample(
    public val most: Int,
    public val seen: Long,
    public val words: List<String>,
) {
    /** Begins a day. */
    public constructor(most: Int) : this(most, 0, emptyList())

    init {
        if (most !in 1..MOST_A_DAY) {
            throw ParameterException("words a day must be an integer from 1 to 1,000, not $most")
        }
        if (words.size.toLong() != minOf(seen, most.toLong())) {
            throw ParameterException("a day's sample has all of its first words")
        }
    }

    /** How many more words enter the sample for sure. A budget pays for these, and for no others. */
    public val room: Int
        get() = most - words.size

    /** Returns the sample after a word came out as [released]. */
    public fun plus(released: String, random: RandomSource): DaySample {
        if (room > 0) return DaySample(most, seen + 1, words + released)
        val place = placeOf(seen, most, random)
        val kept = if (place >= most) words
        else words.toMutableList().also { it[place.toInt()] = released }
        return DaySample(most, seen + 1, kept)
    }
}

/**
 * Returns which of [most] places the next one takes after [seen] others; from [most] on, none.
 *
 * The first ones take the places in order, and nothing is drawn then (Vitter 1985, algorithm R).
 */
internal fun placeOf(seen: Long, most: Int, random: RandomSource): Long =
    if (seen < most) seen else uniformBelow(seen + 1, random)
