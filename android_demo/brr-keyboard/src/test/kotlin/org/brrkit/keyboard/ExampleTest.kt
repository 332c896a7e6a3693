package org.brrkit.keyboard

import android.app.Application
import java.io.File
import java.net.URL
import org.brrkit.Frames
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

class FrameApp : Application(), UploadWorker.Owner {
    private val frames = Frames(words = 8, aDay = 8)
    val keyboard by lazy {
        BrrKeyboard.Builder(this) { WordBundle.open(assets, "bundle") }
            .settings {
                ReleaseSettings.recommended(it, dailyBudget = 300.0)
                    .copy(frames = FrameSettings(frames), reports = null)
            }
            .build()
    }
    private val receiver = URL("https://reports.example.org/v1/reports")
    override val uploader by lazy {
        keyboard.uploader(HttpsTransport(receiver), UploadPolicy(frames))
    }
}

/** The examples of `docs/how-to/android.md`. */
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
    fun theyAreThoseInTheDocumentation() {
        val source = File("src/test/kotlin/org/brrkit/keyboard/ExampleTest.kt").readText()
        val examples = source.substringBefore("\n/** The examples").split("\n\nclass ").drop(1)
        assertEquals(2, examples.size)
        val page = File("../../docs/how-to/android.md").readText()
        for (example in examples) assertTrue(example, "```kotlin\nclass ${example.trimEnd()}\n```" in page)
    }
}
