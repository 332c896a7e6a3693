package org.brrkit

/**
 * A device's daily reports of text: always the number of frames in [shape].
 *
 * A day begins with frames of fillers, which are releases of unknown words. Each frame of typed text replaces one of
 * them until none is left. Later frames replace an earlier one, or are dropped (reservoir sampling: Vitter 1985,
 * algorithm R). So only the words in frames depend on typing. Immutable. [TextFrames] begins and updates it.
 *
 * @property shape number of frames, and number of words in a frame.
 * @property seen number of the day's frames of typed text so far.
 * @property frames the words of each frame, in the order of their release.
 */
public class FrameSample(
    public val shape: Frames,
    public val seen: Long,
    public val frames: List<List<String>>,
) {
    init {
        val isWhole = frames.size == shape.aDay && frames.all { it.size == shape.words }
        if (!shape.isInRange || !isWhole || seen < 0) {
            throw ParameterException("a day of text has all of its frames, each with all of its words")
        }
    }

    /** Returns the sample after another [frame] of typed text. */
    internal fun plus(frame: List<String>, random: RandomSource): FrameSample {
        val place = placeOf(seen, shape.aDay, random)
        val kept = if (place >= shape.aDay) frames
        else frames.toMutableList().also { it[place.toInt()] = frame }
        return FrameSample(shape, seen + 1, kept)
    }
}
