package org.brrkit.demo

import android.os.Looper
import java.io.File
import java.util.Collections
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutorService
import java.util.concurrent.TimeUnit
import org.brrkit.KeyVault
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.brrkit.keyboard.PrivatizedTextSink
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.ReportSettings
import org.junit.Assert.assertTrue
import org.robolectric.Shadows.shadowOf

/** The app, agreed to, with a sink and a random source that record how they are used. */
internal open class TestApplication : KeyboardApplication() {
    /** The words that the sink received, in a list for each typed word. */
    val sent: MutableList<List<String>> = Collections.synchronizedList(mutableListOf())

    /** Number of requests for random bytes. */
    @Volatile
    var draws = 0

    /** Called on the background thread before a word is drawn, and before the sink gets it. */
    @Volatile
    var beforeDraw: () -> Unit = {}

    @Volatile
    var beforeAccept: () -> Unit = {}

    /** Where randomness comes from. */
    @Volatile
    var source: RandomSource = SystemRandom

    /** How words are reported for counting: they aren't, in tests of text. */
    @Volatile
    var reports: ReportSettings? = null

    /** No limit, in tests for which it doesn't matter. */
    @Volatile
    public override var mostAttackSuccess: Double? = null

    /** A folder with another bundle than the assets'. */
    var bundle: File? = null

    /** While it is held, the bundle isn't opened. */
    val mayOpen = CountDownLatch(1)

    public override val sink = PrivatizedTextSink { words, source ->
        beforeAccept()
        sent += words
        log.accept(words, source)
    }
    override fun releaseSettings(bundle: WordBundle): ReleaseSettings =
        super.releaseSettings(bundle).copy(reports = reports)

    public override val random = RandomSource {
        beforeDraw()
        draws++
        source.fill(it)
    }

    /** Turns bytes around: this machine has no Keystore. */
    public override val vault = object : KeyVault {
        override fun seal(key: ByteArray) = key.reversedArray()
        override fun open(sealed: ByteArray) = sealed.reversedArray()
    }

    override fun onCreate() {
        super.onCreate()
        keyboard.consent.give()
    }

    override fun openBundle(language: String): WordBundle {
        mayOpen.await()
        return bundle?.let { WordBundle.open(it) } ?: super.openBundle(language)
    }

    /** Waits until all that is asked for is done and shown. */
    fun settle() {
        mayOpen.countDown()
        repeat(2) { settle(background, lookups) }
    }

    /** Waits until what [threads] do is done and shown. */
    fun settle(vararg threads: ExecutorService) {
        threads.forEach { it.submit {}.get(600, TimeUnit.SECONDS) }
        shadowOf(Looper.getMainLooper()).idle()
    }

    override fun onTerminate() {
        mayOpen.countDown()
        for (thread in listOf(background, lookups)) {
            thread.shutdown()
            assertTrue(thread.awaitTermination(600, TimeUnit.SECONDS))
        }
        super.onTerminate()
    }
}
