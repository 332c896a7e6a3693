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
    public data class Chosen(public val mechanism: String, public val epsilon: Double) : Strength {
        /** @throws ParameterException there is no such mechanism. */
        internal val setting: Setting
            get() = Setting(epsilon, Mechanism.named(mechanism))
    }
}

/**
 * How words are released: as text, for a [PrivatizedTextSink], in frames, and for counting.
 *
 * ```
 * ReleaseSettings.recommended(bundle, dailyBudget = 300.0)
 * ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0)
 * ```
 *
 * @property strength how strongly the words of a text are changed.
 * @property dailyBudget epsilon that may be released in a day, added up over words: of text and of
 *   counts together.
 * @property oov what becomes of a text's words outside the vocabulary. For counting they are one more
 *   word; in frames another one always takes their place.
 * @property reports how words are reported for counting; null for no reports.
 * @property frames how text is reported in frames, with the same strength; null, the default, for no
 *   frames. They have a budget of their own, which is as large: else what a day released otherwise would
 *   say whether it has frames. It must allow the words of two days of frames.
 * @property mostAttackSuccess the largest attack success that the app allows, from 0 to 1; null for any.
 *   A strength whose measured success is above it, or that wasn't measured, releases nothing: [allows].
 */
public data class ReleaseSettings @JvmOverloads constructor(
    public val strength: Strength,
    public val dailyBudget: Double,
    public val oov: Oov = Oov.RANDOM,
    public val reports: ReportSettings? = ReportSettings(),
    public val mostAttackSuccess: Double? = null,
    public val frames: FrameSettings? = null,
) {
    /** Releases text with a [mechanism] by its name, and an [epsilon] for it. */
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
     * Whether the app's limit on attack success allows a strength, by the upper end of what was
     * measured: of the recommended setting itself, and of a chosen epsilon at the next weaker one that
     * was measured. Without a limit every strength is allowed.
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
     * Prepares what releases text in frames; null if [frames] says that nothing does.
     *
     * @throws ParameterException as [privatizer], there is no shape of a day, or the budget is too small.
     * @throws BundleException as [privatizer].
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
            // Refusals would tell when somebody types: a budget's day begins when a day of frames does.
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

    /** Says what makes the words of a text, as reports have it. */
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

    /** Which words are more likely outputs; null for a mechanism that makes no such difference. */
    public fun base(bundle: WordBundle): Base? {
        val mechanism = setting(bundle).mechanism
        if (mechanism.name != "exponential") return null
        val given = mechanism.parameters["base"]
        if (given != null) return Base.entries.firstOrNull { it.name.lowercase() == given }
        return if (bundle.manifest["bigrams"] == 0L) Base.UNIGRAM else Base.BIGRAM
    }

    /** The largest loss between any two words; null where only epsilon and their distance say it. */
    public fun cap(bundle: WordBundle): Double? =
        (setting(bundle).mechanism.parameters["cap"] as Number?)?.toDouble()

    /** The setting by which [bundle]'s words are released. */
    private fun setting(bundle: WordBundle): Setting = when (strength) {
        is Strength.Chosen -> strength.setting
        Strength.Recommended -> recommended(bundle)
    }

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
    }
}

/** The bundle's setting for text, as reports state it. */
internal val RECOMMENDED: String = JSONObject.quote("recommended")

/** Returns a setting for text as reports state it: `spec/reports.md`, "Settings". */
internal fun stated(setting: Setting): JSONObject {
    val parameters = setting.mechanism.parameters.mapValues { (_, it) -> if (it is List<*>) JSONArray(it) else it }
    return JSONObject()
        .put("mechanism", setting.mechanism.name)
        .put("epsilon", setting.epsilon)
        .put("parameters", JSONObject(parameters))
}

/** What was measured of a strength; of a chosen epsilon, at the next weaker one that was measured. */
private fun WordBundle.measured(strength: Strength): Measured? = when (strength) {
    Strength.Recommended -> recommended?.measured
    is Strength.Chosen ->
        strengths(strength.mechanism).firstOrNull { it.epsilon >= strength.epsilon }?.measured
}
