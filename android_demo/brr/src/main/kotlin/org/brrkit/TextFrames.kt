package org.brrkit

import androidx.annotation.WorkerThread

/**
 * Releases texts in frames of equal length, with the same number of frames each day.
 *
 * Texts are cut into pieces of one frame's length, each a separate text for the mechanism. Releases of unknown
 * words complete the last piece. There is no memory, which would link frames. This object holds the released
 * words of the piece in progress, and nothing typed. Don't use it in several threads at once.
 * `docs/explanation/proofs.md`, "Frames", bounds a day's privacy loss; `spec/reports.md` specifies the draws.
 *
 * ```
 * val texts = TextFrames(bundle)
 * var day = texts.day()
 * day = texts.text("a flight to boston", day)
 * ```
 *
 * @param setting a setting for [Privatizer]; null for the bundle's recommended setting.
 * @param frames the shape of a day; null for the bundle's.
 * @param random source of random bytes. Don't set it in production.
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

    /** The shape of a day in force, given or the bundle's. */
    public val shape: Frames = resolveFrames(bundle, frames)

    /**
     * The privacy loss of a word: [Privatizer.certifiedEpsilon]. A day costs [Frames.wordsADay] times this.
     */
    public val certifiedEpsilon: Double
        get() = privatizer.certifiedEpsilon

    /** Whether a text is in progress, with an incomplete last frame. */
    public val isInProgress: Boolean
        get() = piece.isNotEmpty()

    /** Begins a day with all its frames; a piece in progress is dropped. */
    @WorkerThread
    public fun day(): FrameSample {
        begin()
        val fillers = List(shape.words) { "" } // an unknown word: no vocabulary contains it
        return FrameSample(shape, 0, List(shape.aDay) { privatizer.words(fillers) })
    }

    /** Releases [word] as the next word of the text in progress; returns the updated [day]. */
    @WorkerThread
    public fun word(word: String, day: FrameSample): FrameSample =
        released(bundle.tokenizer.lookUp(word), day)

    /** Ends the text in progress, if there is one; returns the updated [day]. */
    @WorkerThread
    public fun end(day: FrameSample): FrameSample {
        var after = day
        while (piece.isNotEmpty()) after = released(UNKNOWN_WORD, after)
        return after
    }

    /**
     * Ends the text in progress, and releases [text] as a separate text; returns the updated [day].
     *
     * @param marks parts of the text that are one token each, as for [Privatizer.text].
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the
     *   policy lacks; nothing was released.
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
