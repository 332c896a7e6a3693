package org.brrkit.keyboard

import java.time.Duration
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** What WorkManager is asked for. That it does it isn't tested here. */
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
}
