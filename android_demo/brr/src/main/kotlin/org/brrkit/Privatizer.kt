package org.brrkit

import androidx.annotation.WorkerThread
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler

/**
 * Policies for unknown words, those outside the vocabulary. No policy keeps unknown words.
 *
 * [DROP] and [ERROR] reveal which words were unknown, such as rare names, passwords or typos.
 */
public enum class Oov {
    /** A word of the vocabulary, drawn in proportion to its mass, replaces each before the mechanism runs. */
    RANDOM,

    /** They are left out. */
    DROP,

    /** [OutOfVocabularyException]. */
    ERROR,
}

/**
 * Replaces words with privatized ones. Safe to share between threads.
 *
 * Each token becomes one word. [WordBundle.tokenize] cuts text into tokens, and `spec/bundle-format.md` specifies the
 * word that a token is typed as. The guarantee and its assumptions are in `docs/explanation/threat-model.md`.
 * Proof: `docs/explanation/proofs.md`, "Texts". Proof for unknown words: `docs/explanation/proofs.md`, "Words outside the
 * vocabulary". Proof for a certificate: `docs/explanation/proofs.md`, "The certified epsilon".
 *
 * ```
 * val privatizer = Privatizer(WordBundle.open(assets, "bundle")) // as calibrated; create it once
 * executor.execute { send(privatizer.text(typed)) } // away from the main thread
 * ```
 *
 * This class starts no thread, and has no `suspend` functions. A release takes microseconds to milliseconds;
 * with a [PrivacyBudget] or a [Memory], it waits for the disk. Run it on your own executor, or in
 * `withContext(Dispatchers.IO) { ... }`.
 *
 * For options other than a setting, use a [Builder].
 */
public class Privatizer private constructor(builder: Builder) {
    private val bundle = builder.bundle
    private val oov = builder.oov
    private val budget = builder.budget
    private val memory = builder.memory
    private val random = builder.random
    private val inForce = resolve(bundle, builder.setting, builder.randomizer)
    private val mechanism = inForce.sampler

    /** The setting in force, given or recommended. */
    public val setting: Setting
        get() = inForce.setting

    /** Makes the second draw from the first draw's result; null without a memory. */
    private val second = builder.second(inForce.setting)
    private val passing = bundle.policy.passing

    /** The setting for a memory's draws. Other passing words give other random bytes. */
    private val keyed = mechanism.setting.run {
        if (passing == null) this else MechanismSetting(mechanism, numbers + passing.numbers)
    }

    /**
     * Prepares the whole setting that the [bundle] recommends (`brr calibrate --write`).
     *
     * @throws ParameterException the bundle recommends none, or it is a list.
     * @throws BundleException the recommended setting isn't one that this version can run.
     */
    public constructor(bundle: WordBundle) : this(Builder(bundle))

    /**
     * Prepares a [setting].
     *
     * @throws ParameterException a value is unknown or out of range, or doesn't suit the bundle; the
     *   certificate belongs to another setting or bundle; or the bundle is a list.
     */
    public constructor(bundle: WordBundle, setting: Setting) : this(Builder(bundle).setting(setting))

    /**
     * Options of a [Privatizer]; each has a default.
     *
     * ```
     * Privatizer.Builder(bundle)
     *     .setting(Setting(0.6, Mechanism.exponential(6)))
     *     .budget(daily)
     *     .build()
     * ```
     *
     * @param bundle an opened bundle.
     */
    public class Builder(internal val bundle: WordBundle) {
        private var secondEpsilon: Double? = null
        internal var setting: Setting? = null
            private set
        internal var randomizer: Randomizer = KotlinRandomizer
            private set
        internal var oov: Oov = Oov.RANDOM
            private set
        internal var budget: PrivacyBudget? = null
            private set
        internal var memory: Memory? = null
            private set
        internal var random: RandomSource = SystemRandom
            private set

        /**
         * Epsilon and mechanism; with a memory, those of the first draws. Without it, the whole setting
         * that the bundle recommends is used.
         */
        public fun setting(setting: Setting): Builder = apply { this.setting = setting }

        /** The policy for unknown words; [Oov.RANDOM] by default. */
        public fun oov(oov: Oov): Builder = apply { this.oov = oov }

        /**
         * Counts [certifiedEpsilon] for each word to release, and refuses a release that would exceed its limit.
         * The cost depends only on the number of words: unknown and repeated words cost the same, with a memory,
         * too.
         */
        public fun budget(budget: PrivacyBudget?): Builder = apply { this.budget = budget }

        /**
         * Gives each word one first draw for a whole period. The released word is a second draw from the first
         * draw's word. See `docs/how-to/run-for-months.md`.
         */
        public fun memory(memory: Memory?): Builder = apply { this.memory = memory }

        /**
         * The epsilon of the second draws; by default twice the setting's, but at most 22.18. Only with a memory.
         */
        public fun secondEpsilon(epsilon: Double): Builder = apply { secondEpsilon = epsilon }

        /** Source of random bytes. Don't set it in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /** Flips the bits of codes; all implementations flip the same bits. */
        public fun randomizer(randomizer: Randomizer): Builder =
            apply { this.randomizer = randomizer }

        /**
         * Prepares the mechanism.
         *
         * @throws ParameterException a value is unknown or out of range, needs another one, or doesn't suit
         *   the bundle, the certificate belongs to another setting or bundle, there is no setting and the
         *   bundle recommends none, or it is a list.
         * @throws BundleException the recommended setting isn't one that this version can run.
         */
        public fun build(): Privatizer = Privatizer(this)

        /** Returns the setting of the draws after the [first] ones, with the same mechanism. */
        internal fun second(first: Setting) = when {
            memory != null -> {
                val epsilon = secondEpsilon ?: minOf(2 * first.epsilon, EPSILON_MAX)
                first.mechanism.sampler(Ingredients(bundle, epsilon, randomizer))
            }
            secondEpsilon == null -> null
            else -> throw ParameterException(
                "secondEpsilon is for a memory's second draws; give a memory",
            )
        }
    }

    /**
     * The mechanism's privacy parameter per bit of Hamming distance; with a memory, that of the first draws.
     *
     * Two privatizers with the same bundle, epsilon and mechanism have the same output probabilities.
     */
    public val epsilon: Double
        get() = mechanism.epsilon

    /** The privacy loss per bit that the mechanism's integers have in any vocabulary, rounded up; at most [epsilon]. */
    public val effectiveEpsilon: Double
        get() = mechanism.effectiveEpsilon

    /**
     * The privacy loss per bit of Hamming distance on this vocabulary, which the budget counts.
     *
     * The certificate states it, if the setting has one; otherwise it is [effectiveEpsilon]. Never above [epsilon].
     */
    public val certifiedEpsilon: Double = setting.certifiedEpsilon ?: mechanism.effectiveEpsilon

    /**
     * Returns the privatized [word], or null if [Oov.DROP] leaves it out.
     *
     * The word counts as a text of its own. To release the words of one text one by one, use [stream]. A string
     * that isn't one token ("", "hello world", "hello,") is one unknown word, unless the vocabulary has exactly
     * this string.
     *
     * @throws OutOfVocabularyException the word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow the release; nothing is released.
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @WorkerThread
    public fun word(word: String): String? = words(listOf(word)).firstOrNull()

    /**
     * Returns the privatized [words] of one text, in order.
     *
     * Each string is read as [word] reads it. With [Oov.DROP], the result can be shorter than [words].
     *
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow the release; nothing is released.
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @WorkerThread
    public fun words(words: List<String>): List<String> =
        spelled(released(listOf(words.map(bundle.tokenizer::lookUp)))[0])

    /** Returns a stream that releases the words of one text one by one, as they are typed. */
    public fun stream(): Stream = Stream(this)

    /** Pays for the words of all [texts] at once, then draws ids text by text, after [before]. */
    private fun released(texts: List<List<Int>>, before: Int = Masses.NONE): List<IntArray> {
        val typed = texts.flatten()
        val sources = paidSources(typed).iterator()
        if (oov == Oov.ERROR && UNKNOWN_WORD in typed) {
            throw OutOfVocabularyException(
                "word ${typed.indexOf(UNKNOWN_WORD) + 1} of ${typed.size} is out of vocabulary " +
                    "(policy ERROR); choose the policy RANDOM or DROP, or a larger vocabulary",
            )
        }
        return texts.map { text -> drawn(text.map { it to sources.next() }, before) }
    }

    /** Returns a drawn id for each word of [all]; the source next to it is for its first draw. */
    private fun drawn(all: List<Pair<Int, RandomSource>>, before: Int): IntArray {
        val found = if (oov == Oov.DROP) all.filter { (id, _) -> id >= 0 } else all
        val ids = found.map { (id, source) -> if (id >= 0) id else bundle.masses.draw(source) }
        if (second == null) return step(mechanism, found.map { it.first }, ids, random, before)
        val first = ids.zip(found) { id, (typed, source) ->
            step(mechanism, listOf(typed), listOf(id), source, Masses.NONE)[0]
        }
        return step(second, first, first, random, before)
    }

    /** Returns a drawn id for each of [ids]; a word of [typed] that passes keeps its id. */
    private fun step(
        sampler: Sampler,
        typed: List<Int>,
        ids: List<Int>,
        random: RandomSource,
        before: Int,
    ): IntArray {
        val codes = ids.map(bundle.codes::get)
        if (passing == null) return sampler.release(codes, random, before)
        var last = before
        return IntArray(ids.size) { place ->
            val passes = passing.coin(typed[place], random)
            val drawn = sampler.release(listOf(codes[place]), random, last)[0]
            last = drawn xor ((drawn xor ids[place]) and passes)
            last
        }
    }

    private fun spelled(released: IntArray): List<String> = released.map(bundle.vocabulary::word)

    /** Pays for the draws of words; returns the source of random bytes of each first draw. */
    private fun paidSources(typed: List<Int>): List<RandomSource> {
        val key = memory?.key()
        // The number alone decides; otherwise a refusal would reveal repeated words.
        budget?.spend(certifiedEpsilon, typed.size, unit = bundle.digest)
        if (key == null) return typed.map { random }
        return typed.map { id ->
            key.draw(bundle.digest, keyed, if (id >= 0) bundle.vocabulary.word(id) else null)
        }
    }

    /**
     * Returns the privatized words of [text], one for each token, joined by single spaces.
     *
     * The output has no case, punctuation, line breaks or separators of numbers, and nothing else that was
     * typed between tokens.
     *
     * ```
     * privatizer.text("Priya has a cold", listOf(Mark(0, 5, "names")))
     * ```
     *
     * @param marks parts of the text that are one token each: a word of a list, or an unknown word. They are
     *   widened to whole tokens. Overlapping marks are merged, and keep the list of the first.
     * @param rest treatment of the text outside marks. [Rest.PASS]: it **leaves the device as typed**, visible
     *   to everybody; only the marked words are replaced, paid for, and protected.
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the
     *   policy lacks.
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow the release; nothing is released.
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @JvmOverloads
    @WorkerThread
    public fun text(text: String, marks: List<Mark> = emptyList(), rest: Rest = Rest.RELEASE): String =
        texts(listOf(text), listOf(marks), rest)[0]

    /**
     * Returns the output of [text] for each of [texts], in order, paid for at once.
     *
     * The same random bytes give the same words as separate calls of [text]. If the budget doesn't allow the
     * words of all texts, none is released.
     *
     * @param marks the marks of each text; by default none.
     * @param rest treatment of the text outside marks, as for [text].
     * @throws ParameterException as for [text]; or the numbers of texts and of lists of marks differ.
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow all texts; nothing is released.
     * @throws MemoryFileException the memory's key can't be used; nothing is released.
     */
    @JvmOverloads
    @WorkerThread
    public fun texts(
        texts: List<String>,
        marks: List<List<Mark>> = texts.map { emptyList() },
        rest: Rest = Rest.RELEASE,
    ): List<String> {
        if (marks.size != texts.size) {
            throw ParameterException("marks needs one list of marks for each text")
        }
        if (rest == Rest.PASS) {
            val cut = texts.zip(marks) { text, ofText -> cutMarks(text, ofText, bundle) }
            val released = released(cut.map(::heads))
            return texts.indices.map { replaced(texts[it], cut[it], instead(cut[it], released[it])) }
        }
        return released(texts.zip(marks, ::typed)).map { spelled(it).joinToString(" ") }
    }

    /** Returns the ids that [marks] are typed as. */
    private fun heads(marks: List<Mark>): List<Int> = marks.map { bundle.policy.headOf(it.list) }

    /**
     * Returns the ids that the tokens of [text] are typed as; each mark is one token.
     *
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the
     *   policy lacks.
     */
    internal fun typed(text: String, marks: List<Mark>): List<Int> {
        val cut = cutMarks(text, marks, bundle)
        val heads = heads(cut)
        return around(text, cut).flatMapIndexed { place, part ->
            bundle.tokenizer.read(part).map(Token::wordId) + listOfNotNull(heads.getOrNull(place))
        }
    }

    /** Returns the replacement for each of [marks], by the [released] words. */
    private fun instead(marks: List<Mark>, released: IntArray): List<String> {
        val words = spelled(released).iterator()
        return marks.map { mark -> if (oov == Oov.DROP && mark.list == null) "" else words.next() }
    }

    /**
     * Releases a text word by word, as it is typed. Use another stream for another text.
     *
     * It stores only the last released word, and nothing typed. Don't use it in several threads at once: their
     * words would mix in one text.
     *
     * ```
     * val stream = privatizer.stream()
     * sentence.mapNotNull(stream::word)
     * ```
     */
    public class Stream internal constructor(
        private val privatizer: Privatizer,
        private var before: Int = Masses.NONE,
    ) {
        /**
         * Returns the privatized [word], or null if [Oov.DROP] leaves it out.
         *
         * @throws OutOfVocabularyException the word is out of vocabulary and the policy is
         *   [Oov.ERROR].
         * @throws BudgetException the budget doesn't allow the release; nothing is released.
         * @throws MemoryFileException the memory's key can't be used; nothing is released.
         */
        @WorkerThread
        public fun word(word: String): String? = released(privatizer.bundle.tokenizer.lookUp(word))

        /** Returns the privatized word for the id [typed]. */
        internal fun released(typed: Int): String? {
            val released = privatizer.released(listOf(listOf(typed)), before)[0]
            if (released.isEmpty()) return null
            before = released[0]
            return privatizer.spelled(released)[0]
        }
    }
}
