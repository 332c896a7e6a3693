package org.brrkit.demo

import org.brrkit.Base
import org.brrkit.Counts
import org.brrkit.WordBundle
import org.brrkit.keyboard.Releaser
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Strength

/**
 * The meaning of settings, for people.
 *
 * @property lists names of the lists of secret words.
 * @property mechanism the mechanism that releases words.
 * @property offers the strengths to choose from, including that of [settings].
 * @property strengthsOf the strength that each mechanism would have instead; null if the app allows none.
 * @property base the words that are more likely to leave, if the mechanism has a base measure.
 * @property cap the largest loss between any two words, if there is one.
 * @property canRecommend whether there is a recommended strength to return to.
 * @property wordsADay number of a day's words that are reported for counting; null for no reports.
 * @property reserved epsilon that a day's words for counting may take from the budget.
 * @property cost epsilon that a new word of text takes from the budget.
 * @property left remaining epsilon of the budget.
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
    /** The index of the chosen offer. */
    val place: Int
        get() = offers.indexOfFirst { it.strength == settings.strength }

    val offer: Offer
        get() = offers[place]

    val isRecommended: Boolean
        get() = settings.strength == Strength.Recommended

    /** The smallest number of new words that the rest of the budget allows. */
    val wordsLeft: Int
        get() = words(left)

    /** The smallest number of new words that a day's budget allows. */
    val wordsInAll: Int
        get() = words(settings.dailyBudget)

    private fun words(epsilon: Double): Int =
        ((epsilon - reserved + BUDGET_UNIT) / cost).toInt().coerceAtLeast(0) // 29.7 / 0.3 is 98.99...
}

/** Computes the meaning of [settings]. Waits for the budget's file. */
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

/** The mechanism for counting; null without a setting for it. */
private fun WordBundle.counts(settings: ReportSettings): Counts? =
    (settings.setting ?: counts)?.let { Counts(this, it) }

private const val BUDGET_UNIT = 1e-9
