package org.brrkit.keyboard

import java.io.File
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** Before the first word, nothing happens that a release could depend on. */
@RunWith(RobolectricTestRunner::class)
class WarmUpTest {
    private val app = RuntimeEnvironment.getApplication()
    private val folder = File(app.noBackupFilesDir, "brr")
    private val thread = Executors.newSingleThreadExecutor()
    private val sent = mutableListOf<String>()
    private var draws = 0
    private var asked = 0

    private fun opened(): List<String> {
        BrrKeyboard.Builder(app) {
            WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/64"))
        }
            .vault(TestVault())
            .sink { words, _ -> sent += words }
            .settings {
                asked++
                ReleaseSettings("exponential", 0.6, 300.0)
            }
            .random(RandomSource { draws++ })
            .thread(thread)
            .build()
        thread.submit {}.get(600, TimeUnit.SECONDS)
        return folder.walk().filter(File::isFile).map { it.name }.toList()
    }

    @Test
    fun itSpendsKeepsAndSendsNothing() {
        folder.mkdirs()
        Consent(File(folder, "consent"), null).give()
        assertEquals(listOf("consent"), opened())
        assertEquals("it happened", 1, asked)
        assertEquals(0, draws)
        assertTrue(sent.isEmpty())
    }

    @Test
    fun withoutConsentThereIsNone() {
        assertTrue(opened().isEmpty())
        assertEquals(0, asked)
    }

    /** The draws end, with each mechanism: their bytes aren't all the same. */
    @Test
    fun itEnds() {
        val bundle = WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/256"))
        for (mechanism in listOf("brr", "vickrey", "exponential")) {
            warmUp(bundle, ReleaseSettings(mechanism, 0.6, 1e-9))
        }
    }
}
