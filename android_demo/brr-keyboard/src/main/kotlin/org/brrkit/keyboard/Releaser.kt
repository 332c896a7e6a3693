package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.time.Duration
import java.util.function.Consumer
import java.util.function.Function
import org.brrkit.BudgetException
import org.brrkit.Memory
import org.brrkit.OutOfVocabularyException
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.brrkit.tokenize

/** What became of a typed word. */
public sealed interface Release {
    /** These words were given to the sink. */
    public data class Sent(public val words: List<String>) : Release

    /** Nothing was: there is no [Consent]. */
    public data object Off : Release

    /** Nothing was: the word is unknown, and the settings say so. */
    public data object LeftOut : Release

    /** Nothing was: the budget doesn't allow it. */
    public data object BudgetUsedUp : Release

    /** Nothing was: the bundle, the settings, the budget, the memory or the sink can't be used. */
    public data object Unavailable : Release
}

/**
 * Draws the privatized words: once for each typed word, and only with consent.
 *
 * Drawing again, if only to show the result, would be a second release of the same word. So the
 * only draw is here, and the same words go to the sink and to the screen. With a memory, what a
 * word becomes is a second draw of what its first one in a period gave: `docs/memory.md`.
 *
 * What a word costs is on disk before it is drawn, and it leaves only then. So it all happens on
 * the bundle's thread, in the order of typing, where neither keys nor suggestions wait for it.
 *
 * @param settings returns the settings, on the thread, for each word.
 * @param budgetFile counts what was released; a file that backups leave out.
 * @param memory of first draws, if there is one.
 */
public class Releaser(
    private val thread: BundleThread,
    private val consent: Consent,
    private val settings: Function<WordBundle, ReleaseSettings>,
    private val budgetFile: File,
    private val memory: Memory?,
    private val sink: PrivatizedTextSink,
    private val random: RandomSource,
) {
    private var current: Prepared? = null
    private var budget: PrivacyBudget? = null
    private var text = Any()

    /** Begins another text: the next word follows none that was released. For the main thread. */
    public fun beginText() {
        text = Any()
    }

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    public fun release(typed: String, done: Consumer<Release>) {
        val text = text
        thread.run({ consent.whileGiven { draw(it, typed, text) } ?: Release.Off }) {
            done.accept(it.fold({ release -> release }, { Release.Unavailable }))
        }
    }

    /** The daily budget as [settings] have it: one object for a limit, which has the words' lease. */
    @Synchronized
    public fun budget(settings: ReleaseSettings): PrivacyBudget =
        budget?.takeIf { it.limit == settings.dailyBudget }
            ?: PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), budgetFile)
                .also { budget = it }

    private fun draw(bundle: WordBundle, typed: String, text: Any): Release {
        val prepared = prepared(bundle)
        val stream = prepared.stream(text)
        val released = try {
            tokenize(typed).mapNotNull(stream::word)
        } catch (_: OutOfVocabularyException) {
            return Release.LeftOut
        } catch (_: BudgetException) {
            return Release.BudgetUsedUp
        }
        if (released.isEmpty()) return Release.LeftOut
        return try {
            sink.accept(released, prepared.source)
            Release.Sent(released)
        } catch (_: IOException) {
            Release.Unavailable
        }
    }

    private fun prepared(bundle: WordBundle): Prepared {
        val settings = settings.apply(bundle)
        current?.takeIf { it.settings == settings }?.let { return it }
        val privatizer = settings.privatizer(bundle, budget(settings), memory, random)
        val source = settings.source(bundle, withMemory = memory != null)
        return Prepared(settings, privatizer, source).also { current = it }
    }

    private class Prepared(
        val settings: ReleaseSettings,
        private val privatizer: Privatizer,
        val source: ReportSource,
    ) {
        private var text: Any? = null
        private var stream = privatizer.stream()

        /** Returns what releases a text's next word. */
        fun stream(text: Any): Privatizer.Stream {
            if (text !== this.text) stream = privatizer.stream()
            this.text = text
            return stream
        }
    }
}
