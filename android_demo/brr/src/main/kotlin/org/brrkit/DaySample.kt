package org.brrkit

/**
 * A device's daily reports: a uniform sample of the outputs for the day's words.
 *
 * Each word is released when it is typed. Its output joins the sample, replaces an earlier one or is dropped
 * (reservoir sampling: Vitter 1985, algorithm R). So nothing typed is held, and reports have the same distribution
 * as if the words had been chosen first. Immutable.
 *
 * @property most largest number of words to send, from 1 to 1,000, such as the bundle's [CountsSetting.wordsADay].
 * @property seen number of the day's words so far.
 * @property words the kept outputs: one for each word seen, up to [most].
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

    /** The number of further words that certainly join the sample. A budget pays only for these. */
    public val room: Int
        get() = most - words.size

    /** Returns the sample after another [released] word. */
    public fun plus(released: String, random: RandomSource): DaySample {
        if (room > 0) return DaySample(most, seen + 1, words + released)
        val place = placeOf(seen, most, random)
        val kept = if (place >= most) words
        else words.toMutableList().also { it[place.toInt()] = released }
        return DaySample(most, seen + 1, kept)
    }
}

/**
 * Returns the place of the next item after [seen] others; from [most] on, it is dropped.
 *
 * The first items take the [most] places in order, without a draw (Vitter 1985, algorithm R).
 */
internal fun placeOf(seen: Long, most: Int, random: RandomSource): Long =
    if (seen < most) seen else uniformBelow(seen + 1, random)
