package org.brrkit

import java.math.BigInteger

/** Largest number of entries in a list t; nobody needs more. */
internal const val MOST_CANDIDATES: Int = 64

/** Largest weight of a differing task bit. */
internal const val MOST_TASK_WEIGHT: Int = 16

/**
 * A setting for text. Its values are checked where it is used.
 *
 * ```
 * Setting(0.6, Mechanism.exponential(radius = 8))
 * ```
 *
 * @property epsilon privacy parameter per bit of Hamming distance, from 1e-9 to 22.18.
 * @property mechanism the mechanism with its parameters.
 * @property goal the goal for which it was chosen; null without a measured goal.
 * @property certificate its privacy loss on the bundle's vocabulary; null if it wasn't computed. Leave it out of a
 *   copy with another epsilon or mechanism.
 * @property measured its measured results; null if there are none.
 */
public data class Setting @JvmOverloads constructor(
    public val epsilon: Double,
    public val mechanism: Mechanism = Mechanism.exponential(),
    public val goal: String? = null,
    public val certificate: Certificate? = null,
    public val measured: Measured? = null,
) {
    /**
     * The privacy loss per bit on the bundle's vocabulary, at most [epsilon]; null without a certificate.
     */
    public val certifiedEpsilon: Double?
        get() = certificate?.certifiedEpsilon
}

/**
 * Measured results of a setting; shares, from 0 to 1.
 *
 * @property attacker name of the attacker. One released word suffices for `isolated`, who assumes that all words
 *   are equally likely, and `frequencies`, who knows the words' frequencies. With a text: also `sentence`, who
 *   reads all its released words, or `informed`.
 * @property over which typed words of the vocabulary count: `all`, or `content` for the content words of a text,
 *   without the language's most frequent words.
 * @property text name of the file that was released and attacked; null for a computation over the
 *   vocabulary.
 * @property unchanged share of typed words that are released unchanged.
 * @property attackSuccess probability that the attacker recovers a typed word.
 * @property worst attack success on the least protected 1% of the words; null if it wasn't computed.
 * @property allWords [unchanged], [attackSuccess] and [worst] over all words of the vocabulary; null if [over] is
 *   `all`.
 * @property unknownRecognized probability that the attacker recognizes an unknown word of the text as unknown,
 *   which reveals none of its letters; null without a text with unknown words.
 */
public class Measured internal constructor(
    public val attacker: String,
    public val over: String,
    public val text: String?,
    public val unchanged: Estimate,
    public val attackSuccess: Estimate,
    public val worst: Estimate?,
    public val allWords: Shares? = null,
    public val unknownRecognized: Estimate? = null,
)

/**
 * Measured results of a setting over a set of words; shares, from 0 to 1.
 *
 * @property unchanged as in [Measured].
 * @property attackSuccess as in [Measured].
 * @property worst as in [Measured].
 */
public class Shares internal constructor(
    public val unchanged: Estimate,
    public val attackSuccess: Estimate,
    public val worst: Estimate?,
)

/**
 * A number with its 95% confidence interval. If it is exact, all three numbers are equal.
 *
 * @property value the number.
 * @property low lower end of the interval.
 * @property high upper end of the interval.
 */
public class Estimate internal constructor(
    public val value: Double,
    public val low: Double,
    public val high: Double,
)

/**
 * The privacy loss of a setting of `exponential` on one vocabulary.
 *
 * @property certifiedEpsilon privacy loss per bit of Hamming distance; at most the setting's epsilon.
 * @property index SHA-256 of the `index.safetensors` with this vocabulary.
 * @property epsilon epsilon of the setting; the certificate holds for no other.
 * @property mechanism mechanism of the setting; the certificate holds for no other.
 */
public class Certificate internal constructor(
    public val certifiedEpsilon: Double,
    public val index: String,
    internal val epsilon: Double,
    internal val mechanism: Mechanism,
)

/**
 * A setting for counts. Its values are checked where it is used.
 *
 * @property cap largest privacy loss between any two words, from 1e-9 to 88.
 * @property wordsADay largest number of reports that a device sends for a day, from 1 to 1,000.
 * @property goal the goal for which it was chosen; null without a measured goal.
 * @property measured attack success on one report, by attacker.
 */
public data class CountsSetting @JvmOverloads constructor(
    public val cap: Double,
    public val wordsADay: Int = 1,
    public val goal: String? = null,
    public val measured: Map<String, Double> = emptyMap(),
)

/** Largest number of words that a device may report for a day. More would reveal all that a person types. */
internal const val MOST_A_DAY: Int = 1_000

/** Returns the setting that the field `counts` has; null if it has none. */
internal fun readCounts(value: Any?): CountsSetting? {
    val fields = value as? Map<*, *> ?: return null
    val cap = (fields["cap"] as? Number ?: return null).toDouble()
    val wordsADay = fields["words_a_day"] as? Long ?: return null
    val goal = fields["goal"] as? String ?: return null
    val measured = (fields["measured"] as? Map<*, *> ?: return null).entries.associate {
        it.key as String to (shareOf(it.value) ?: return null)
    }
    if (cap !in CAP_MIN..CAP_MAX || wordsADay !in 1..MOST_A_DAY) return null
    return CountsSetting(cap, wordsADay.toInt(), goal, measured)
}

/**
 * Returns the setting that the field `recommended` has; null if it has none.
 *
 * @param wordBits length of a code without its task bits.
 */
internal fun readSetting(value: Any?, wordBits: Long): Setting? {
    val fields = value as? Map<*, *> ?: return null
    val mechanism = fields["mechanism"] as? String ?: return null
    val epsilon = (fields["epsilon"] as? Number ?: return null).toDouble()
    val parameters = fields["parameters"] as? Map<*, *> ?: return null
    val goal = fields["goal"] as? String ?: return null
    if (epsilon !in EPSILON_MIN..EPSILON_MAX) return null
    if ("t" in parameters && !isT(parameters["t"])) return null
    if ("k" in parameters && parameters["k"].let { it !is Long && it !is BigInteger }) return null
    for ((name, most) in arrayOf("radius" to wordBits, "task_weight" to MOST_TASK_WEIGHT.toLong())) {
        val number = parameters[name]
        if (name in parameters && (number !is Long || number !in 0..most)) return null
    }
    if ("base" in parameters && parameters["base"] !is String) return null
    if ("cap" in parameters && parameters["cap"] !is Number) return null
    val setting = Setting(epsilon, Mechanism(mechanism, parameters.mapKeys { it.key as String }), goal)
    val certificate = certificate(fields["certificate"], setting)
    if ("certificate" in fields && certificate == null) return null
    val measured = measured(fields["measured"])
    if ("measured" in fields && measured == null) return null
    return setting.copy(certificate = certificate, measured = measured)
}

private fun certificate(value: Any?, of: Setting): Certificate? {
    val fields = value as? Map<*, *> ?: return null
    val certified = (fields["certified_epsilon"] as? Number ?: return null).toDouble()
    val index = fields["index"]
    return if (isDigest(index)) Certificate(certified, index as String, of.epsilon, of.mechanism) else null
}

private fun measured(value: Any?): Measured? {
    val fields = value as? Map<*, *> ?: return null
    val attacker = fields["attacker"] as? String ?: return null
    val over = fields["over"] as? String ?: return null
    val text = fields["text"] as? String
    if (text == null && ("text" !in fields || fields["text"] != null)) return null
    val own = shares(fields) ?: return null
    val every = shares(fields["all_words"])
    if (every == null && fields["all_words"] != null) return null
    val unknown = share(fields["unknown_recognized"])
    if (unknown == null && fields["unknown_recognized"] != null) return null
    return Measured(attacker, over, text, own.unchanged, own.attackSuccess, own.worst, every, unknown)
}

private fun shares(value: Any?): Shares? {
    val fields = value as? Map<*, *> ?: return null
    val unchanged = share(fields["unchanged"]) ?: return null
    val success = share(fields["attack_success"]) ?: return null
    val worst = share(fields["worst"])
    if (worst == null && ("worst" !in fields || fields["worst"] != null)) return null
    return Shares(unchanged, success, worst)
}

private fun share(value: Any?): Estimate? {
    val fields = value as? Map<*, *> ?: return null
    return Estimate(
        shareOf(fields["value"]) ?: return null,
        shareOf(fields["low"]) ?: return null,
        shareOf(fields["high"]) ?: return null,
    )
}

private fun shareOf(value: Any?): Double? =
    (value as? Number)?.toDouble()?.takeIf { it in 0.0..1.0 }

private fun isT(value: Any?) = value is Number ||
    value is List<*> && value.size in 1..MOST_CANDIDATES && value.all { it is Number }
