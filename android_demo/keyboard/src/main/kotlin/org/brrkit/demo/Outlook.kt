package org.brrkit.demo

import org.brrkit.Base
import org.brrkit.WordBundle
import org.brrkit.keyboard.Releaser
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength

/**
 * What settings mean, for people.
 *
 * @property mechanism by which words are released.
 * @property offers the strengths to choose from, the one of [settings] among them.
 * @property strengthsOf the strength that each mechanism would have instead.
 * @property base which words come out more readily, if the mechanism makes a difference.
 * @property cap the largest loss between any two words, if there is one.
 * @property canRecommend whether there is a recommended strength to go back to.
 * @property wordsADay how many words of a day are reported for counting; null for no reports.
 * @property cost epsilon that a new word of text takes from the budget.
 * @property left epsilon that is left of today's budget.
 */
internal data class Outlook(
    val settings: ReleaseSettings,
    val mechanism: String,
    val offers: List<Offer>,
    val strengthsOf: Map<String, Strength>,
    val base: Base?,
    val cap: Double?,
    val canRecommend: Boolean,
    val wordsADay: Int?,
    val cost: Double,
    val left: Double,
) {
    /** Which of the offers is chosen. */
    val place: Int
        get() = offers.indexOfFirst { it.strength == settings.strength }

    val isRecommended: Boolean
        get() = settings.strength == Strength.Recommended

    /** How many words that is enough for. */
    val wordsLeft: Int
        get() = ((left + BUDGET_UNIT) / cost).toInt() // 29.7 / 0.3 is 98.99...
}

/** Finds out what [settings] mean; waits for the budget's file. */
internal fun outlook(bundle: WordBundle, settings: ReleaseSettings, releaser: Releaser): Outlook =
    Outlook(
        settings,
        bundle.mechanism(settings.strength),
        bundle.offers(settings),
        MECHANISMS.associateWith { bundle.strength(it, settings) },
        base = settings.base(bundle),
        cap = settings.cap(bundle),
        canRecommend = bundle.own != null,
        wordsADay = settings.reports?.let { it.wordsADay ?: bundle.counts?.wordsADay },
        cost = settings.privatizer(bundle).certifiedEpsilon,
        left = releaser.budget(settings).remaining(),
    )

private const val BUDGET_UNIT = 1e-9
