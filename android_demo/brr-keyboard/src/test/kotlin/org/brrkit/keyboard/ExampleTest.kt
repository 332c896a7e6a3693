package org.brrkit.keyboard

import android.app.Application
import java.io.File
import java.net.URL
import org.brrkit.WordBundle
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config

class App : Application(), UploadWorker.Owner {
    val keyboard by lazy { BrrKeyboard(this) { WordBundle.open(assets, "bundle") } }
    private val receiver = URL("https://reports.example.org/v1/reports")
    override val uploader by lazy { keyboard.uploader(HttpsTransport(receiver)) }
}

/** The example of `docs/how-to/android.md`. */
@RunWith(RobolectricTestRunner::class)
@Config(application = App::class)
class ExampleTest {
    @Test
    fun itIsOffUntilThereIsConsent() {
        val app = RuntimeEnvironment.getApplication() as App
        assertEquals(Upload.Off, app.uploader.run())
        app.keyboard.consent.give()
        assertEquals(Upload.Done(0, 0), app.uploader.run()) // without any network
    }

    @Test
    fun itIsTheOneInTheDocumentation() {
        val source = File("src/test/kotlin/org/brrkit/keyboard/ExampleTest.kt").readText()
        val example = source.substringAfter("\n\nclass ").substringBefore("\n}\n")
        assertTrue("class $example\n}\n" in File("../../docs/how-to/android.md").readText())
    }
}
