package org.brrkit

/**
 * The shape of a device's day of text: the number of frames, and the number of words in a frame. [TextFrames] checks
 * its values.
 *
 * @property words number of words in a frame, from 1 to 64.
 * @property aDay number of frames that a device sends for a day, whether or not anything was typed; from 1 to 1,000.
 *   [aDay] times [words] is at most 8,192.
 */
public data class Frames @JvmOverloads constructor(
    public val words: Int = 8,
    public val aDay: Int = 8,
) {
    /** The number of words in a day's frames. */
    public val wordsADay: Int
        get() = words * aDay

    internal val isInRange: Boolean
        get() = words in 1..MOST_FRAME_WORDS && aDay in 1..MOST_FRAMES && wordsADay <= MOST_FRAMED
}

private const val MOST_FRAME_WORDS = 64
private const val MOST_FRAMES = 1_000
private const val MOST_FRAMED = 8_192 // words of a day: each is drawn when the day begins

/** Returns the frames that the field `frames` has; null if it has none. */
internal fun readFrames(value: Any?): Frames? {
    val fields = value as? Map<*, *> ?: return null
    if (fields.size != 2) return null
    val words = fields["words"] as? Long ?: return null
    val aDay = fields["a_day"] as? Long ?: return null
    if (words !in 1..MOST_FRAME_WORDS || aDay !in 1..MOST_FRAMES) return null
    return Frames(words.toInt(), aDay.toInt()).takeIf { it.isInRange }
}
