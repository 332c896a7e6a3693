package org.brrkit.demo

import org.brrkit.Base
import org.brrkit.Counts
import org.brrkit.WordBundle
import org.brrkit.keyboard.Releaser
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Strength

/**
 * What settings mean, for people.
 *
 * @property lists names of the lists of secret words.
 * @property mechanism by which words are released.
 * @property offers the strengths to choose from, the one of [settings] among them.
 * @property strengthsOf the strength that each mechanism would have instead; null where the app
 *   allows none.
 * @property base which words are more likely to leave, if the mechanism makes a difference.
 * @property cap the largest loss between any two words, if there is one.
 * @property canRecommend whether there is a recommended strength to go back to.
 * @property wordsADay how many words of a day are reported for counting; null for no reports.
 * @property reserved epsilon that a day's words for counting may take from the budget.
 * @property cost epsilon that a new word of text takes from it.
 * @property left epsilon that is left of it.
 */
internal data class Outlook(
    val settings: ReleaseSettings,
    val lists: List<String>,
    val mechanism: String,
    val offers: List<Offer>,
    val strengthsOf: Map<String, Strength?>,
    val base: Base?,
    val cap: Double?,
    val canRecommend: Boolean,
    val wordsADay: Int?,
    val reserved: Double,
    val cost: Double,
    val left: Double,
) {
    /** Which of the offers is chosen. */
    val place: Int
        get() = offers.indexOfFirst { it.strength == settings.strength }

    val offer: Offer
        get() = offers[place]

    val isRecommended: Boolean
        get() = settings.strength == Strength.Recommended

    /** How many new words that is enough for, at least. */
    val wordsLeft: Int
        get() = words(left)

    /** How many new words a day's budget is enough for, at least. */
    val wordsInAll: Int
        get() = words(settings.dailyBudget)

    private fun words(epsilon: Double): Int =
        ((epsilon - reserved + BUDGET_UNIT) / cost).toInt().coerceAtLeast(0) // 29.7 / 0.3 is 98.99...
}

/** Finds out what [settings] mean; waits for the budget's file. */
internal fun outlook(bundle: WordBundle, settings: ReleaseSettings, releaser: Releaser): Outlook {
    val counts = settings.reports?.let { bundle.counts(it) }
    return Outlook(
        settings,
        bundle.policy.lists.map { it.name },
        bundle.mechanism(settings.strength),
        bundle.offers(settings),
        MECHANISMS.associateWith { bundle.strength(it, settings) },
        base = settings.base(bundle),
        cap = settings.cap(bundle),
        canRecommend = bundle.own != null && settings.allows(Strength.Recommended, bundle),
        wordsADay = counts?.setting?.wordsADay,
        reserved = counts?.let { it.setting.wordsADay * it.loss } ?: 0.0,
        cost = settings.privatizer(bundle).certifiedEpsilon,
        left = releaser.budget(settings).remaining(),
    )
}

/** What draws words for counting; null if nothing says how. */
private fun WordBundle.counts(settings: ReportSettings): Counts? =
    (settings.setting ?: counts)?.let { Counts(this, it) }

private const val BUDGET_UNIT = 1e-9
