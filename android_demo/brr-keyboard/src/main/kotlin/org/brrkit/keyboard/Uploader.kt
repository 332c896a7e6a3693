package org.brrkit.keyboard

import java.io.IOException
import java.nio.ByteBuffer
import org.brrkit.RandomSource
import org.brrkit.SystemRandom

/**
 * When batches are sent: data, for whatever runs the [Uploader].
 *
 * @property interval milliseconds between two runs, half an interval more or less at random: when
 *   batches arrive says little about when somebody types.
 * @property minimumWords a batch with fewer waits until the next day.
 * @property unmetered only over networks that cost nothing.
 * @property charging only while the device charges.
 * @property firstBackoff milliseconds to wait for after a failure; twice as long after each further
 *   one, to [lastBackoff] at most.
 */
public class UploadPolicy @JvmOverloads constructor(
    public val interval: Long = 6 * HOUR,
    public val minimumWords: Int = 20,
    public val unmetered: Boolean = true,
    public val charging: Boolean = false,
    public val firstBackoff: Long = MINUTE,
    public val lastBackoff: Long = 12 * HOUR,
) {
    init {
        require(interval > 0 && minimumWords > 0 && firstBackoff in 1..lastBackoff) {
            "an upload's interval, words and back-off are above 0, the last back-off the longest"
        }
    }

    /**
     * Returns the milliseconds to wait for before the next run.
     *
     * @param failures runs in a row that failed, this one included; 0 if it didn't.
     * @param retryAfter seconds that the receiver asked for.
     */
    @JvmOverloads
    public fun wait(
        failures: Int,
        retryAfter: Long? = null,
        random: RandomSource = SystemRandom,
    ): Long {
        if (failures == 0) return interval / 2 + below(interval + 1, random)
        var longest = firstBackoff
        repeat(failures - 1) { longest = minOf(2 * longest, lastBackoff) }
        val asked = minOf(retryAfter ?: 0, lastBackoff / SECOND) * SECOND
        return maxOf(asked, longest / 2 + below(longest / 2 + 1, random))
    }

    private fun below(bound: Long, random: RandomSource): Long {
        val bytes = ByteArray(Long.SIZE_BYTES).also(random::fill)
        return Math.floorMod(ByteBuffer.wrap(bytes).long, bound) // the bias is nothing here
    }

    private companion object {
        const val SECOND = 1_000L
        const val MINUTE = 60 * SECOND
        const val HOUR = 60 * MINUTE
    }
}

/** What became of a run of the [Uploader]. */
public sealed interface Upload {
    /** All that was due: [sent] batches arrived, and the receiver refuses [refused], for good. */
    public data class Done(public val sent: Int, public val refused: Int) : Upload

    /** The receiver can't be reached or can't take them now; try again, later. */
    public data class Failed(public val sent: Int, public val retryAfter: Long?) : Upload

    /** There is no consent: nothing was sent, and nothing waits. */
    public data object Off : Upload
}

/**
 * Sends an outbox's batches, the oldest first.
 *
 * A batch keeps its random id until it has arrived, so a receiver counts it once however often it
 * is sent. Nothing else names the device. What a receiver can see: the network's address, and which
 * batches come one after the other.
 */
public class Uploader(
    private val outbox: Outbox,
    private val consent: Consent,
    private val transport: Transport,
    public val policy: UploadPolicy,
) {
    /**
     * Sends what is due. Takes as long as the network does: call it in the background.
     *
     * @throws IOException the outbox can't be read or written, or its vault fails.
     */
    @Throws(IOException::class)
    public fun run(): Upload {
        consent.settle()
        var sent = 0
        var refused = 0
        while (consent.isGiven) {
            val batch = consent.whileGiven { outbox.oldest(policy.minimumWords) }
                ?: break
            val reply = try {
                transport.post(batch.report())
            } catch (_: IOException) {
                return Upload.Failed(sent, retryAfter = null)
            }
            when (reply.status) {
                in ARRIVED -> sent++
                in REFUSED -> refused++
                else -> return Upload.Failed(sent, reply.retryAfter)
            }
            outbox.remove(batch, refused = reply.status in REFUSED)
        }
        return if (consent.isGiven) Upload.Done(sent, refused) else Upload.Off
    }

    private companion object {
        val ARRIVED = 200..204

        /** Bad report, another bundle, too large, not one of its words: no repetition helps. */
        val REFUSED = setOf(400, 409, 413, 422)
    }
}
