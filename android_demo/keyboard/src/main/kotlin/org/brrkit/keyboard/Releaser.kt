package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import org.brrkit.BudgetException
import org.brrkit.OutOfVocabularyException
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.brrkit.tokenize

/** What became of a typed word. */
internal sealed interface Release {
    /** These words were given to the sink. */
    data class Sent(val words: List<String>) : Release

    /** Nothing was: the word is unknown, and the settings say so. */
    data object LeftOut : Release

    /** Nothing was: the budget doesn't allow it. */
    data object BudgetUsedUp : Release

    /** Nothing was: the bundle, the settings or the budget can't be used. */
    data object Unavailable : Release
}

/**
 * Draws the privatized words: once for each typed word.
 *
 * Drawing again, if only to show the result, would be a second release of the same word. So the
 * only draw is here, and the same words go to the sink and to the screen.
 *
 * @param budgetFile counts what was released; a file that backups leave out.
 */
internal class Releaser(
    private val thread: BundleThread,
    private val store: SettingsStore,
    private val budgetFile: File,
    private val sink: PrivatizedTextSink,
    private val random: RandomSource,
) {
    private var current: Pair<Settings, Privatizer>? = null

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    fun release(typed: String, done: (Release) -> Unit) {
        thread.run({ draw(it, typed) }) { done(it.getOrDefault(Release.Unavailable)) }
    }

    /** The daily budget as [settings] have it. */
    fun budget(settings: Settings): PrivacyBudget =
        PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), budgetFile)

    private fun draw(bundle: WordBundle, typed: String): Release {
        val settings = store.load(bundle)
        val released = try {
            privatizer(bundle, settings).words(tokenize(typed))
        } catch (_: OutOfVocabularyException) {
            return Release.LeftOut
        } catch (_: BudgetException) {
            budget(settings).remaining() // fails if the reason is a damaged state file
            return Release.BudgetUsedUp
        }
        if (released.isEmpty()) return Release.LeftOut
        sink.accept(released)
        return Release.Sent(released)
    }

    private fun privatizer(bundle: WordBundle, settings: Settings): Privatizer {
        current?.let { (made, privatizer) -> if (made == settings) return privatizer }
        val privatizer = settings.privatizer(bundle, budget(settings), random)
        current = settings to privatizer
        return privatizer
    }
}
