package org.brrkit.demo

import android.os.Looper
import java.util.Collections
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.brrkit.KeyVault
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.brrkit.keyboard.PrivatizedTextSink
import org.junit.Assert.assertTrue
import org.robolectric.Shadows.shadowOf

/** The app, agreed to, with a sink and a random source that record how they are used. */
internal class TestApplication : KeyboardApplication() {
    /** What the sink got, a list for each typed word. */
    val sent: MutableList<List<String>> = Collections.synchronizedList(mutableListOf())

    /** How often random bytes were asked for. */
    @Volatile
    var draws = 0

    /** While it is held, the bundle isn't opened. */
    val mayOpen = CountDownLatch(1)

    public override val sink = PrivatizedTextSink { words, source ->
        sent += words
        log.accept(words, source)
    }
    public override val random = RandomSource {
        draws++
        SystemRandom.fill(it)
    }

    /** Turns bytes around: this machine has no Keystore. */
    override val vault = object : KeyVault {
        override fun seal(key: ByteArray) = key.reversedArray()
        override fun open(sealed: ByteArray) = sealed.reversedArray()
    }

    override fun onCreate() {
        super.onCreate()
        keyboard.consent.give()
    }

    override fun openBundle(): WordBundle {
        mayOpen.await()
        return super.openBundle()
    }

    /** Waits until all that is asked for is done and shown. */
    fun settle() {
        mayOpen.countDown()
        repeat(2) {
            background.submit {}.get(30, TimeUnit.SECONDS)
            shadowOf(Looper.getMainLooper()).idle()
        }
    }

    override fun onTerminate() {
        mayOpen.countDown()
        background.shutdown()
        assertTrue(background.awaitTermination(30, TimeUnit.SECONDS))
        super.onTerminate()
    }
}
