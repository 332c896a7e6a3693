package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.IOException
import org.brrkit.BudgetException
import org.brrkit.BundleException
import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.Mark
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.Setting
import org.brrkit.SystemRandom
import org.brrkit.TextFrames
import org.brrkit.WordBundle

/**
 * Releases typed text in frames, and stores the day's sample of them in an [Outbox].
 *
 * A frame has a fixed number of words, and a day has a fixed number of frames. A text is cut into frames;
 * fillers, which are releases of unknown words, complete the last one. A day begins with frames of fillers only.
 * So only the released words depend on typing. Proof: `docs/explanation/proofs.md`, "Frames".
 *
 * ```
 * val texts = TextReporter(outbox, bundle, frames = Frames(words = 8, aDay = 8))
 * texts.add("a flight to boston")
 * Uploader(outbox, consent, transport, UploadPolicy(texts.frames), texts::beginDay).run()
 * ```
 *
 * The released words of a text in progress exist only in this process's memory. Nothing typed is held. Safe to
 * share between threads.
 *
 * @param setting a setting for `Privatizer`; null for the bundle's recommended setting. There is no memory, which
 *   would link frames.
 * @param frames the shape of a day; null for the bundle's.
 * @param budget pays for all words of a day when it begins, whatever will be typed. Use a separate budget: if it
 *   also pays for other releases, a day without frames reveals that much was typed. It must allow two days,
 *   because its periods don't begin at midnight UTC.
 * @param random source of random bytes. Don't set it in production.
 * @throws ParameterException a value is unknown or out of range, there is no setting or shape and the
 *   bundle has none, or it is a list.
 * @throws BundleException the recommended setting isn't one that this version can run.
 */
public class TextReporter @JvmOverloads constructor(
    private val outbox: Outbox,
    private val bundle: WordBundle,
    setting: Setting? = null,
    frames: Frames? = null,
    private val budget: PrivacyBudget? = null,
    random: RandomSource = SystemRandom,
) {
    private val texts = TextFrames(bundle, setting, frames, random)
    private val source = ReportSource(
        bundle.manifest["sha256"] as String,
        if (setting == null) RECOMMENDED else stated(setting).toString(),
    )

    /** The shape of a day in force, given or the bundle's. */
    public val frames: Frames
        get() = texts.shape

    /** The privacy loss of all words of a day's frames: the cost of a day. */
    public val loss: Double
        get() = frames.wordsADay * texts.certifiedEpsilon

    /**
     * Begins a day, unless one is open, so that its frames are sent even if nobody types.
     *
     * @throws BudgetException the budget doesn't allow a day; nothing was released.
     * @throws IOException the outbox can't be written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun beginDay(): Unit = keep { it }

    /**
     * Releases [word] as the next word of the text in progress. A string that isn't a token is an unknown word.
     *
     * @throws BudgetException as for [beginDay].
     * @throws IOException as for [beginDay]; the words since the last frame are lost.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun word(word: String): Unit = keep { texts.word(word, it) }

    /**
     * Ends the text in progress, if there is one.
     *
     * @throws BudgetException as for [beginDay].
     * @throws IOException as for [beginDay]; the words since the last frame are lost.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun end() {
        if (texts.isInProgress) keep(texts::end)
    }

    /**
     * Ends the text in progress, and releases [text] as a separate text.
     *
     * @param marks parts of the text that are one token each, as for `Privatizer.text`.
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the
     *   policy lacks; nothing of the text was released.
     * @throws BudgetException as for [beginDay].
     * @throws IOException as for [beginDay]; the words since the last frame are lost.
     */
    @JvmOverloads
    @WorkerThread
    @Throws(IOException::class)
    public fun add(text: String, marks: List<Mark> = emptyList()): Unit =
        keep { texts.text(text, it, marks) }

    /** Stores the result of [more] for the day. Begins a day if none is open. */
    @Synchronized
    private fun keep(more: (FrameSample) -> FrameSample) = outbox.addFrames(source, frames, ::begin, more)

    /** Drops the text in progress, which may have been released before a withdrawal of consent. */
    private fun begin(): FrameSample {
        budget?.spend(texts.certifiedEpsilon, frames.wordsADay, unit = bundle.digest)
        return texts.day()
    }
}
