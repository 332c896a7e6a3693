package org.brrkit.demo

import org.brrkit.Oov
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings

/**
 * What settings mean, for people.
 *
 * @property bits length of the bundle's codes.
 * @property stay how many of 100 common words come out as they are.
 * @property left epsilon that is left of today's budget.
 */
internal data class Outlook(
    val settings: ReleaseSettings,
    val bits: Int,
    val stay: Int,
    val left: Double,
) {
    /** How many words that is enough for. */
    val wordsLeft: Int
        get() = ((left + BUDGET_UNIT) / settings.epsilon).toInt() // 29.7 / 0.3 is 98.99...
}

/**
 * Tries settings out on words of the vocabulary. They aren't typed words: this is no release.
 *
 * The last result is kept: another try would say something else of the same settings. For one
 * thread at a time.
 */
internal class Trial {
    private var last: Pair<ReleaseSettings, Int>? = null

    /** Returns how many of 100 common words come out as they are. */
    fun stay(bundle: WordBundle, settings: ReleaseSettings): Int {
        val tried = settings.copy(dailyBudget = 0.0, oov = Oov.ERROR)
        last?.let { (before, stay) -> if (before == tried) return stay }
        val common = bundle.size.coerceAtMost(COMMON)
        val words = List(TRIED) { bundle.vocabulary.word(it * common / TRIED) }
        val released = tried.privatizer(bundle).words(words)
        val same = words.zip(released).count { (word, output) -> word == output }
        return Math.round(same * 100f / TRIED).also { last = tried to it }
    }
}

private const val BUDGET_UNIT = 1e-9
private const val TRIED = 200
private const val COMMON = 4_000
