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
 * When batches are sent: data, for whatever runs the [Uploader].
 *
 * ```
 * keyboard.uploader(transport, UploadPolicy(interval = Duration.ofHours(12), charging = true))
 * ```
 *
 * @property interval between two runs, half an interval more or less at random: when batches arrive
 *   says little about when somebody types.
 * @property unmetered only over networks that cost nothing.
 * @property charging only while the device charges.
 * @property firstBackoff to wait for after a failure, at most; twice as long after each further one,
 *   up to [lastBackoff].
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
     * The policy where [frames] of text leave: twice as many runs a day as frames, since a run sends one
     * at most. After a failure it waits as long as after any run: what fails may be a batch for counting,
     * which waits only where somebody typed, and that must not say when the next frame leaves.
     */
    public constructor(frames: Frames) :
        this(interval = Duration.ofDays(1).dividedBy(2L * frames.aDay)) {
        isSteady = true
    }

    /**
     * Returns how long to wait for before the next run.
     *
     * @param failures runs in a row that failed, this one included; 0 if it didn't.
     * @param retryAfter what the receiver asked for.
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
        // The bias of a remainder is nothing here.
        return Duration.ofMillis(Math.floorMod(ByteBuffer.wrap(bytes).long, bound.toMillis() + 1))
    }
}

/** What became of a run of the [Uploader]. */
public sealed interface Upload {
    /**
     * All that was due: [sent] batches arrived, and the receiver refuses [refused], for good:
     * [Outbox.refusedBatches] has them.
     */
    public data class Done(public val sent: Int, public val refused: Int) : Upload

    /** The receiver can't be reached or can't take them now; try again, later. */
    public data class Failed(public val sent: Int, public val retryAfter: Duration?) : Upload

    /** There is no consent: nothing was sent, and nothing waits. */
    public data object Off : Upload
}

/**
 * Sends what an outbox has of days that are over: one frame, any of those that wait, and then all
 * batches, the oldest first.
 *
 * A batch keeps its random id until it has arrived, so a receiver counts it once however often it
 * is sent. Nothing else names the device. What a receiver can see: the network's address, and which
 * batches come one after the other. When a frame leaves depends on nothing that was typed.
 *
 * ```
 * val uploader = keyboard.uploader(HttpsTransport(URL("https://reports.example.org/v1/reports")))
 * executor.execute { uploader.run() } // or UploadWorker.schedule(context)
 * ```
 *
 * @property policy with frames, `UploadPolicy(frames)`: with a longer interval more wait than leave, and
 *   the outbox drops the oldest days.
 * @param beginDay begins a day of frames, if none is open: [TextReporter.beginDay], or
 *   [BrrKeyboard.beginDay]. Each run with consent calls it, so frames leave although nobody types.
 */
public class Uploader @JvmOverloads constructor(
    private val outbox: Outbox,
    private val consent: Consent,
    private val transport: Transport,
    public val policy: UploadPolicy = UploadPolicy(),
    private val beginDay: Runnable? = null,
) {
    /**
     * Sends what is due. Takes as long as the network does: call it in the background.
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
        // First: behind batches, its time would tell whether there were any.
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
        // There is no day: its budget is used up, or the bundle can't be opened. What waits leaves.
    }

    private companion object {
        val ARRIVED = 200..204

        /** Bad report, another bundle, too large, not one of its words: no repetition helps. */
        val REFUSED = setOf(400, 409, 413, 422)
    }
}
