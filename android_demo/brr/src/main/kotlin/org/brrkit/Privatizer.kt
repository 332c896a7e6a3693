package org.brrkit

import androidx.annotation.WorkerThread
import org.brrkit.mechanisms.Exponential
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler

/**
 * What becomes of unknown words, those outside the vocabulary. There is no way to keep them.
 *
 * [DROP] and [ERROR] reveal which words were unknown: rare names, passwords, typos.
 */
public enum class Oov {
    /** One of the vocabulary's words, drawn uniformly, takes its place before the mechanism runs. */
    RANDOM,

    /** They are left out. */
    DROP,

    /** [OutOfVocabularyException]. */
    ERROR,
}

/**
 * Replaces words by privatized ones. Safe to share between threads.
 *
 * One token in, one word out: [tokenize] says what a token is, and `docs/reference/bundle-format.md` which word
 * of the vocabulary it stands for. The guarantee and its assumptions are in `docs/explanation/threat-model.md`.
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
 * More than an epsilon and a mechanism takes a [Builder].
 */
public class Privatizer private constructor(builder: Builder) {
    private val bundle = builder.bundle
    private val oov = builder.oov
    private val budget = builder.budget
    private val memory = builder.memory
    private val random = builder.random
    private val mechanism = builder.first()

    /** Draws again from what the mechanism drew first, if there is a memory. */
    private val second = builder.second(mechanism.epsilon)

    /**
     * Prepares the setting that the [bundle] recommends (`brr calibrate --write`), all of it: its
     * mechanism, epsilon and parameters.
     *
     * @throws ParameterException the bundle recommends none.
     * @throws BundleException the recommended setting isn't one that this version can run.
     */
    public constructor(bundle: WordBundle) : this(Builder(bundle))

    /**
     * Prepares [Mechanism.exponential] with an [epsilon] per bit of Hamming distance.
     *
     * @throws ParameterException epsilon isn't from 1e-9 to 22.18.
     */
    public constructor(bundle: WordBundle, epsilon: Double) : this(Builder(bundle).epsilon(epsilon))

    /**
     * Prepares a [mechanism] with an [epsilon] per bit of Hamming distance.
     *
     * @throws ParameterException epsilon isn't from 1e-9 to 22.18, or the mechanism's parameters
     *   don't suit the bundle.
     */
    public constructor(bundle: WordBundle, epsilon: Double, mechanism: Mechanism) :
        this(Builder(bundle).epsilon(epsilon).mechanism(mechanism))

    /**
     * Options of a [Privatizer]; what isn't set has a default.
     *
     * ```
     * Privatizer.Builder(bundle)
     *     .epsilon(0.6)
     *     .mechanism(Mechanism.exponential(6))
     *     .budget(daily)
     *     .build()
     * ```
     *
     * @param bundle an opened bundle.
     */
    public class Builder(internal val bundle: WordBundle) {
        private var epsilon: Double? = null
        private var mechanism: Mechanism? = null
        private var secondEpsilon: Double? = null
        private var randomizer: Randomizer = KotlinRandomizer
        internal var oov: Oov = Oov.RANDOM
            private set
        internal var budget: PrivacyBudget? = null
            private set
        internal var memory: Memory? = null
            private set
        internal var random: RandomSource = SystemRandom
            private set

        /**
         * Privacy parameter per bit of Hamming distance, from 1e-9 to 22.18; with a memory, of the
         * first draws. Without it, the bundle's recommended setting is used, all of it.
         */
        public fun epsilon(epsilon: Double): Builder = apply { this.epsilon = epsilon }

        /**
         * How a word is privatized; [Mechanism.exponential] by default. Only with an epsilon,
         * because an epsilon is chosen for one mechanism.
         */
        public fun mechanism(mechanism: Mechanism): Builder = apply { this.mechanism = mechanism }

        /** What becomes of unknown words; [Oov.RANDOM] by default. */
        public fun oov(oov: Oov): Builder = apply { this.oov = oov }

        /**
         * Counts [certifiedEpsilon] for every word that is given, before anything is known of it,
         * and refuses what would exceed its limit. With a memory, it counts a word once in a period.
         */
        public fun budget(budget: PrivacyBudget?): Builder = apply { this.budget = budget }

        /**
         * Gives a word the same first draw in a whole period; what is released is a second draw, of
         * the word that the first one gave. See `docs/how-to/repeated-words.md`.
         */
        public fun memory(memory: Memory?): Builder = apply { this.memory = memory }

        /** Of the second draws; twice the epsilon by default, at most 22.18. Only with a memory. */
        public fun secondEpsilon(epsilon: Double): Builder = apply { secondEpsilon = epsilon }

        /** Source of random bytes. Leave it alone in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /** What flips the bits of codes; every form gives the same. */
        public fun randomizer(randomizer: Randomizer): Builder =
            apply { this.randomizer = randomizer }

        /**
         * Prepares the mechanism.
         *
         * @throws ParameterException an option is out of range, needs another one, or doesn't suit
         *   the bundle, or there is no epsilon and the bundle recommends none.
         * @throws BundleException the recommended setting isn't one that this version can run.
         */
        public fun build(): Privatizer = Privatizer(this)

        /** The recommended setting, where that is used. */
        internal val setting: Setting?
            get() = bundle.recommended.takeIf { epsilon == null }

        internal fun first(): Sampler {
            val epsilon = epsilon
            return when {
                epsilon != null -> (mechanism ?: Mechanism.exponential())
                    .sampler(Ingredients(bundle, epsilon, randomizer))
                mechanism == null -> recommended(bundle, randomizer)
                else -> throw ParameterException("a mechanism needs an epsilon; give epsilon too")
            }
        }

        /** Draws after the first ones, whose epsilon is [first]: of the same mechanism. */
        internal fun second(first: Double): Sampler? = when {
            memory != null -> {
                val mechanism = setting?.let(Mechanism::of) ?: mechanism ?: Mechanism.exponential()
                val epsilon = secondEpsilon ?: minOf(2 * first, EPSILON_MAX)
                mechanism.sampler(Ingredients(bundle, epsilon, randomizer))
            }
            secondEpsilon == null -> null
            else -> throw ParameterException(
                "secondEpsilon is for the draws after a memory's; give a memory",
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
     * What a word loses per bit of Hamming distance on this vocabulary; the budget spends it.
     *
     * The certificate's, where the bundle's recommended setting is used and has one; otherwise
     * [effectiveEpsilon]. Never above [epsilon].
     */
    public val certifiedEpsilon: Double =
        builder.setting?.certifiedEpsilon ?: mechanism.effectiveEpsilon

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
    public fun words(words: List<String>): List<String> = spelled(released(listOf(words))[0])

    /** Returns what releases the words of one text as they are typed, one after the other. */
    public fun stream(): Stream = Stream(this)

    /** Pays for the words of all [lists] at once, then draws ids list by list, after [before]. */
    private fun released(lists: List<List<String>>, before: Int = Masses.NONE): List<IntArray> {
        val words = lists.flatten()
        val ids = words.map { lookUp(it, bundle.vocabulary::find) }
        val found = ids.zip(paidSources(words, ids)).iterator()
        if (oov == Oov.ERROR && ids.any { it < 0 }) {
            throw OutOfVocabularyException(
                "word ${ids.indexOfFirst { it < 0 } + 1} of ${ids.size} is out of vocabulary " +
                    "(policy ERROR); choose the policy RANDOM or DROP, or a larger vocabulary",
            )
        }
        return lists.map { list -> drawn(list.map { found.next() }, before) }
    }

    /** Returns an id for each, drawn with the source beside it where that is the first. */
    private fun drawn(typed: List<Pair<Int, RandomSource>>, before: Int): IntArray {
        val found = if (oov == Oov.DROP) typed.filter { (id, _) -> id >= 0 } else typed
        val inputs = found.map { (id, source) ->
            if (id >= 0) id else uniformBelow(bundle.size.toLong(), source).toInt()
        }
        val second = second
        return if (second == null) {
            mechanism.release(inputs.map(bundle.codes::get), random, before)
        } else {
            val first = inputs.zip(found) { id, (_, source) ->
                mechanism.release(listOf(bundle.codes[id]), source, Masses.NONE)[0]
            }
            second.release(first.map(bundle.codes::get), random, before)
        }
    }

    private fun spelled(released: IntArray): List<String> = released.map(bundle.vocabulary::word)

    /** Pays for the draws of [words]; returns where each one's first takes its random bytes. */
    private fun paidSources(words: List<String>, ids: List<Int>): List<RandomSource> {
        if (memory == null) {
            budget?.spend(certifiedEpsilon, words.size, unit = bundle.digest)
            return words.map { random }
        }
        val key = memory.key()
        val draws = words.zip(ids) { word, id ->
            val token = if (id >= 0) bundle.vocabulary.word(id) else normalize(word)
            key.draw(bundle.digest, mechanism.setting, token, known = id >= 0)
        }
        if (budget != null) {
            memory.pay(key, draws) { budget.spend(certifiedEpsilon, it, unit = bundle.digest) }
        }
        return draws
    }

    /**
     * Returns the privatized words of [text], joined by single spaces: one for each token.
     *
     * Case, punctuation, numbers' separators, line breaks and everything else between tokens are
     * dropped.
     *
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
     */
    @WorkerThread
    public fun text(text: String): String = words(tokenize(text)).joinToString(" ")

    /**
     * Returns what [text] makes of each of [texts], in order, paid for at once.
     *
     * The same random bytes give the same words as calls of [text] one after the other. All or
     * nothing: where the budget doesn't allow the words of all texts, none is released.
     *
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow all of it; nothing is released then.
     * @throws MemoryFileException the memory's key can't be used; nothing is released then.
     */
    @WorkerThread
    public fun texts(texts: List<String>): List<String> =
        released(texts.map(::tokenize)).map { spelled(it).joinToString(" ") }

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
        public fun word(word: String): String? {
            val released = privatizer.released(listOf(listOf(word)), before)[0]
            if (released.isEmpty()) return null
            before = released[0]
            return privatizer.spelled(released)[0]
        }
    }
}

private fun recommended(bundle: WordBundle, randomizer: Randomizer): Sampler {
    val setting = bundle.recommended ?: throw ParameterException(
        "there is no epsilon, and the bundle recommends none; give epsilon, or write one into " +
            "the bundle with 'brr calibrate --write'",
    )
    try {
        val sampler = Mechanism.of(setting).sampler(Ingredients(bundle, setting.epsilon, randomizer))
        checkCertificate(setting, bundle, sampler)
        return sampler
    } catch (error: ParameterException) {
        throw BundleException(
            "${bundle.manifestPath}: field 'recommended': ${error.message}; write it again with " +
                "'brr calibrate --write'",
        )
    }
}

/** Throws [ParameterException] if there is a certificate, and not for this setting and bundle. */
private fun checkCertificate(setting: Setting, bundle: WordBundle, sampler: Sampler) {
    val certificate = setting.certificate ?: return
    if (sampler !is Exponential) {
        throw ParameterException(
            "a certificate is for mechanism 'exponential', not '${setting.mechanism}'",
        )
    }
    if (sampler.base == Base.LANGUAGE) {
        throw ParameterException("base 'language' has no certificate")
    }
    if (certificate.index != bundle.digest) {
        throw ParameterException("its certificate is of another index.safetensors")
    }
    if (certificate.certifiedEpsilon !in setting.epsilon / 2..setting.epsilon) {
        throw ParameterException("its certified_epsilon isn't from epsilon / 2 to epsilon")
    }
}
