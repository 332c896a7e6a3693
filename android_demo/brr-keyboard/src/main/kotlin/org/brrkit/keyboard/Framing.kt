package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.WordBundle

/**
 * What a keyboard releases in frames, as its settings have it. Only while there is consent, and on one
 * thread at a time.
 *
 * @param budgetFile counts what frames cost, and nothing else.
 */
internal class Framing(
    private val outbox: Outbox,
    private val budgetFile: File,
    private val random: RandomSource,
) {
    private var current: Prepared? = null

    /** Returns what releases text in frames; null if the settings have none. */
    fun reporter(bundle: WordBundle, settings: ReleaseSettings): TextReporter? {
        current?.takeIf { it.bundle === bundle && it.settings == settings }?.let { return it.reporter }
        val budget = PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), budgetFile)
        val reporter = settings.textReporter(bundle, outbox, budget, random)
        return reporter.also { current = Prepared(bundle, settings, it) }
    }

    /** Releases the next [words] of the text; returns whether the settings say so. */
    fun add(words: List<String>, bundle: WordBundle, settings: ReleaseSettings): Boolean {
        val reporter = reporter(bundle, settings) ?: return false
        words.forEach(reporter::word)
        return true
    }

    /** Ends the text; returns whether one was released. */
    fun end(): Boolean = current?.reporter?.end() != null

    private class Prepared(
        val bundle: WordBundle,
        val settings: ReleaseSettings,
        val reporter: TextReporter?,
    )
}
