package org.brrkit

import android.content.Context
import androidx.test.ext.junit.runners.AndroidJUnit4
import androidx.test.platform.app.InstrumentationRegistry
import java.io.File
import java.time.Duration
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith

/** Features that only a device has: its mapping of assets, clocks, file system and randomness. */
@RunWith(AndroidJUnit4::class)
class OnDeviceTest {
    private val tests: Context = InstrumentationRegistry.getInstrumentation().context
    private val app: Context = InstrumentationRegistry.getInstrumentation().targetContext

    @Test
    fun wordsAreReleasedAndPaidFor() {
        val bundle = WordBundle.open(tests, "sample")
        for (id in 0 until bundle.size) {
            assertEquals(id, bundle.vocabulary.find(bundle.vocabulary.word(id)))
        }
        val state = File(app.noBackupFilesDir, "budget.json").also(File::delete)
        val budget = PrivacyBudget(10.0, Duration.ofDays(1), state)
        for (mechanism in listOf(Mechanism.brr(), Mechanism.exponential(), Mechanism.vickrey())) {
            val privatizer = Privatizer.Builder(bundle).setting(Setting(0.5, mechanism))
                .budget(budget).build()
            for (word in privatizer.words(listOf("book", "a", "flight"))) {
                assertTrue(bundle.vocabulary.find(word) >= 0)
            }
        }
        assertEquals(10.0 - 9 * 0.5, budget.remaining(), 0.0)
    }
}
