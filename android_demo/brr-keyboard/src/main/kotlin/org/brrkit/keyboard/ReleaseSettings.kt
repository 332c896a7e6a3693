package org.brrkit.keyboard

import org.brrkit.Mechanism
import org.brrkit.Memory
import org.brrkit.Oov
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.Setting
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.json.JSONArray
import org.json.JSONObject

/**
 * How words are released.
 *
 * ```
 * ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0)
 * ```
 *
 * @property mechanism its name.
 * @property epsilon per bit of Hamming distance; of the first draws with a memory.
 * @property dailyBudget epsilon that may be released in a day, added up over words.
 * @property oov what becomes of words outside the vocabulary.
 */
public data class ReleaseSettings @JvmOverloads constructor(
    public val mechanism: String,
    public val epsilon: Double,
    public val dailyBudget: Double,
    public val oov: Oov = Oov.RANDOM,
) {
    /** Of the second draws with a memory. */
    public val secondEpsilon: Double
        get() = minOf(2 * epsilon, EPSILON_MAX)

    /** Prepares the mechanism; what the bundle recommends with the parameters that it has. */
    @JvmOverloads
    public fun privatizer(
        bundle: WordBundle,
        budget: PrivacyBudget? = null,
        memory: Memory? = null,
        random: RandomSource = SystemRandom,
    ): Privatizer {
        val builder = Privatizer.Builder(bundle)
            .oov(oov).budget(budget).memory(memory).random(random)
        if (!isRecommended(bundle)) {
            val setting = recommended(bundle)
            builder.epsilon(epsilon)
                .mechanism(if (setting == null) Mechanism.named(mechanism) else Mechanism.of(setting))
        }
        if (memory != null) builder.secondEpsilon(secondEpsilon)
        return builder.build()
    }

    /** Says what makes the words, as reports have it. */
    @JvmOverloads
    public fun source(bundle: WordBundle, withMemory: Boolean = false): ReportSource {
        val setting = if (isRecommended(bundle) && !withMemory) {
            JSONObject.quote("recommended")
        } else {
            val fields = JSONObject()
                .put("mechanism", mechanism)
                .put("epsilon", epsilon)
                .put("parameters", json(parameters(bundle)))
            if (withMemory) fields.put("second_epsilon", secondEpsilon)
            fields.toString()
        }
        val digest = bundle.manifest.fields["sha256"] as String
        return ReportSource(digest, setting, isEstimable = oov == Oov.RANDOM)
    }

    private fun isRecommended(bundle: WordBundle) = recommended(bundle)?.epsilon == epsilon

    private fun parameters(bundle: WordBundle) = recommended(bundle)?.parameters ?: emptyMap()

    private fun recommended(bundle: WordBundle): Setting? =
        bundle.manifest.recommended?.takeIf { it.mechanism == mechanism }

    public companion object {
        private const val EPSILON_MAX = 22.18 // the runtime takes no larger one

        /**
         * Returns the setting that [bundle] recommends.
         *
         * @throws ParameterException it recommends none.
         */
        @JvmStatic
        public fun recommended(bundle: WordBundle, dailyBudget: Double): ReleaseSettings {
            val setting = bundle.manifest.recommended ?: throw ParameterException(
                "the bundle recommends no setting; write one with 'brr calibrate --write', or " +
                    "give the keyboard ReleaseSettings",
            )
            return ReleaseSettings(setting.mechanism, setting.epsilon, dailyBudget)
        }

        private fun json(parameters: Map<String, Any?>) = JSONObject(
            parameters.mapValues { (_, it) -> if (it is List<*>) JSONArray(it) else it },
        )
    }
}
