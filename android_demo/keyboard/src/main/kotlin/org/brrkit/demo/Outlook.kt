package org.brrkit.demo

import org.brrkit.keyboard.ReleaseSettings

/**
 * What settings mean, for people.
 *
 * @property bits length of the bundle's codes.
 * @property strengths epsilons to choose from.
 * @property rates what was measured of them, if anything was.
 * @property goal what they were chosen for, if the bundle recommends them.
 * @property left epsilon that is left of today's budget.
 */
internal data class Outlook(
    val settings: ReleaseSettings,
    val bits: Int,
    val strengths: List<Double>,
    val rates: Rates?,
    val goal: String?,
    val left: Double,
) {
    /** How many words that is enough for. */
    val wordsLeft: Int
        get() = ((left + BUDGET_UNIT) / settings.epsilon).toInt() // 29.7 / 0.3 is 98.99...
}

private const val BUDGET_UNIT = 1e-9
