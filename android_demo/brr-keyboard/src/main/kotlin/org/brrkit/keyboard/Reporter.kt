package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.IOException
import java.time.Duration
import org.brrkit.BudgetException
import org.brrkit.Counts
import org.brrkit.Memory
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle

/**
 * Releases typed words for counting, and stores a sample of each day in an [outbox].
 *
 * ```
 * val settings = ReportSettings(CountsSetting(cap = 7.53))
 * Reporter(outbox).report(bundle.tokenize(typed), bundle, settings, budget)
 * ```
 *
 * `docs/explanation/proofs.md`, "Counts", bounds the privacy loss of a person's day. Safe to share between
 * threads.
 *
 * @param memory the memory, if there is one. It may also be the memory for text.
 * @param random source of random bytes. Don't set it in production.
 */
public class Reporter @JvmOverloads constructor(
    internal val outbox: Outbox,
    private val memory: Memory? = null,
    private val random: RandomSource = SystemRandom,
) {
    private var current: Prepared? = null

    /**
     * Releases [words], and stores the outputs that the day's sample selects.
     *
     * @param budget counts [Counts.loss] for each report of the day, before the draw. An output that replaces
     *   another one costs nothing more.
     * @return whether words are reported; false if neither the settings nor the bundle have a setting for counts.
     * @throws BudgetException the budget doesn't allow another report; nothing was released.
     * @throws ParameterException a setting is out of range.
     * @throws IOException the outbox can't be written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun report(
        words: List<String>,
        bundle: WordBundle,
        settings: ReportSettings,
        budget: PrivacyBudget?,
    ): Boolean {
        val prepared = prepared(bundle, settings) ?: return false
        outbox.add(prepared.source, prepared.counts.setting.wordsADay, words.size, random) { new ->
            if (new > 0) budget?.spend(prepared.counts.loss, new, unit = bundle.digest)
            prepared.counts.words(words)
        }
        return true
    }

    @Synchronized
    private fun prepared(bundle: WordBundle, settings: ReportSettings): Prepared? {
        current?.takeIf { it.bundle === bundle && it.settings == settings }?.let { return it }
        val builder = Counts.Builder(bundle).memory(memory).random(random)
        settings.setting?.let(builder::setting) ?: bundle.counts ?: return null
        return Prepared(bundle, settings, builder.build()).also { current = it }
    }

    private inner class Prepared(
        val bundle: WordBundle,
        val settings: ReportSettings,
        val counts: Counts,
    ) {
        /** The largest number of reports of one word on the days that a memory's period overlaps. */
        private val repeats = memory?.let { counts.setting.wordsADay * (daysOf(it.period) + 1) } ?: 1
        val source = ReportSource(bundle.manifest["sha256"] as String, counts.stated(repeats))
    }

    private companion object {
        const val DAY_SECONDS = 24L * 3600

        /** Rounded up. */
        fun daysOf(period: Duration): Long = Math.floorDiv(period.minusNanos(1).seconds, DAY_SECONDS) + 1
    }
}
