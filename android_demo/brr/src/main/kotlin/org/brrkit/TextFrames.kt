package org.brrkit

import androidx.annotation.WorkerThread

/**
 * Releases texts in frames, which all have as many words, and a day as many frames.
 *
 * A text is cut into pieces of a frame's words, each a text of its own for the mechanism; the last one
 * is filled by releases of unknown words. It has no memory, which would link frames. It holds the
 * released words of the piece in progress, and nothing that was typed. Not for several threads at once.
 * What a day loses is in `docs/explanation/proofs.md`, "Frames"; how it is drawn, in `spec/reports.md`.
 *
 * ```
 * val texts = TextFrames(bundle)
 * var day = texts.day()
 * day = texts.text("a flight to boston", day)
 * ```
 *
 * @param setting how words are released; null for the bundle's recommended setting.
 * @param frames the shape of a day; null for the bundle's.
 * @param random source of random bytes. Leave it alone in production.
 * @throws ParameterException a value is unknown or out of range, there is no setting or shape and the
 *   bundle has none, or it is a list.
 * @throws BundleException the recommended setting isn't one that this version can run.
 */
public class TextFrames @JvmOverloads constructor(
    private val bundle: WordBundle,
    setting: Setting? = null,
    frames: Frames? = null,
    private val random: RandomSource = SystemRandom,
) {
    private val privatizer = Privatizer.Builder(bundle).random(random)
        .apply { setting?.let(::setting) }.build()
    private var stream = privatizer.stream()
    private val piece = ArrayList<String>()

    /** The shape of a day that is in force, given or the bundle's. */
    public val shape: Frames = resolveFrames(bundle, frames)

    /**
     * The privacy loss of a word: [Privatizer.certifiedEpsilon]. A day loses [Frames.wordsADay] times that.
     */
    public val certifiedEpsilon: Double
        get() = privatizer.certifiedEpsilon

    /** Whether a text is in progress: one whose last frame isn't full. */
    public val isInProgress: Boolean
        get() = piece.isNotEmpty()

    /** Begins a day, which has all of its frames; a piece in progress goes. */
    @WorkerThread
    public fun day(): FrameSample {
        begin()
        val fillers = List(shape.words) { "" } // an unknown word: no vocabulary has it
        return FrameSample(shape, 0, List(shape.aDay) { privatizer.words(fillers) })
    }

    /** Releases [word] as the next one of the text in progress; returns the [day] after it. */
    @WorkerThread
    public fun word(word: String, day: FrameSample): FrameSample =
        released(bundle.tokenizer.lookUp(word), day)

    /** Ends the text in progress, if there is one; returns the [day] after it. */
    @WorkerThread
    public fun end(day: FrameSample): FrameSample {
        var after = day
        while (piece.isNotEmpty()) after = released(UNKNOWN_WORD, after)
        return after
    }

    /**
     * Ends the text in progress, and releases [text] as one of its own; returns the [day] after it.
     *
     * @param marks parts of it that are one token each, as in [Privatizer.text].
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or is of no list of
     *   the policy; nothing was released then.
     */
    @JvmOverloads
    @WorkerThread
    public fun text(text: String, day: FrameSample, marks: List<Mark> = emptyList()): FrameSample {
        val typed = privatizer.typed(text, marks)
        return end(typed.fold(end(day)) { after, word -> released(word, after) })
    }

    /** Releases the next word of the piece in progress; a full one is a frame. */
    private fun released(typed: Int, day: FrameSample): FrameSample {
        piece += checkNotNull(stream.released(typed)) { "the policy leaves no word out" }
        if (piece.size < shape.words) return day
        val frame = piece.toList()
        begin()
        return day.plus(frame, random)
    }

    private fun begin() {
        piece.clear()
        stream = privatizer.stream()
    }
}
