package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.time.Duration
import org.brrkit.Frames
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** The requests to WorkManager. Their execution isn't tested here. */
@RunWith(RobolectricTestRunner::class)
class UploadWorkerTest {
    @Test
    fun aRunIsConstrainedAsThePolicySays() {
        val policy = UploadPolicy(unmetered = false, charging = true)
        val request = UploadWorker.request(policy, 3, Duration.ofMillis(77))
        assertEquals(77, request.workSpec.initialDelay)
        assertTrue(request.workSpec.constraints.requiresCharging())
        assertEquals("CONNECTED", request.workSpec.constraints.requiredNetworkType.name)
        val other = UploadWorker.request(UploadPolicy(), 0, Duration.ZERO).workSpec.constraints
        assertEquals("UNMETERED", other.requiredNetworkType.name)
        assertEquals(setOf("failures"), request.workSpec.input.keyValueMap.keys)
    }

    /** Nobody types. The worker begins each day of frames, and as many leave as on any day. */
    @Test
    fun aDayWithoutTypingHasItsFrames() {
        val app = RuntimeEnvironment.getApplication()
        val keyboard = BrrKeyboard.Builder(app) { bundleOf("64") }
            .vault(TestVault())
            .settings { ReleaseSettings("brr", 1.0, 1e6, frames = FrameSettings(Frames(2, 3))) }
            .build()
        val folder = File(app.noBackupFilesDir, "brr/outbox")
        var answer: () -> Reply = { Reply(200) }
        val sent = mutableListOf<JSONObject>()
        val transport = Transport {
            sent += JSONObject(String(it))
            answer()
        }
        val uploader = keyboard.uploader(transport, UploadPolicy(Frames(2, 3)))
        assertNull("without consent", UploadWorker.run(uploader, 0))
        assertEquals(0, keyboard.outbox.status().frameDays)
        keyboard.consent.give()
        fun failures() = UploadWorker.run(uploader, 4)?.workSpec?.input?.getInt("failures", -1)
        assertEquals(0, failures())
        assertEquals(1, keyboard.outbox.status().frameDays)
        assertEquals("its day isn't over", 0, sent.size)

        // As it is tomorrow: the day that the worker began is over.
        val clock = TestClock(System.currentTimeMillis() + DAY_MS)
        val tomorrow = Uploader(Outbox(folder, TestVault(), OutboxLimits(), clock), keyboard.consent, transport)
        answer = { throw IOException("no network") }
        assertEquals(5, UploadWorker.run(tomorrow, 4)?.workSpec?.input?.getInt("failures", -1))
        answer = { Reply(200) }
        repeat(4) { UploadWorker.run(tomorrow, 0) }
        val frames = sent.drop(1)
        assertEquals(List(3) { "brr-frames" }, frames.map { it.getString("format") })
        assertEquals(List(3) { 2 }, frames.map { it.getJSONArray("words").length() })
        assertEquals(3, frames.map { it.getString("batch") }.toSet().size)
        assertTrue("it came again as it was", frames.any { "$it" == "${sent[0]}" })
    }
}
