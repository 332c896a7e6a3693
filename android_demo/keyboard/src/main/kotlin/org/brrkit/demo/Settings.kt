package org.brrkit.demo

import android.content.SharedPreferences
import org.brrkit.Oov
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength

/** The settings in the app's preferences. Nothing else is stored there. */
internal class SettingsStore(private val preferences: SharedPreferences) {

    /** The tag of the last chosen language, if any. */
    var language: String?
        get() = preferences.getString(LANGUAGE, null)
        set(value) = preferences.edit().putString(LANGUAGE, value).apply()

    /**
     * Returns the chosen settings, if the app's limit on attack success allows them. For others, returns the
     * bundle's recommendation or a default.
     */
    fun load(bundle: WordBundle, mostAttackSuccess: Double? = null): ReleaseSettings {
        val settings = ReleaseSettings(
            bundle.strength(mostAttackSuccess),
            preferences.getString(DAILY_BUDGET, null)?.toDouble() ?: DEFAULT_BUDGET,
            preferences.getString(OOV, null)?.let(Oov::valueOf) ?: Oov.RANDOM,
            mostAttackSuccess = mostAttackSuccess,
        )
        val chosen = strength()?.takeIf { settings.allows(it, bundle) } ?: return settings
        return settings.copy(strength = chosen)
    }

    private fun strength(): Strength? {
        val mechanism = preferences.getString(MECHANISM, null) ?: return null
        val epsilon = preferences.getString(EPSILON, null) ?: return null
        return Strength.Chosen(mechanism, epsilon.toDouble())
    }

    /** For a recommended strength, only this fact is stored, because an update may recommend another one. */
    fun save(settings: ReleaseSettings) {
        val chosen = settings.strength as? Strength.Chosen
        preferences.edit()
            .putString(MECHANISM, chosen?.mechanism)
            .putString(EPSILON, chosen?.epsilon?.toString())
            .putString(DAILY_BUDGET, settings.dailyBudget.toString())
            .putString(OOV, settings.oov.name)
            .apply()
    }

    private companion object {
        const val LANGUAGE = "language"
        const val MECHANISM = "mechanism"
        const val EPSILON = "epsilon"
        const val DAILY_BUDGET = "daily_budget"
        const val OOV = "oov"
        const val DEFAULT_BUDGET = 1_000.0
    }
}

/** The daily budgets to choose from. */
internal val BUDGETS: List<Double> = listOf(30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
