package org.brrkit.keyboard

import org.brrkit.Bundle
import org.brrkit.Oov
import org.brrkit.SystemRandom

/**
 * What settings mean, for people.
 *
 * @property bits length of the bundle's codes.
 * @property stay how many of 100 common words come out as they are.
 * @property left epsilon that is left of today's budget.
 */
internal data class Outlook(
    val settings: Settings,
    val bits: Int,
    val stay: Int,
    val left: Double,
) {
    /** How many words that is enough for. */
    val wordsLeft: Int
        get() = ((left + BUDGET_UNIT) / settings.epsilon).toInt() // 29.7 / 0.3 is 98.99...
}

/** Tries [settings] out on words of the vocabulary. They aren't typed words: this is no release. */
internal fun outlook(bundle: Bundle, settings: Settings, left: Double): Outlook {
    val common = bundle.size.coerceAtMost(COMMON)
    val words = List(TRIED) { bundle.vocabulary.word(it * common / TRIED) }
    val privatizer = settings.copy(oov = Oov.ERROR).privatizer(bundle, budget = null, SystemRandom)
    val same = words.zip(privatizer.words(words)).count { (word, released) -> word == released }
    return Outlook(settings, bundle.bits, Math.round(same * 100f / TRIED), left)
}

private const val BUDGET_UNIT = 1e-9
private const val TRIED = 200
private const val COMMON = 4_000
