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
 * Releases typed text in frames, and keeps those that the day's sample takes in an [Outbox].
 *
 * A frame has a fixed number of words, and a day a fixed number of frames, whether or not something is
 * typed: a text is cut into frames, and the last one is filled by releases of unknown words; a day begins
 * with frames of these alone. So nothing but the released words depends on what was typed. Proof:
 * `docs/explanation/proofs.md`, "Frames".
 *
 * ```
 * val texts = TextReporter(outbox, bundle, frames = Frames(words = 8, aDay = 8))
 * texts.add("a flight to boston")
 * Uploader(outbox, consent, transport, UploadPolicy(texts.frames), texts::beginDay).run()
 * ```
 *
 * The words of a text in progress are in this process's memory, released already, and lost with it.
 * Nothing typed is held. Safe to share between threads.
 *
 * @param setting how words are released; null for the bundle's recommended setting. There is no memory,
 *   which would link frames.
 * @param frames the shape of a day; null for the bundle's.
 * @param budget pays for all words of a day when it begins, whatever will be typed. Give it one of its
 *   own: where other releases share it, a day without frames tells that much was typed. It must allow two
 *   days: a budget's day isn't that of the calendar (UTC).
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

    /** The shape of a day that is in force, given or the bundle's. */
    public val frames: Frames
        get() = texts.shape

    /** What the words of a day's frames lose, added up: what a day costs of a budget. */
    public val loss: Double
        get() = frames.wordsADay * texts.certifiedEpsilon

    /**
     * Begins a day, unless one is open: its frames leave although nobody types.
     *
     * @throws BudgetException the budget doesn't allow a day; nothing was released.
     * @throws IOException the outbox can't be written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun beginDay(): Unit = keep { it }

    /**
     * Releases [word] as the next one of the text in progress; one that isn't a token is unknown.
     *
     * @throws BudgetException as [beginDay].
     * @throws IOException as [beginDay]; the words since the last frame are lost.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun word(word: String): Unit = keep { texts.word(word, it) }

    /**
     * Ends the text in progress, if there is one.
     *
     * @throws BudgetException as [beginDay].
     * @throws IOException as [beginDay]; the words since the last frame are lost.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun end() {
        if (texts.isInProgress) keep(texts::end)
    }

    /**
     * Ends the text in progress, and releases [text] as one of its own.
     *
     * @param marks parts of it that are one token each, as of `Privatizer.text`.
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or is of no list of
     *   the policy; nothing of the text was released then.
     * @throws BudgetException as [beginDay].
     * @throws IOException as [beginDay]; the words since the last frame are lost.
     */
    @JvmOverloads
    @WorkerThread
    @Throws(IOException::class)
    public fun add(text: String, marks: List<Mark> = emptyList()): Unit =
        keep { texts.text(text, it, marks) }

    /** Keeps what [more] makes of the day, which begins if none is open. */
    @Synchronized
    private fun keep(more: (FrameSample) -> FrameSample) = outbox.addFrames(source, frames, ::begin, more)

    /** What is in progress goes: it may have been released before a withdrawal of consent. */
    private fun begin(): FrameSample {
        budget?.spend(texts.certifiedEpsilon, frames.wordsADay, unit = bundle.digest)
        return texts.day()
    }
}
