package org.brrkit

/**
 * What a device reports of a day of text: as many frames as [shape] says, from its first moment on.
 *
 * A day begins with frames of releases of unknown words. Each frame of typed text takes the place of
 * one of these until all have gone, and then that of an earlier one, or is dropped (reservoir sampling:
 * Vitter 1985, algorithm R). So nothing but words depends on what is typed. Immutable. [TextFrames]
 * begins it and goes on with it.
 *
 * @property shape how many frames there are, and of how many words.
 * @property seen how many frames of typed text there were.
 * @property frames the words of each, in the order of their release.
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
