package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.time.Duration
import java.util.function.Consumer
import java.util.function.Function
import org.brrkit.BrrException
import org.brrkit.BudgetException
import org.brrkit.Memory
import org.brrkit.OutOfVocabularyException
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.WordBundle

/**
 * The outcome of a typed word's releases.
 *
 * @property text outcome of its release as text.
 * @property report outcome of its release for counting.
 * @property frames outcome of its release in a frame of text.
 */
public data class Release @JvmOverloads constructor(
    public val text: Text,
    public val report: Report,
    public val frames: Report = Report.NO_SETTING,
) {
    /** The outcome of a release as text. */
    public sealed interface Text {
        /** The sink received these words. */
        public data class Sent(public val words: List<String>) : Text

        /** Nothing was released: there is no sink. */
        public data object NoSink : Text

        /** Nothing was released: there is no [Consent]. */
        public data object Off : Text

        /** Nothing was released: the word is unknown, and the settings leave out unknown words. */
        public data object LeftOut : Text

        /** Nothing was released: the budget doesn't allow it. */
        public data object BudgetUsedUp : Text

        /** Nothing was released: the bundle, the settings, the budget, the memory or the sink can't be used. */
        public data object Unavailable : Text
    }

    /** The outcome of a release for counting, or in a frame. */
    public enum class Report {
        /** The output was offered to the day's sample, which kept or dropped it. */
        COUNTED,

        /** Nothing is reported: the settings exclude it, or neither they nor the bundle state how. */
        NO_SETTING,

        /** Nothing is reported: there is no [Consent]. */
        OFF,

        /** Nothing is reported: the budget doesn't allow it. */
        BUDGET_USED_UP,

        /** Nothing is reported: the bundle, the settings, the budget, the memory or the outbox can't be used. */
        UNAVAILABLE,
    }

    internal companion object {
        val OFF = Release(Text.Off, Report.OFF, Report.OFF)
        val UNAVAILABLE = Release(Text.Unavailable, Report.UNAVAILABLE, Report.UNAVAILABLE)
    }
}

/**
 * Draws the privatized words, only with consent: one for text, if there is a sink, one for counting,
 * and one for frames, if the settings have them.
 *
 * A second draw, even if only to show the result, would be another release of the word. Text is therefore drawn
 * only here, and the same words go to the sink and to the screen. With a memory, the output is a second draw from
 * the output of the word's first draw in the period: `docs/how-to/run-for-months.md`. Text and counts have
 * separate first draws, and one budget. Frames have no memory, and a separate budget.
 *
 * A word's cost is on disk before the draw. All this happens on the bundle's thread, in the order of typing, so
 * neither keys nor suggestions wait for it.
 *
 * @param settings returns the settings; called for each word, on the bundle's thread.
 * @param budgetFile state file of the budget, excluded from backups. The file of the budget for frames is next to
 *   it.
 * @param memory the memory for text, if there is one.
 * @param sink receives the text. Without a sink, text is drawn only for frames.
 * @param reporter releases words for counting.
 */
public class Releaser(
    private val thread: BundleThread,
    private val consent: Consent,
    private val settings: Function<WordBundle, ReleaseSettings>,
    private val budgetFile: File,
    private val memory: Memory?,
    private val sink: PrivatizedTextSink?,
    private val reporter: Reporter,
    private val random: RandomSource,
) {
    private var current: Prepared? = null
    private var budget: PrivacyBudget? = null
    private var text = Any()
    private val framing = Framing(reporter.outbox, File(budgetFile.path + FRAMES), random)

    /** Begins another text: the next word has no previous released word. Call it on the main thread. */
    public fun beginText() {
        text = Any()
        thread.run({ consent.whileGiven { counted(framing::end) } }) {}
    }

    /** Begins a day of frames if there is consent, the settings have frames, and no day is open. */
    @Throws(IOException::class)
    internal fun beginDay(bundle: WordBundle) {
        consent.whileGiven { framing.reporter(bundle, settings.apply(bundle))?.beginDay() }
    }

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    public fun release(typed: String, done: Consumer<Release>) {
        val text = text
        thread.run({ consent.whileGiven { release(it, typed, text) } ?: Release.OFF }) {
            done.accept(it.fold({ release -> release }, { Release.UNAVAILABLE }))
        }
    }

    /** The daily budget in [settings]. Each limit has one object, which holds the lease. */
    @Synchronized
    public fun budget(settings: ReleaseSettings): PrivacyBudget =
        budget?.takeIf { it.limit == settings.dailyBudget }
            ?: PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), budgetFile)
                .also { budget = it }

    private fun release(bundle: WordBundle, typed: String, text: Any): Release {
        val settings = settings.apply(bundle)
        val tokens = bundle.tokenize(typed)
        val released =
            if (sink == null) Release.Text.NoSink else send(tokens, text, bundle, settings, sink)
        val framed = counted { framing.add(tokens, bundle, settings) }
        return Release(released, report(tokens, bundle, settings), framed)
    }

    private fun send(
        tokens: List<String>,
        text: Any,
        bundle: WordBundle,
        settings: ReleaseSettings,
        sink: PrivatizedTextSink,
    ): Release.Text = try {
        val prepared = prepared(bundle, settings)
        val released = tokens.mapNotNull(prepared.stream(text)::word)
        if (released.isEmpty()) {
            Release.Text.LeftOut
        } else {
            sink.accept(released, prepared.source)
            Release.Text.Sent(released)
        }
    } catch (_: OutOfVocabularyException) {
        Release.Text.LeftOut
    } catch (_: BudgetException) {
        Release.Text.BudgetUsedUp
    } catch (_: BrrException) {
        Release.Text.Unavailable
    } catch (_: IOException) {
        Release.Text.Unavailable
    }

    private fun report(
        tokens: List<String>,
        bundle: WordBundle,
        settings: ReleaseSettings,
    ): Release.Report = counted {
        settings.reports?.let { reporter.report(tokens, bundle, it, budget(settings)) } ?: false
    }

    /** Returns the outcome of [release] for words, if the settings include them. */
    private fun counted(release: () -> Boolean): Release.Report = try {
        if (release()) Release.Report.COUNTED else Release.Report.NO_SETTING
    } catch (_: BudgetException) {
        Release.Report.BUDGET_USED_UP
    } catch (_: BrrException) {
        Release.Report.UNAVAILABLE
    } catch (_: IOException) {
        Release.Report.UNAVAILABLE
    }

    private fun prepared(bundle: WordBundle, settings: ReleaseSettings): Prepared {
        current?.takeIf { it.settings == settings }?.let { return it }
        val privatizer = settings.privatizer(bundle, budget(settings), memory, random)
        val source = settings.source(bundle, withMemory = memory != null)
        return Prepared(settings, privatizer, source).also { current = it }
    }

    private companion object {
        /** The ending of the name of the frames' budget file. */
        const val FRAMES = "-frames"
    }

    private class Prepared(
        val settings: ReleaseSettings,
        private val privatizer: Privatizer,
        val source: ReportSource,
    ) {
        private var text: Any? = null
        private var stream = privatizer.stream()

        /** Returns the stream for a text's next word. */
        fun stream(text: Any): Privatizer.Stream {
            if (text !== this.text) stream = privatizer.stream()
            this.text = text
            return stream
        }
    }
}
