package org.brrkit

import androidx.annotation.WorkerThread
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler

/**
 * What becomes of unknown words, those outside the vocabulary. There is no way to keep them.
 *
 * [DROP] and [ERROR] reveal which words were unknown: rare names, passwords, typos.
 */
public enum class Oov {
    /** A word of the vocabulary, drawn by the words' masses, takes its place before the mechanism runs. */
    RANDOM,

    /** They are left out. */
    DROP,

    /** [OutOfVocabularyException]. */
    ERROR,
}

/**
 * Replaces words with privatized ones. Safe to share between threads.
 *
 * One token in, one word out: [WordBundle.tokenize] says what a token is, and `spec/bundle-format.md` which
 * word of the vocabulary it stands for. The guarantee and its assumptions are in `docs/explanation/threat-model.md`.
 * Proof: `docs/explanation/proofs.md`, "Texts". Proof for unknown words: `docs/explanation/proofs.md`, "Words outside the
 * vocabulary". Proof for a certificate: `docs/explanation/proofs.md`, "The exact loss, certified".
 *
 * ```
 * val privatizer = Privatizer(WordBundle.open(assets, "bundle")) // as calibrated; make it once
 * executor.execute { send(privatizer.text(typed)) } // away from the main thread
 * ```
 *
 * Nothing here starts a thread, and nothing is `suspend`: a release takes microseconds to
 * milliseconds, and with a [PrivacyBudget] or a [Memory] it waits for the disk. Run it on an
 * executor of yours, or in `withContext(Dispatchers.IO) { ... }`.
 *
 * More than a setting takes a [Builder].
 */
public class Privatizer private constructor(builder: Builder) {
    private val bundle = builder.bundle
    private val oov = builder.oov
    private val budget = builder.budget
    private val memory = builder.memory
    private val random = builder.random
    private val inForce = resolve(bundle, builder.setting, builder.randomizer)
    private val mechanism = inForce.sampler

    /** The setting that is in force, given or recommended. */
    public val setting: Setting
        get() = inForce.setting

    /** Draws again from what the mechanism drew first, if there is a memory. */
    private val second = builder.second(inForce.setting)
    private val passing = bundle.policy.passing

    /** What a memory's draws are of. Those of other passing words take other bytes. */
    private val keyed = mechanism.setting.run {
        if (passing == null) this else MechanismSetting(mechanism, numbers + passing.numbers)
    }

    /**
     * Prepares the setting that the [bundle] recommends (`brr calibrate --write`), all of it.
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
     * Options of a [Privatizer]; what isn't set has a default.
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
         * Epsilon and mechanism; with a memory, of the first draws. Without it, the bundle's
         * recommended setting is used, all of it.
         */
        public fun setting(setting: Setting): Builder = apply { this.setting = setting }

        /** What becomes of unknown words; [Oov.RANDOM] by default. */
        public fun oov(oov: Oov): Builder = apply { this.oov = oov }

        /**
         * Counts [certifiedEpsilon] for every given word before it looks at the word, and refuses what would
         * exceed its limit, even with a memory, so that a refusal reveals nothing about what was typed.
         */
        public fun budget(budget: PrivacyBudget?): Builder = apply { this.budget = budget }

        /**
         * Gives a word the same first draw for a whole period; the released word is a second draw, from the
         * output of the first. See `docs/how-to/run-for-months.md`.
         */
        public fun memory(memory: Memory?): Builder = apply { this.memory = memory }

        /**
         * The epsilon of the second draws; twice the setting's by default, at most 22.18. Only with a memory.
         */
        public fun secondEpsilon(epsilon: Double): Builder = apply { secondEpsilon = epsilon }

        /** Source of random bytes. Leave it alone in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /** Flips the bits of codes; every implementation flips the same ones. */
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

        /** Draws after the [first] ones: of the same mechanism. */
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
     * The mechanism's parameter, per bit of Hamming distance; of the first draws with a memory.
     *
     * It fixes every probability: two privatizers of a bundle with the same epsilon and mechanism
     * are the same.
     */
    public val epsilon: Double
        get() = mechanism.epsilon

    /** The epsilon that the integers give, rounded up, for any vocabulary; at most [epsilon]. */
    public val effectiveEpsilon: Double
        get() = mechanism.effectiveEpsilon

    /**
     * The privacy loss per bit of Hamming distance on this vocabulary, which the budget counts.
     *
     * It is the certificate's, if the setting has one; otherwise [effectiveEpsilon]. Never above [epsilon].
     */
    public val certifiedEpsilon: Double = setting.certifiedEpsilon ?: mechanism.effectiveEpsilon

    /**
     * Returns the privatized [word], or null if [Oov.DROP] leaves it out.
     *
     * It is a text of one word; for the words of one text, one after the other, see [stream]. A
     * string that isn't one token ("", "hello world", "hello,") is one unknown word, unless the
     * vocabulary has exactly that.
     *
     * @throws OutOfVocabularyException the word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
     */
    @WorkerThread
    public fun word(word: String): String? = words(listOf(word)).firstOrNull()

    /**
     * Returns the privatized [words] of one text, in order.
     *
     * Without a memory each is drawn independently of what else is typed. Each is taken as [word]
     * takes it. Under [Oov.DROP] the result can be shorter than [words].
     *
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
     */
    @WorkerThread
    public fun words(words: List<String>): List<String> =
        spelled(released(listOf(words.map(bundle.tokenizer::lookUp)))[0])

    /** Returns a stream, which releases the words of one text as they are typed. */
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

    /** Returns an id for each, drawn with the source beside it where that is the first. */
    private fun drawn(all: List<Pair<Int, RandomSource>>, before: Int): IntArray {
        val found = if (oov == Oov.DROP) all.filter { (id, _) -> id >= 0 } else all
        val ids = found.map { (id, source) -> if (id >= 0) id else bundle.masses.draw(source) }
        if (second == null) return step(mechanism, found.map { it.first }, ids, random, before)
        val first = ids.zip(found) { id, (typed, source) ->
            step(mechanism, listOf(typed), listOf(id), source, Masses.NONE)[0]
        }
        return step(second, first, first, random, before)
    }

    /** Returns what a draw of each of [ids] gives, or what was [typed] where that passes. */
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

    /** Pays for the draws of words; returns where each one's first takes its random bytes. */
    private fun paidSources(typed: List<Int>): List<RandomSource> {
        val key = memory?.key()
        // By number alone: what is refused would tell else which words were typed before.
        budget?.spend(certifiedEpsilon, typed.size, unit = bundle.digest)
        if (key == null) return typed.map { random }
        return typed.map { id ->
            key.draw(bundle.digest, keyed, if (id >= 0) bundle.vocabulary.word(id) else null)
        }
    }

    /**
     * Returns the privatized words of [text], joined by single spaces: one for each token.
     *
     * Case, punctuation, numbers' separators, line breaks and everything else between tokens are
     * dropped.
     *
     * ```
     * privatizer.text("Priya has a cold", listOf(Mark(0, 5, "names")))
     * ```
     *
     * @param marks parts of it that are one token each: a word of a list, or an unknown one. They are
     *   widened to whole tokens; those that overlap are one, of the first one's list.
     * @param rest what becomes of the text between marks. [Rest.PASS]: it **leaves as it was typed**; only
     *   the marks' words are replaced, paid for, and protected. What no mark covers is shown.
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or is of no list of
     *   the policy.
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
     */
    @JvmOverloads
    @WorkerThread
    public fun text(text: String, marks: List<Mark> = emptyList(), rest: Rest = Rest.RELEASE): String =
        texts(listOf(text), listOf(marks), rest)[0]

    /**
     * Returns the output of [text] for each of [texts], in order, paid for at once.
     *
     * The same random bytes give the same words as calls of [text] one after the other. All or
     * nothing: where the budget doesn't allow the words of all texts, none is released.
     *
     * @param marks those of each text; by default none has some.
     * @param rest as in [text].
     * @throws ParameterException as [text]; or there are not as many lists of marks as texts.
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow all of it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
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

    /** Returns what [marks] are typed as. */
    private fun heads(marks: List<Mark>): List<Int> = marks.map { bundle.policy.headOf(it.list) }

    /**
     * Returns what the tokens of [text] are typed as, each of its [marks] being one.
     *
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or is of no list of
     *   the policy.
     */
    internal fun typed(text: String, marks: List<Mark>): List<Int> {
        val cut = cutMarks(text, marks, bundle)
        val heads = heads(cut)
        return around(text, cut).flatMapIndexed { place, part ->
            bundle.tokenizer.read(part).map(Token::wordId) + listOfNotNull(heads.getOrNull(place))
        }
    }

    /** Returns what stands in the place of each of [marks], for which words were [released]. */
    private fun instead(marks: List<Mark>, released: IntArray): List<String> {
        val words = spelled(released).iterator()
        return marks.map { mark -> if (oov == Oov.DROP && mark.list == null) "" else words.next() }
    }

    /**
     * A text that is released word by word, as it is typed. Begin another one for another text.
     *
     * It holds the last word that was released, and nothing that was typed. Not for several threads
     * at once: they would release one text in two orders.
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
         * @throws BudgetException the budget doesn't allow it; nothing is released then.
         * @throws MemoryFileException the memory's key can't be used; nothing is released then.
         */
        @WorkerThread
        public fun word(word: String): String? = released(privatizer.bundle.tokenizer.lookUp(word))

        /** Returns the privatized word of what was [typed]. */
        internal fun released(typed: Int): String? {
            val released = privatizer.released(listOf(listOf(typed)), before)[0]
            if (released.isEmpty()) return null
            before = released[0]
            return privatizer.spelled(released)[0]
        }
    }
}
