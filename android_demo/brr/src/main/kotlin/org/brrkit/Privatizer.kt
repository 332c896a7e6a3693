package org.brrkit

import org.brrkit.mechanisms.DEFAULT_MECHANISM
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Mechanism
import org.brrkit.mechanisms.createMechanism

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
 * One token in, one word out: [tokenize] says what a token is, and [lookUp] which word of the
 * vocabulary it stands for. The guarantee, its proof and its assumptions are in `docs/privacy.md`.
 *
 * @param bundle an opened bundle.
 * @param epsilon privacy parameter per bit of Hamming distance. Without it, the bundle's recommended
 *   setting is used (`brr calibrate --write`), all of it: its mechanism, epsilon and parameters.
 * @param mechanism `exponential` (the default), `brr` or `vickrey`. Only with an epsilon, because an
 *   epsilon is chosen for one mechanism.
 * @param oov what becomes of unknown words.
 * @param budget counts every word that is given, before anything is known of it, and refuses what
 *   would exceed its limit. With a memory, it counts a word once in a period.
 * @param memory gives a word the same first draw, with [epsilon], in a whole period; what is
 *   released is a second draw, of the word that the first one gave. See `docs/memory.md`.
 * @param secondEpsilon of the second draws; twice [epsilon] by default. Only with a memory.
 * @param random source of random bytes. Leave it alone in production.
 * @param parameters of the mechanism. For `exponential`, `radius`: an integer from 0 to the number of
 *   bits, by default an eighth of it; words within it are nearly as likely to come out as the word
 *   itself. For `vickrey`, `t` (a number or a list) and `k`. Only with an epsilon.
 * @param randomizer what flips the bits of codes; every form gives the same.
 * @throws ParameterException a parameter is unknown or out of range, or there is no epsilon and the
 *   bundle recommends none.
 * @throws BundleException the recommended setting isn't one that this version can run.
 */
public class Privatizer @JvmOverloads constructor(
    private val bundle: WordBundle,
    epsilon: Double? = null,
    mechanism: String? = null,
    private val oov: Oov = Oov.RANDOM,
    private val budget: PrivacyBudget? = null,
    private val memory: Memory? = null,
    secondEpsilon: Double? = null,
    private val random: RandomSource = SystemRandom,
    parameters: Map<String, Any?> = emptyMap(),
    randomizer: Randomizer = KotlinRandomizer,
) {
    private val mechanism: Mechanism = when {
        epsilon != null -> createMechanism(
            mechanism ?: DEFAULT_MECHANISM,
            Ingredients(bundle, epsilon, parameters, randomizer),
        )
        mechanism == null && parameters.isEmpty() -> recommended(bundle, randomizer)
        else -> throw ParameterException(
            "a mechanism or its parameters need an epsilon; give epsilon too",
        )
    }

    /** Draws again from what the mechanism drew first, if there is a memory. */
    private val second: Mechanism? = when {
        memory != null -> {
            // Of the same kind, without a certificate, which is for one epsilon.
            val setting = bundle.manifest.recommended.takeIf { epsilon == null }
            createMechanism(
                setting?.mechanism ?: mechanism ?: DEFAULT_MECHANISM,
                Ingredients(
                    bundle,
                    secondEpsilon ?: minOf(2 * this.mechanism.epsilon, EPSILON_MAX),
                    setting?.parameters ?: parameters,
                    randomizer,
                ),
            )
        }
        secondEpsilon == null -> null
        else -> throw ParameterException(
            "secondEpsilon is for the draws after a memory's; give a memory",
        )
    }

    /** The requested epsilon, per bit of Hamming distance; of the first draws with a memory. */
    public val epsilon: Double
        get() = mechanism.epsilon

    /**
     * The epsilon that the integers give, rounded up; never above the requested one.
     *
     * For any vocabulary; of a certified setting the certified epsilon, for this one.
     */
    public val effectiveEpsilon: Double
        get() = mechanism.effectiveEpsilon

    /**
     * Returns the privatized [word], or null if [Oov.DROP] leaves it out.
     *
     * A string that isn't one token ("", "hello world", "hello,") is one unknown word, unless the
     * vocabulary has exactly that.
     *
     * @throws OutOfVocabularyException the word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryException the memory's key can't be used; nothing is released then.
     */
    public fun word(word: String): String? = words(listOf(word)).firstOrNull()

    /**
     * Returns the privatized [words], in order, each drawn independently without a memory.
     *
     * Each is taken as [word] takes it. Under [Oov.DROP] the result can be shorter than [words].
     *
     * @throws OutOfVocabularyException a word is out of vocabulary and the policy is [Oov.ERROR].
     * @throws BudgetException the budget doesn't allow it; nothing is released then.
     * @throws MemoryException the memory's key can't be used; nothing is released then.
     */
    public fun words(words: List<String>): List<String> {
        val vocabulary = bundle.vocabulary
        val ids = words.map { lookUp(it, vocabulary::find) }
        var found = ids.zip(paidSources(words, ids))
        if (oov == Oov.DROP) {
            found = found.filter { (id, _) -> id >= 0 }
        } else if (oov == Oov.ERROR && ids.any { it < 0 }) {
            throw OutOfVocabularyException(
                "word ${ids.indexOfFirst { it < 0 } + 1} of ${ids.size} is out of vocabulary " +
                    "(policy ERROR); choose the policy RANDOM or DROP, or a larger vocabulary",
            )
        }
        val inputs = found.map { (id, source) ->
            if (id >= 0) id else uniformBelow(bundle.size.toLong(), source).toInt()
        }
        val second = second
        val released = if (second == null) {
            mechanism.release(inputs.map(bundle.codes::get), random)
        } else {
            val first = inputs.zip(found) { id, (_, source) ->
                mechanism.release(listOf(bundle.codes[id]), source)[0]
            }
            second.release(first.map(bundle.codes::get), random)
        }
        return released.map(vocabulary::word)
    }

    /** Pays for the draws of [words]; returns where each one's first takes its random bytes. */
    private fun paidSources(words: List<String>, ids: List<Int>): List<RandomSource> {
        if (memory == null) {
            budget?.spend(epsilon, words.size, unit = bundle.unit)
            return words.map { random }
        }
        val key = memory.key()
        val draws = words.zip(ids) { word, id ->
            val token = if (id >= 0) bundle.vocabulary.word(id) else normalize(word)
            key.draw(bundle.unit, mechanism.setting, token, known = id >= 0)
        }
        if (budget != null) {
            memory.pay(key, draws) { budget.spend(epsilon, it, unit = bundle.unit) }
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
     * @throws MemoryException the memory's key can't be used; nothing is released then.
     */
    public fun text(text: String): String = words(tokenize(text)).joinToString(" ")
}

private fun recommended(bundle: WordBundle, randomizer: Randomizer): Mechanism {
    val setting = bundle.manifest.recommended ?: throw ParameterException(
        "there is no epsilon, and the bundle recommends none; give epsilon, or write one into " +
            "the bundle with 'brr calibrate --write'",
    )
    try {
        return createMechanism(
            setting.mechanism,
            Ingredients(
                bundle,
                setting.epsilon,
                setting.parameters,
                randomizer,
                setting.certificate,
            ),
        )
    } catch (error: ParameterException) {
        throw BundleException(
            "${bundle.manifestPath}: field 'recommended': ${error.message}; write it again with " +
                "'brr calibrate --write'",
        )
    }
}
