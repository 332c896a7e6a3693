package org.brrkit

import androidx.annotation.WorkerThread

/**
 * Replaces words at random, so that many reports together show the frequency of each word.
 *
 * Each word becomes one word of the vocabulary, or [UNKNOWN]. It stays with a known probability; otherwise one of
 * all symbols is drawn (k-ary randomized response: Kairouz, Oh and Viswanath 2014). The privacy loss between any two
 * words is the same, however similar they are. All unknown words are one symbol, with the same protection as any
 * other. For text that keeps its meaning, use [Privatizer]. A device sends only a [DaySample] of the outputs. Safe
 * to share between threads. Proof: `docs/explanation/proofs.md`, "Counts".
 *
 * ```
 * Counts(bundle).word("flight") // as calibrated
 * Counts.Builder(bundle).setting(CountsSetting(cap = 7.53)).memory(monthly).build()
 * ```
 */
public class Counts private constructor(builder: Builder) {
    private val bundle = builder.bundle
    private val memory = builder.memory
    private val random = builder.random
    private val isRecommended = builder.setting == null && memory == null

    /**
     * The setting in force, given or recommended; with a memory, its cap applies to the first draws.
     */
    public val setting: CountsSetting = resolveCounts(bundle, builder.setting)
    private val cap = setting.cap

    /** The cap of the second draws; null without a memory. */
    public val secondCap: Double? =
        if (memory == null) null else builder.secondCap ?: minOf(2 * cap, CAP_MAX)

    private val first = RandomizedResponse(cap, bundle.size + 1)
    private val second = secondCap?.let { RandomizedResponse(it, bundle.size + 1) }

    init {
        if (memory == null && builder.secondCap != null) {
            throw ParameterException("secondCap is for a memory's second draws; give a memory")
        }
    }

    /**
     * Prepares the setting that the [bundle] recommends for counts.
     *
     * @throws ParameterException the bundle recommends none.
     */
    public constructor(bundle: WordBundle) : this(Builder(bundle))

    /**
     * Prepares a [setting].
     *
     * @throws ParameterException a value is out of range.
     */
    public constructor(bundle: WordBundle, setting: CountsSetting) :
        this(Builder(bundle).setting(setting))

    /**
     * Options of [Counts]; each has a default.
     *
     * @param bundle an opened bundle.
     */
    public class Builder(internal val bundle: WordBundle) {
        internal var setting: CountsSetting? = null
            private set
        internal var memory: Memory? = null
            private set
        internal var secondCap: Double? = null
            private set
        internal var random: RandomSource = SystemRandom
            private set

        /**
         * The cap, and the number of words sent for a day. Without it, the bundle's setting for counts is used.
         */
        public fun setting(setting: CountsSetting): Builder = apply { this.setting = setting }

        /**
         * Gives each symbol one first draw for a whole period; all unknown words share one. The output is a
         * second draw from the first draw's result. See `docs/how-to/run-for-months.md`.
         */
        public fun memory(memory: Memory?): Builder = apply { this.memory = memory }

        /** The cap of the second draws; by default twice the cap, but at most 88. Only with a memory. */
        public fun secondCap(cap: Double): Builder = apply { secondCap = cap }

        /** Source of random bytes. Don't set it in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /**
         * Computes the thresholds.
         *
         * @throws ParameterException a value is out of range, or there is no setting and the bundle
         *   recommends none.
         */
        public fun build(): Counts = Counts(this)
    }

    /** The exact privacy loss between any two words in one draw; with a memory, a first draw. At most the cap. */
    public val loss: Double = keepLoss(first.threshold, first.symbols)

    /**
     * Returns the setting as JSON, in the form of reports: `spec/reports.md`, "Settings".
     *
     * @param repeats largest number of reports of one symbol that a device may send in a period of the memory.
     */
    public fun stated(repeats: Long): String = when {
        isRecommended -> "\"counts\""
        secondCap == null -> """{"mechanism": "counts", "cap": $cap}"""
        else -> """{"mechanism": "counts", "cap": $cap, "second_cap": $secondCap, "repeats": $repeats}"""
    }

    /**
     * Returns the output for [word]: a word of the vocabulary, or [UNKNOWN].
     *
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @WorkerThread
    public fun word(word: String): String = words(listOf(word))[0]

    /**
     * Returns the output for each of [words], each drawn separately.
     *
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @WorkerThread
    public fun words(words: List<String>): List<String> {
        val key = memory?.key()
        return words.map { released(it, key) }
    }

    private fun released(word: String, key: MemoryKey?): String {
        val id = bundle.tokenizer.lookUp(word)
        val symbol = if (id >= 0) id else bundle.size
        if (key == null || second == null) return spelled(first.draw(symbol, random))
        val draw = key.draw(bundle.digest, first.setting, if (id >= 0) spelled(id) else null)
        return spelled(second.draw(first.draw(symbol, draw), random))
    }

    private fun spelled(symbol: Int): String =
        if (symbol == bundle.size) UNKNOWN else bundle.vocabulary.word(symbol)

    public companion object {
        /** The output that stands for all unknown words. No word has this spelling. */
        public const val UNKNOWN: String = ""
    }
}

/**
 * Randomized response over [symbols] symbols.
 *
 * Proof: `docs/explanation/proofs.md`, "Counts".
 */
internal class RandomizedResponse(cap: Double, val symbols: Int) {
    /** The number of integers below 2^63 that keep the symbol. All others draw one of the symbols. */
    val threshold =
        keepThreshold(cap, symbols).also { checkKeep(it.toBigInteger(), cap, symbols) }
    val setting = MechanismSetting("counts", eightBytes(threshold))

    /**
     * Returns the output for [symbol]; draws two uniform integers.
     *
     * It draws both in any case and doesn't branch on the first, so its duration doesn't reveal whether the
     * symbol was kept.
     */
    fun draw(symbol: Int, random: RandomSource): Int {
        val number = uniformUpTo(Long.MAX_VALUE, random)
        val drawn = uniformBelow(symbols.toLong(), random).toInt()
        val kept = (number - threshold shr 63).toInt() // all bits if it is below, else none
        return drawn xor ((drawn xor symbol) and kept)
    }
}
