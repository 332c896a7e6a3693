package org.brrkit.demo

import org.brrkit.WordBundle
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class SettingsTest {
    private val application = RuntimeEnvironment.getApplication()
    private val store = SettingsStore(application.getSharedPreferences("test", 0))

    @Test
    fun withoutARecommendationItIsTheDefaultMechanism() {
        val settings = store.load(WordBundle.open(application.assets, "bundle"))
        assertEquals("exponential", settings.mechanism)
    }
}
