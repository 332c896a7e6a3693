package org.brrkit.demo

import java.io.File
import org.brrkit.WordBundle
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class SettingsTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val application = RuntimeEnvironment.getApplication()
    private val store = SettingsStore(application.getSharedPreferences("test", 0))

    @Test
    fun withoutARecommendationItIsTheDefaultMechanism() {
        val settings = store.load(WordBundle.open(application.assets, "bundle"))
        assertEquals("exponential", settings.mechanism)
    }

    @Test
    fun whatIsRecommendedKeepsItsRadiusAtEveryStrength() {
        val bundle = recommending(
            """{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 64}, "goal": ""}""",
        )
        val settings = store.load(bundle)
        assertEquals(0.5, settings.epsilon, 0.0)
        for (epsilon in listOf(0.5, 2.0)) {
            val changed = settings.copy(epsilon = epsilon)
            // Within the radius are all words: every one is as likely.
            val privatizer = changed.privatizer(bundle)
            assertEquals(0.0, privatizer.effectiveEpsilon, 0.0)
        }
        val other = settings.copy(mechanism = "brr").privatizer(bundle)
        assertTrue(other.effectiveEpsilon > 0.4)
    }

    private fun recommending(setting: String): WordBundle {
        for (name in listOf("manifest.json", "index.safetensors", "randomizer.tflite")) {
            val content = application.assets.open("bundle/$name").use { it.readBytes() }
            temporary.newFile(name).writeBytes(content)
        }
        val manifest = File(temporary.root, "manifest.json")
        manifest.writeText(manifest.readText().replaceFirst("{", "{\"recommended\": $setting,"))
        return WordBundle.open(temporary.root, verifyHashes = false)
    }
}
