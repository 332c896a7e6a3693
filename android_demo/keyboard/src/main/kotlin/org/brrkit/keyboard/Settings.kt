package org.brrkit.keyboard

import android.content.SharedPreferences
import org.brrkit.Mechanism
import org.brrkit.Oov
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.WordBundle

/**
 * How words are released.
 *
 * @property epsilon per bit of Hamming distance.
 * @property dailyBudget epsilon that may be released in a day, added up over words.
 */
internal data class Settings(
    val mechanism: String,
    val epsilon: Double,
    val dailyBudget: Double,
    val oov: Oov,
) {
    /** Prepares the mechanism; what the bundle recommends with the parameters that it has. */
    fun privatizer(bundle: WordBundle, budget: PrivacyBudget?, random: RandomSource): Privatizer {
        val recommended = bundle.manifest.recommended?.takeIf { it.mechanism == mechanism }
        val builder = Privatizer.Builder(bundle).oov(oov).budget(budget).random(random)
        if (recommended?.epsilon != epsilon) {
            builder.epsilon(epsilon)
                .mechanism(recommended?.let(Mechanism::of) ?: Mechanism.named(mechanism))
        }
        return builder.build()
    }
}

/** The settings in the app's preferences. Nothing else is stored there. */
internal class SettingsStore(private val preferences: SharedPreferences) {

    /** Returns what was chosen; for what wasn't, the bundle's recommendation or a default. */
    fun load(bundle: WordBundle): Settings {
        val recommended = bundle.manifest.recommended
        return Settings(
            preferences.getString(MECHANISM, null) ?: recommended?.mechanism ?: "exponential",
            preferences.getString(EPSILON, null)?.toDouble()
                ?: recommended?.epsilon
                ?: epsilons(bundle.manifest.bits)[DEFAULT_STEP],
            preferences.getString(DAILY_BUDGET, null)?.toDouble() ?: DEFAULT_BUDGET,
            preferences.getString(OOV, null)?.let(Oov::valueOf) ?: Oov.RANDOM,
        )
    }

    fun save(settings: Settings) {
        preferences.edit()
            .putString(MECHANISM, settings.mechanism)
            .putString(EPSILON, settings.epsilon.toString())
            .putString(DAILY_BUDGET, settings.dailyBudget.toString())
            .putString(OOV, settings.oov.name)
            .apply()
    }

    private companion object {
        const val MECHANISM = "mechanism"
        const val EPSILON = "epsilon"
        const val DAILY_BUDGET = "daily_budget"
        const val OOV = "oov"
        const val DEFAULT_STEP = 3
        const val DEFAULT_BUDGET = 1_000.0
    }
}

/**
 * The strengths to choose from, strongest first.
 *
 * An epsilon means something only beside the distances of the bundle, and those of two random
 * words are about half of its bits. So these are multiples of 5 / (bits / 2).
 */
internal fun epsilons(bits: Int): List<Double> =
    (1..16).map { Math.round(it * 1000.0 * 10 / bits) / 1000.0 }

/** The daily budgets to choose from. */
internal val BUDGETS: List<Double> = listOf(30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
