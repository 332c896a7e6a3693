package org.brrkit.keyboard

import org.brrkit.CountsSetting

/**
 * How words are reported for counting.
 *
 * ```
 * ReportSettings(CountsSetting(cap = 7.53, wordsADay = 1))
 * ```
 *
 * @property setting of the words; null for the bundle's counts setting
 *   (`brr calibrate --for counts --write`).
 */
public data class ReportSettings @JvmOverloads constructor(
    public val setting: CountsSetting? = null,
)
