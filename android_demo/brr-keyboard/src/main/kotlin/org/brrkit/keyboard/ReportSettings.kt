package org.brrkit.keyboard

/**
 * How words are reported for counting; what isn't set is as the bundle's counts setting says
 * (`brr calibrate --for counts --write`).
 *
 * ```
 * ReportSettings(cap = 7.53, wordsADay = 1)
 * ```
 *
 * @property cap largest privacy loss between any two words of a report, from 1e-9 to 88; of the first
 *   draws with a memory.
 * @property wordsADay how many words of a day are reported, at most, from 1 to 1,000.
 */
public data class ReportSettings @JvmOverloads constructor(
    public val cap: Double? = null,
    public val wordsADay: Int? = null,
)
