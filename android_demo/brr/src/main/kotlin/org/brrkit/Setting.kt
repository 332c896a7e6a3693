package org.brrkit

import java.math.BigInteger

/** Numbers in a list t: nobody needs more, and a bundle may recommend any. */
internal const val MOST_CANDIDATES: Int = 64

/** Times that a differing task bit counts, at most. */
internal const val MOST_TASK_WEIGHT: Int = 16

/**
 * A setting for text. Its values are checked where it is used.
 *
 * ```
 * Setting(0.6, Mechanism.exponential(radius = 8))
 * ```
 *
 * @property epsilon privacy parameter per bit of Hamming distance, from 1e-9 to 22.18.
 * @property mechanism how a word is privatized.
 * @property goal the goal that it was chosen for; null if none was measured.
 * @property certificate its privacy loss on the bundle's vocabulary, if computed. Leave it out of a copy with
 *   another epsilon or mechanism.
 * @property measured the measurements from when it was chosen, if any.
 */
public data class Setting @JvmOverloads constructor(
    public val epsilon: Double,
    public val mechanism: Mechanism = Mechanism.exponential(),
    public val goal: String? = null,
    public val certificate: Certificate? = null,
    public val measured: Measured? = null,
) {
    /**
     * The privacy loss per bit on the bundle's vocabulary, at most [epsilon]; null if that wasn't computed.
     */
    public val certifiedEpsilon: Double?
        get() = certificate?.certifiedEpsilon
}

/**
 * Measurements of a setting; shares, from 0 to 1.
 *
 * @property attacker who recovers words. From one released word, without a text: `isolated`, who assumes that
 *   all words are equally likely, or `frequencies`, who knows how often words are typed. From a text: these,
 *   `sentence`, who reads all its released words, or `informed`.
 * @property over which typed words of the vocabulary count: `all`, or `content` for those of a text
 *   that aren't among its language's most frequent ones.
 * @property text name of the file that was released and attacked; null for a computation over the
 *   vocabulary.
 * @property unchanged share of typed words that are released unchanged.
 * @property attackSuccess how often the attacker recovers a typed word.
 * @property worst the same for the 1% of words that they recover most often; null where it wasn't computed.
 * @property allWords the last three over all words of the vocabulary; null where [over] is `all`.
 * @property unknownRecognized how often the attacker recognizes an unknown word of the text as unknown, which
 *   reveals no letter of it; null without a text that has unknown words.
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
 * Measurements of a setting over some words; shares, from 0 to 1.
 *
 * @property unchanged as [Measured] has it.
 * @property attackSuccess likewise.
 * @property worst likewise.
 */
public class Shares internal constructor(
    public val unchanged: Estimate,
    public val attackSuccess: Estimate,
    public val worst: Estimate?,
)

/**
 * A number with its 95% confidence interval; where it is exact, all three are equal.
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
 * @property certifiedEpsilon per bit of Hamming distance; at most the setting's epsilon.
 * @property index SHA-256 of the `index.safetensors` that has this vocabulary.
 * @property epsilon of the setting; the certificate holds for no other.
 * @property mechanism likewise.
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
 * @property wordsADay the largest number of words of a day that a device reports, from 1 to 1,000.
 * @property goal the goal that it was chosen for; null if none was measured.
 * @property measured attack success of one report, by attacker.
 */
public data class CountsSetting @JvmOverloads constructor(
    public val cap: Double,
    public val wordsADay: Int = 1,
    public val goal: String? = null,
    public val measured: Map<String, Double> = emptyMap(),
)

/** Words of a day that a device may report: more says all that somebody types. */
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
