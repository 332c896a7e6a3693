package org.brrkit.demo

import android.app.Activity
import android.os.Looper
import android.widget.TextView
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import org.brrkit.Privatizer
import org.brrkit.WordBundle
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

class FirstWord : Activity() {
    override fun onCreate(state: android.os.Bundle?) {
        super.onCreate(state)
        val view = TextView(this).also(::setContentView)
        thread {
            val word = Privatizer(WordBundle.open(assets, "bundles/en")).word("flight")
            runOnUiThread { view.text = word }
        }
    }
}

/** The example of `docs/how-to/android.md`. */
@RunWith(RobolectricTestRunner::class)
class FirstWordTest {
    @Test
    fun itShowsAWordOfTheVocabulary() {
        val screen = Robolectric.buildActivity(FirstWord::class.java).setup().get()
        val view = screen.findViewById<android.view.ViewGroup>(android.R.id.content)
            .getChildAt(0) as TextView
        val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(600)
        while (view.text.isEmpty() && System.nanoTime() < deadline) {
            shadowOf(Looper.getMainLooper()).idle()
            Thread.sleep(5)
        }
        val vocabulary = WordBundle.open(screen.assets, "bundles/en").vocabulary
        assertTrue(view.text.toString(), vocabulary.find(view.text) >= 0)
    }

    @Test
    fun itIsTheOneInTheDocumentation() {
        val source = File("src/test/kotlin/org/brrkit/demo/FirstWordTest.kt").readText()
        val example = source.substringAfter("\n\nclass ").substringBefore("\n}\n")
            .replace("bundles/en", "bundle") // which an app of one language has
        assertTrue("class $example\n}\n" in File("../../docs/how-to/android.md").readText())
    }
}
