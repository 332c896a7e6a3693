package org.brrkit.keyboard

import org.brrkit.Base
import org.brrkit.BundleException
import org.brrkit.Measured
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

/** The strength of the protection: a mechanism and its parameters. */
public sealed interface Strength {
    /** The setting that the bundle recommends, whichever it is. */
    public data object Recommended : Strength

    /**
     * A setting that the app or the user chose.
     *
     * @property mechanism name of the mechanism, which has its default parameters.
     * @property epsilon privacy parameter per bit of Hamming distance; with a memory, that of the first draws.
     */
    public data class Chosen(public val mechanism: String, public val epsilon: Double) : Strength {
        /** @throws ParameterException there is no such mechanism. */
        internal val setting: Setting
            get() = Setting(epsilon, Mechanism.named(mechanism))
    }
}

/**
 * The settings for releases: as text for a [PrivatizedTextSink], in frames, and for counting.
 *
 * ```
 * ReleaseSettings.recommended(bundle, dailyBudget = 300.0)
 * ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0)
 * ```
 *
 * @property strength strength of the protection of text.
 * @property dailyBudget largest sum of epsilon over the words released in a day, as text and for counting
 *   together.
 * @property oov policy for unknown words in text. For counting, all unknown words are one symbol. In frames, the
 *   policy is always [Oov.RANDOM].
 * @property reports settings for counting; null for no reports.
 * @property frames settings for frames, which have the same strength; null, the default, for no frames. Frames
 *   have their own budget of the same size. Otherwise, other releases of a day would decide whether it has
 *   frames. The budget must allow the words of two days of frames.
 * @property mostAttackSuccess the largest attack success that the app allows, from 0 to 1; null for any. A
 *   strength with a higher measured success, or without a measurement, releases nothing: see [allows].
 */
public data class ReleaseSettings @JvmOverloads constructor(
    public val strength: Strength,
    public val dailyBudget: Double,
    public val oov: Oov = Oov.RANDOM,
    public val reports: ReportSettings? = ReportSettings(),
    public val mostAttackSuccess: Double? = null,
    public val frames: FrameSettings? = null,
) {
    /** Releases text with the [mechanism] of this name, and its [epsilon]. */
    @JvmOverloads
    public constructor(
        mechanism: String,
        epsilon: Double,
        dailyBudget: Double,
        oov: Oov = Oov.RANDOM,
        reports: ReportSettings? = ReportSettings(),
        mostAttackSuccess: Double? = null,
        frames: FrameSettings? = null,
    ) : this(Strength.Chosen(mechanism, epsilon), dailyBudget, oov, reports, mostAttackSuccess, frames)

    /**
     * Whether the app's limit on attack success allows a strength. The upper end of the measured interval counts.
     * For a chosen epsilon, it is that of the next weaker measured epsilon. Without a limit, every strength is
     * allowed.
     */
    public fun allows(strength: Strength, bundle: WordBundle): Boolean {
        if (mostAttackSuccess == null) return true
        val measured = bundle.measured(strength) ?: return false
        return measured.attackSuccess.high <= mostAttackSuccess
    }

    /**
     * Prepares the mechanism for text.
     *
     * @throws ParameterException the bundle recommends no setting, an option is out of range, or the
     *   strength is weaker than [mostAttackSuccess] allows.
     * @throws BundleException the recommended setting isn't one that this version can run.
     */
    @JvmOverloads
    public fun privatizer(
        bundle: WordBundle,
        budget: PrivacyBudget? = null,
        memory: Memory? = null,
        random: RandomSource = SystemRandom,
    ): Privatizer {
        checkAllowed(bundle)
        val builder = Privatizer.Builder(bundle)
            .oov(oov).budget(budget).memory(memory).random(random)
        if (strength is Strength.Chosen) builder.setting(strength.setting)
        return builder.build()
    }

    /**
     * Prepares the mechanism for frames; null if there are none ([frames]).
     *
     * @throws ParameterException as for [privatizer]; or there is no shape of a day, or the budget is too small.
     * @throws BundleException as for [privatizer].
     */
    internal fun textReporter(
        bundle: WordBundle,
        outbox: Outbox,
        budget: PrivacyBudget,
        random: RandomSource,
    ): TextReporter? {
        if (frames == null) return null
        checkAllowed(bundle)
        val setting = (strength as? Strength.Chosen)?.setting
        val reporter = TextReporter(outbox, bundle, setting, frames.frames, budget, random)
        if (2 * reporter.loss > budget.limit) {
            // Refusals would reveal when a person types: a budget's day begins with a day of frames.
            throw ParameterException("dailyBudget must allow two days of frames: ${2 * reporter.loss}")
        }
        return reporter
    }

    private fun checkAllowed(bundle: WordBundle) {
        if (allows(strength, bundle)) return
        throw ParameterException(
            "the strength's measured attack success is above mostAttackSuccess, or wasn't " +
                "measured; choose a stronger one",
        )
    }

    /** Returns the source of a text's words, in the form of reports. */
    @JvmOverloads
    public fun source(bundle: WordBundle, withMemory: Boolean = false): ReportSource {
        val setting = if (strength == Strength.Recommended && !withMemory) {
            RECOMMENDED
        } else {
            val setting = setting(bundle)
            val fields = stated(setting)
            if (withMemory) fields.put("second_epsilon", minOf(2 * setting.epsilon, EPSILON_MAX))
            fields.toString()
        }
        return ReportSource(bundle.manifest["sha256"] as String, setting)
    }

    /** The base measure, which makes some words more probable outputs; null for a mechanism without one. */
    public fun base(bundle: WordBundle): Base? {
        val mechanism = setting(bundle).mechanism
        if (mechanism.name != "exponential") return null
        val given = mechanism.parameters["base"]
        if (given != null) return Base.entries.firstOrNull { it.name.lowercase() == given }
        return if (bundle.manifest["bigrams"] == 0L) Base.UNIGRAM else Base.BIGRAM
    }

    /** The largest loss between any two words; null if only epsilon and their distance limit it. */
    public fun cap(bundle: WordBundle): Double? =
        (setting(bundle).mechanism.parameters["cap"] as Number?)?.toDouble()

    /** The setting for [bundle]. */
    private fun setting(bundle: WordBundle): Setting = when (strength) {
        is Strength.Chosen -> strength.setting
        Strength.Recommended -> recommended(bundle)
    }

    public companion object {
        private const val EPSILON_MAX = 22.18 // the largest one that the runtime accepts

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
    }
}

/** The bundle's setting for text, in the form of reports. */
internal val RECOMMENDED: String = JSONObject.quote("recommended")

/** Returns a setting for text in the form of reports: `spec/reports.md`, "Settings". */
internal fun stated(setting: Setting): JSONObject {
    val parameters = setting.mechanism.parameters.mapValues { (_, it) -> if (it is List<*>) JSONArray(it) else it }
    return JSONObject()
        .put("mechanism", setting.mechanism.name)
        .put("epsilon", setting.epsilon)
        .put("parameters", JSONObject(parameters))
}

/** The measured results of a strength; for a chosen epsilon, those of the next weaker measured one. */
private fun WordBundle.measured(strength: Strength): Measured? = when (strength) {
    Strength.Recommended -> recommended?.measured
    is Strength.Chosen ->
        strengths(strength.mechanism).firstOrNull { it.epsilon >= strength.epsilon }?.measured
}
