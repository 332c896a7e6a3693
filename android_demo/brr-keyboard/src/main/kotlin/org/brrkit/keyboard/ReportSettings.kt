package org.brrkit.keyboard

import org.brrkit.CountsSetting
import org.brrkit.Frames

/**
 * Settings for counting.
 *
 * ```
 * ReportSettings(CountsSetting(cap = 7.53, wordsADay = 1))
 * ```
 *
 * @property setting setting for counts; null for the bundle's (`brr calibrate --for counts --write`).
 */
public data class ReportSettings @JvmOverloads constructor(
    public val setting: CountsSetting? = null,
)

/**
 * Settings for frames: a fixed number of frames a day, with a fixed number of words each.
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
