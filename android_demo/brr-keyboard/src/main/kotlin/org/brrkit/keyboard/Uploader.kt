package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.IOException
import java.nio.ByteBuffer
import java.time.Duration
import org.brrkit.BrrException
import org.brrkit.Frames
import org.brrkit.RandomSource
import org.brrkit.SystemRandom

/**
 * The schedule of uploads: data for a scheduler that runs the [Uploader].
 *
 * ```
 * keyboard.uploader(transport, UploadPolicy(interval = Duration.ofHours(12), charging = true))
 * ```
 *
 * @property interval time between two runs, varied at random by up to half of it, so that arrival times reveal
 *   little about typing times.
 * @property unmetered whether to use only unmetered networks.
 * @property charging whether to send only while the device charges.
 * @property firstBackoff longest wait after a failure, doubled after each further one, up to [lastBackoff].
 */
public class UploadPolicy @JvmOverloads constructor(
    public val interval: Duration = Duration.ofHours(6),
    public val unmetered: Boolean = true,
    public val charging: Boolean = false,
    public val firstBackoff: Duration = Duration.ofMinutes(1),
    public val lastBackoff: Duration = Duration.ofHours(12),
) {
    init {
        require(interval.toMillis() > 0 && firstBackoff.toMillis() > 0) {
            "an upload's interval and back-off must be above 0"
        }
        require(firstBackoff <= lastBackoff) { "an upload's last back-off must be the longest" }
    }

    private var isSteady = false

    /**
     * The policy for [frames] of text: twice as many runs a day as frames, because a run sends at most one. A
     * failure doesn't change the wait: the failed batch may be one for counting, which exists only after typing,
     * and the times of frames must not reveal that.
     */
    public constructor(frames: Frames) :
        this(interval = Duration.ofDays(1).dividedBy(2L * frames.aDay)) {
        isSteady = true
    }

    /**
     * Returns the wait before the next run.
     *
     * @param failures number of failed runs in a row, including this one; 0 after a success.
     * @param retryAfter wait that the receiver requested.
     */
    @JvmOverloads
    public fun waitAfter(
        failures: Int,
        retryAfter: Duration? = null,
        random: RandomSource = SystemRandom,
    ): Duration {
        if (failures == 0 || isSteady) return interval.dividedBy(2) + below(interval, random)
        var longest = firstBackoff
        repeat(failures - 1) { if (longest < lastBackoff) longest = longest.multipliedBy(2) }
        val half = minOf(longest, lastBackoff).dividedBy(2)
        val asked = minOf(retryAfter ?: Duration.ZERO, lastBackoff)
        return maxOf(asked, half + below(half, random))
    }

    private fun below(bound: Duration, random: RandomSource): Duration {
        val bytes = ByteArray(Long.SIZE_BYTES).also(random::fill)
        // The bias of a remainder doesn't matter here.
        return Duration.ofMillis(Math.floorMod(ByteBuffer.wrap(bytes).long, bound.toMillis() + 1))
    }
}

/** The outcome of a run of the [Uploader]. */
public sealed interface Upload {
    /**
     * All that was due was sent: [sent] reports arrived, and the receiver refused [refused] permanently
     * ([Outbox.refusedBatches] returns them).
     */
    public data class Done(public val sent: Int, public val refused: Int) : Upload

    /** The receiver can't be reached or can't accept reports now. Try again later. */
    public data class Failed(public val sent: Int, public val retryAfter: Duration?) : Upload

    /** There is no consent: nothing was sent, and nothing waits. */
    public data object Off : Upload
}

/**
 * Sends an outbox's reports of past days: first one random frame, then all batches, the oldest first.
 *
 * A batch keeps its random id until it has arrived, so a receiver counts it once, even if it arrives twice.
 * Nothing else identifies the device. A receiver can see the network's address, and the sequence of batches. The
 * times of frames don't depend on typing.
 *
 * ```
 * val uploader = keyboard.uploader(HttpsTransport(URL("https://reports.example.org/v1/reports")))
 * executor.execute { uploader.run() } // or UploadWorker.schedule(context)
 * ```
 *
 * @property policy the schedule. With frames, use `UploadPolicy(frames)`: with a longer interval, more frames
 *   arrive than leave, and the outbox drops the oldest days.
 * @param beginDay begins a day of frames, if none is open: [TextReporter.beginDay], or [BrrKeyboard.beginDay].
 *   Each run with consent calls it, so frames are sent even if nobody types.
 */
public class Uploader @JvmOverloads constructor(
    private val outbox: Outbox,
    private val consent: Consent,
    private val transport: Transport,
    public val policy: UploadPolicy = UploadPolicy(),
    private val beginDay: Runnable? = null,
) {
    /**
     * Sends all that is due. Call it in the background, because it waits for the network.
     *
     * @throws IOException the outbox can't be read or written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun run(): Upload {
        consent.settle()
        if (beginDay != null) consent.whileGiven { begin(beginDay) }
        var sent = 0
        var refused = 0
        // The frame comes first. After batches, its time would reveal whether there were any.
        var next: Waiting? = consent.whileGiven(outbox::anyFrame) ?: oldest()
        while (next != null) {
            val reply = try {
                transport.post(next.report())
            } catch (_: IOException) {
                return Upload.Failed(sent, retryAfter = null)
            }
            when (reply.status) {
                in ARRIVED -> sent++
                in REFUSED -> refused++
                else -> return Upload.Failed(sent, reply.retryAfter)
            }
            outbox.remove(next, reply.status.takeIf { it in REFUSED })
            next = oldest()
        }
        return if (consent.isGiven) Upload.Done(sent, refused) else Upload.Off
    }

    private fun oldest(): Batch? = consent.whileGiven(outbox::oldest)

    private fun begin(day: Runnable) = try {
        day.run()
    } catch (_: BrrException) {
        // There is no day, because the budget is spent or the bundle can't be opened. Waiting reports are sent.
    }

    private companion object {
        val ARRIVED = 200..204

        /**
         * Invalid report, another bundle, too large, or a word that isn't in the bundle: sending again can't
         * help.
         */
        val REFUSED = setOf(400, 409, 413, 422)
    }
}
