package org.brrkit.keyboard

import org.brrkit.Base
import org.brrkit.BundleException
import org.brrkit.Mechanism
import org.brrkit.Memory
import org.brrkit.Oov
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.json.JSONArray
import org.json.JSONObject

/** How strongly words are changed. */
public sealed interface Strength {
    /** As the bundle recommends: its mechanism, epsilon and parameters, whichever they are. */
    public data object Recommended : Strength

    /**
     * As an app or the person who types chose.
     *
     * @property mechanism its name; it has its default parameters.
     * @property epsilon per bit of Hamming distance; of the first draws with a memory.
     */
    public data class Chosen(public val mechanism: String, public val epsilon: Double) : Strength
}

/**
 * How words are released: as text, for a [PrivatizedTextSink], and for counting.
 *
 * ```
 * ReleaseSettings.recommended(bundle, dailyBudget = 300.0)
 * ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0)
 * ```
 *
 * @property strength how strongly the words of a text are changed.
 * @property dailyBudget epsilon that may be released in a day, added up over words: of text and of
 *   reports together.
 * @property oov what becomes of a text's words outside the vocabulary. For counting they are one more
 *   word.
 * @property reports how words are reported for counting; null for no reports.
 */
public data class ReleaseSettings @JvmOverloads constructor(
    public val strength: Strength,
    public val dailyBudget: Double,
    public val oov: Oov = Oov.RANDOM,
    public val reports: ReportSettings? = ReportSettings(),
) {
    /** Releases text with a [mechanism] by its name, and an [epsilon] for it. */
    @JvmOverloads
    public constructor(
        mechanism: String,
        epsilon: Double,
        dailyBudget: Double,
        oov: Oov = Oov.RANDOM,
        reports: ReportSettings? = ReportSettings(),
    ) : this(Strength.Chosen(mechanism, epsilon), dailyBudget, oov, reports)

    /**
     * Prepares the mechanism for text.
     *
     * @throws ParameterException the bundle recommends no setting, or an option is out of range.
     * @throws BundleException the recommended setting isn't one that this version can run.
     */
    @JvmOverloads
    public fun privatizer(
        bundle: WordBundle,
        budget: PrivacyBudget? = null,
        memory: Memory? = null,
        random: RandomSource = SystemRandom,
    ): Privatizer {
        val builder = Privatizer.Builder(bundle)
            .oov(oov).budget(budget).memory(memory).random(random)
        if (strength is Strength.Chosen) {
            builder.epsilon(strength.epsilon).mechanism(Mechanism.named(strength.mechanism))
        }
        if (memory != null) builder.secondEpsilon(secondEpsilon(chosen(bundle).epsilon))
        return builder.build()
    }

    /** Says what makes the words of a text, as reports have it. */
    @JvmOverloads
    public fun source(bundle: WordBundle, withMemory: Boolean = false): ReportSource {
        val setting = if (strength == Strength.Recommended && !withMemory) {
            JSONObject.quote("recommended")
        } else {
            val chosen = chosen(bundle)
            val fields = JSONObject()
                .put("mechanism", chosen.mechanism)
                .put("epsilon", chosen.epsilon)
                .put("parameters", asJson(parameters(bundle)))
            if (withMemory) fields.put("second_epsilon", secondEpsilon(chosen.epsilon))
            fields.toString()
        }
        return ReportSource(bundle.manifest["sha256"] as String, setting)
    }

    /** Which words come out more readily; null for a mechanism that makes no such difference. */
    public fun base(bundle: WordBundle): Base? {
        if (chosen(bundle).mechanism != "exponential") return null
        val given = parameters(bundle)["base"]
        if (given != null) return Base.entries.firstOrNull { it.name.lowercase() == given }
        return if (bundle.manifest["bigrams"] == 0L) Base.WORDS else Base.LANGUAGE
    }

    /** The largest loss between any two words; null where only epsilon and their distance say it. */
    public fun cap(bundle: WordBundle): Double? = (parameters(bundle)["cap"] as Number?)?.toDouble()

    /** The mechanism and the epsilon by which [bundle]'s words are released. */
    private fun chosen(bundle: WordBundle): Strength.Chosen = when (strength) {
        is Strength.Chosen -> strength
        Strength.Recommended -> recommended(bundle).let { Strength.Chosen(it.mechanism, it.epsilon) }
    }

    /** The parameters by which [bundle]'s words are released, those that are given. */
    private fun parameters(bundle: WordBundle): Map<String, Any?> =
        if (strength == Strength.Recommended) recommended(bundle).parameters else emptyMap()

    public companion object {
        private const val EPSILON_MAX = 22.18 // the runtime takes no larger one

        /**
         * Returns the setting that [bundle] recommends.
         *
         * @throws ParameterException it recommends none.
         */
        @JvmStatic
        public fun recommended(bundle: WordBundle, dailyBudget: Double): ReleaseSettings {
            recommended(bundle)
            return ReleaseSettings(Strength.Recommended, dailyBudget)
        }

        private fun recommended(bundle: WordBundle) =
            bundle.recommended ?: throw ParameterException(
                "the bundle recommends no setting; write one with 'brr calibrate --write', or " +
                    "give the keyboard ReleaseSettings",
            )

        private fun asJson(parameters: Map<String, Any?>) =
            JSONObject(parameters.mapValues { (_, it) -> if (it is List<*>) JSONArray(it) else it })

        /** Of the second draws with a memory, by the first ones'. */
        private fun secondEpsilon(first: Double) = minOf(2 * first, EPSILON_MAX)
    }
}
