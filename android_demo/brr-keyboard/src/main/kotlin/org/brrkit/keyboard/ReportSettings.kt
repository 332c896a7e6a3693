package org.brrkit.keyboard

import org.brrkit.CountsSetting
import org.brrkit.Frames

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

/**
 * How text is reported in frames: a fixed number of them a day, of a fixed number of words.
 *
 * ```
 * FrameSettings(Frames(words = 8, aDay = 8))
 * ```
 *
 * @property frames the shape of a day; null for the bundle's (`brr calibrate --frames 8 --write`).
 */
public data class FrameSettings @JvmOverloads constructor(
    public val frames: Frames? = null,
)
