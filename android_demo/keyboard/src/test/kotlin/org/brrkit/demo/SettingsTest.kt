package org.brrkit.demo

import org.brrkit.Oov
import org.brrkit.ParameterException
import org.brrkit.WordBundle
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class SettingsTest {
    private val application = RuntimeEnvironment.getApplication()
    private val store = SettingsStore(application.getSharedPreferences("test", 0))
    private val bundle = WordBundle.open(application.assets, "bundles/en")

    @Test
    fun whatIsSavedIsLoaded() {
        assertEquals(
            ReleaseSettings(Strength.Recommended, 1_000.0),
            store.load(bundle),
        )
        val chosen = ReleaseSettings("brr", 0.6252, 30.0, Oov.DROP)
        store.save(chosen)
        assertEquals(chosen, store.load(bundle))
        // The recommended one by its number isn't the recommended one.
        val number = bundle.recommended!!.epsilon
        val strange = ReleaseSettings("exponential", number, 30.0)
        store.save(strange)
        assertEquals(strange, store.load(bundle))
        store.save(chosen.copy(strength = Strength.Recommended))
        assertEquals(chosen.copy(strength = Strength.Recommended), store.load(bundle))
    }

    /** A setting that the app doesn't allow isn't loaded, and nothing is released with it. */
    @Test
    fun theAppsLimitHolds() {
        val weakest = bundle.offers("brr").last()
        assertTrue(weakest.measured!!.attackSuccess.high > 0.5)
        val chosen = ReleaseSettings(weakest.strength, 30.0)
        chosen.privatizer(bundle)
        store.save(chosen)
        assertEquals(chosen, store.load(bundle))
        val allowed = store.load(bundle, 0.5)
        assertEquals(Strength.Recommended, allowed.strength)
        assertEquals(0.5, allowed.mostAttackSuccess)
        allowed.privatizer(bundle)
        for (settings in listOf(allowed.copy(strength = weakest.strength), store.load(bundle, 0.0))) {
            assertThrows(ParameterException::class.java) { settings.privatizer(bundle) }
        }
    }
}
