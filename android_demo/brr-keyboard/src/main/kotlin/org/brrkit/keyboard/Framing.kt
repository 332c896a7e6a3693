package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.WordBundle

/**
 * Releases a keyboard's text in frames, according to its settings. Use it only while there is consent, in one
 * thread at a time.
 *
 * @param budgetFile file of the budget for frames, and for nothing else.
 */
internal class Framing(
    private val outbox: Outbox,
    private val budgetFile: File,
    private val random: RandomSource,
) {
    private var current: Prepared? = null

    /** Returns the reporter of text in frames; null if the settings have no frames. */
    fun reporter(bundle: WordBundle, settings: ReleaseSettings): TextReporter? {
        current?.takeIf { it.bundle === bundle && it.settings == settings }?.let { return it.reporter }
        val budget = PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), budgetFile)
        val reporter = settings.textReporter(bundle, outbox, budget, random)
        return reporter.also { current = Prepared(bundle, settings, it) }
    }

    /** Releases the next [words] of the text. Returns whether the settings have frames. */
    fun add(words: List<String>, bundle: WordBundle, settings: ReleaseSettings): Boolean {
        val reporter = reporter(bundle, settings) ?: return false
        words.forEach(reporter::word)
        return true
    }

    /** Ends the text. Returns whether one was released. */
    fun end(): Boolean = current?.reporter?.end() != null

    private class Prepared(
        val bundle: WordBundle,
        val settings: ReleaseSettings,
        val reporter: TextReporter?,
    )
}
