package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.File
import java.io.IOException
import java.time.Clock
import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.KeyVault
import org.brrkit.RandomSource
import org.json.JSONObject

/**
 * A batch or a frame that the receiver refused. It isn't sent again. The app can look at it.
 *
 * @property status the HTTP status: 400 or 422, not a valid batch; 409, another bundle or setting; 413, too
 *   large.
 * @property report the sent JSON: `spec/reports.md`.
 */
public data class RefusedBatch(public val status: Int, public val report: String) {
    internal fun toBytes(): ByteArray =
        JSONObject().put("status", status).put("report", report).toString().toByteArray()

    internal companion object {
        /** Returns the object that [toBytes] wrote; null for any other content. */
        fun ofBytes(content: ByteArray): RefusedBatch? =
            parsed(content) { RefusedBatch(it.getInt("status"), it.getString("report")) }
    }
}

/**
 * The capacity of an outbox. Beyond it, the oldest batches are deleted, refused ones first.
 *
 * @property batches largest number of batches; there is one per day. Refused ones count, too.
 * @property bytes largest size of all batches' files.
 * @property frameDays largest number of past days whose frames wait. Beyond it, the oldest day is deleted as a
 *   whole. Frames don't count as batches, so a deletion reveals nothing about typing.
 */
public class OutboxLimits @JvmOverloads constructor(
    public val batches: Int = 50,
    public val bytes: Long = 1L shl 20,
    public val frameDays: Int = 7,
) {
    init {
        require(batches > 0 && bytes > 0 && frameDays > 0) { "an outbox's limits must be above 0" }
    }
}

/**
 * The content and the losses of an outbox.
 *
 * @property batches number of waiting batches, including the current day's. [bytes] is the size of their files.
 * @property frameDays number of days whose frames wait, including the current day.
 * @property dropped number of batches and days of frames that were deleted because there was no room, or another
 *   setting on their day. [damaged] counts those that couldn't be read, because another version wrote them or the
 *   storage failed. [refused] counts batches and frames that the receiver refused.
 */
public data class OutboxStatus(
    public val batches: Int,
    public val bytes: Long,
    public val frameDays: Int,
    public val dropped: Int,
    public val damaged: Int,
    public val refused: Int,
)

/**
 * Reports that wait on disk to be sent: a sample of each day's words, and each day's frames of text. They contain
 * nothing typed.
 *
 * A [Reporter] and a [TextReporter] fill it. A day (UTC) is sent only when it is over, so its limits hold. If the
 * clock is set back, the open day continues. Reports are on disk before the calls return, encrypted (AES-256-GCM)
 * with a key that [vault] protects. They survive a kill or a power cut at any instant, because files are replaced
 * as a whole. Reports that can't be authenticated are dropped and counted, never read in part. The only time in
 * them is the day. Safe to share between threads and processes; all objects with the same directory share one
 * outbox.
 *
 * ```
 * val outbox = Outbox(File(context.noBackupFilesDir, "outbox"), KeystoreVault("outbox"))
 * ```
 *
 * @param directory the outbox's own directory, in an existing one, such as `noBackupFilesDir`.
 * @param vault protects the key. Without a vault, anyone who can read the app's files can read the privatized
 *   words.
 * @param clock returns the current time; for tests. Don't set it in production.
 */
public class Outbox @JvmOverloads constructor(
    private val directory: File,
    private val vault: KeyVault?,
    private val limits: OutboxLimits = OutboxLimits(),
    private val clock: Clock = Clock.systemUTC(),
) {
    private val files = OutboxFiles(directory, vault)
    private val closedDay = files.ClosedDay("day")
    private val frames = FrameDays(files, limits.frameDays, ::today)

    /**
     * Offers words to the day's sample, which keeps some of them. Deletes a sample of the same day with another
     * setting, because both together would exceed the limit.
     *
     * @param words number of words.
     * @param draw releases the words. Its argument is the number of them that certainly join the sample.
     * @throws IOException they can't be written, or the vault fails.
     */
    @Throws(IOException::class)
    internal fun add(
        source: ReportSource,
        wordsADay: Int,
        words: Int,
        random: RandomSource,
        draw: (Int) -> List<String>,
    ) = files.locked {
        val key = files.key() ?: files.newKey()
        val open = open(key)
        val same = open?.takeIf { it.source == source && it.sample.most == wordsADay }
        val before = same ?: Batch.new(source, wordsADay, open?.day ?: closedDay.next(today()))
        val after = before.plus(draw(minOf(words, before.sample.room)), random)
        val newest = files.of(Kind.BATCH).lastOrNull()
        if (same == null && open != null && newest != null) files.lose(newest, Loss.DROPPED)
        val number = files.number(newest)
        files.write(Kind.BATCH, if (same == null) number + 1 else number, after.toBytes(), key)
        dropOldest()
    }

    /**
     * Passes the day's frames to [more], which returns the updated ones.
     *
     * @param begin pays for a day, and returns its first frames.
     * @throws IOException they can't be written, or the vault fails.
     */
    @Throws(IOException::class)
    internal fun addFrames(
        source: ReportSource,
        shape: Frames,
        begin: () -> FrameSample,
        more: (FrameSample) -> FrameSample,
    ) = files.locked { frames.add(source, shape, files.key() ?: files.newKey(), begin, more) }

    /** Returns the content and the losses. */
    @WorkerThread
    @Throws(IOException::class)
    public fun status(): OutboxStatus = files.locked {
        val batches = files.of(Kind.BATCH)
        OutboxStatus(
            batches.size,
            batches.sumOf(File::length),
            files.of(Kind.OPEN).size + files.of(Kind.FRAMES).size,
            files.lost(Loss.DROPPED),
            files.lost(Loss.DAMAGED),
            files.lost(Loss.REFUSED),
        )
    }

    /**
     * Returns the reports that the receiver refused, the oldest first. [removeRefused] and [clear] delete them.
     * The oldest are also deleted if there is no room.
     *
     * @throws IOException they can't be read, or the vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun refusedBatches(): List<RefusedBatch> = files.locked {
        val key = files.key() ?: return@locked emptyList()
        files.of(Kind.REFUSED)
            .mapNotNull { files.read(Kind.REFUSED, it, key, RefusedBatch::ofBytes) }
    }

    /** Deletes the refused reports. Waiting reports stay. */
    @Throws(IOException::class)
    public fun removeRefused(): Unit = files.locked {
        files.of(Kind.REFUSED).forEach(File::deleteDurably)
    }

    /**
     * Deletes all waiting and refused reports, the key first, so that remains of deleted files are unreadable.
     */
    @Throws(IOException::class)
    public fun clear(): Unit = files.clear()

    /** Returns the oldest batch of a past day; null without any. */
    internal fun oldest(): Batch? = files.locked {
        val key = files.key() ?: return@locked null
        open(key) // closes it, if its day is over
        files.of(Kind.BATCH).firstNotNullOfOrNull { file -> read(file, key)?.takeIf { it.isClosed } }
    }

    /** Returns a random frame of a past day, each with the same probability; null without any. */
    internal fun anyFrame(): Frame? = files.locked { files.key()?.let(frames::any) }

    /** Removes a batch or a frame: it was sent, or the receiver refused it with a [status]. */
    internal fun remove(sent: Waiting, status: Int?) = files.locked {
        val key = files.key() ?: return@locked
        val removal = when (sent) {
            is Batch -> removal(sent, key)
            is Frame -> frames.removal(sent, key)
        } ?: return@locked
        if (status != null) {
            val next = files.number(files.of(Kind.REFUSED).lastOrNull()) + 1
            val refused = RefusedBatch(status, String(sent.report()))
            files.write(Kind.REFUSED, next, refused.toBytes(), key)
            files.count(Loss.REFUSED)
        }
        removal()
        dropOldest()
    }

    private fun removal(batch: Batch, key: OutboxKey): (() -> Unit)? {
        val file = files.of(Kind.BATCH).firstOrNull { read(it, key)?.id == batch.id }
        return file?.let { it::deleteDurably }
    }

    /** Returns the newest batch if it takes words. Closes it if its day is over. */
    private fun open(key: OutboxKey): Batch? {
        val (newest, batch) = files.of(Kind.BATCH).asReversed()
            .firstNotNullOfOrNull { file -> read(file, key)?.let { file to it } } ?: return null
        if (batch.isClosed) return null
        if (batch.day >= today()) return batch
        closedDay.close(batch.day)
        val closed = batch.copy(isClosed = true)
        files.write(Kind.BATCH, files.number(newest), closed.toBytes(), key)
        return null
    }

    private fun today(): Long = dayOf(clock.millis())

    private fun dropOldest() {
        while (true) {
            val refused = files.of(Kind.REFUSED)
            val all = refused + files.of(Kind.BATCH)
            if (all.size <= limits.batches && all.sumOf(File::length) <= limits.bytes) return
            // Refused reports are already counted.
            if (refused.isEmpty()) files.lose(all.first(), Loss.DROPPED)
            else refused.first().deleteDurably()
        }
    }

    /** Reads a batch. Drops the file if it can't be trusted. */
    private fun read(file: File, key: OutboxKey): Batch? =
        files.read(Kind.BATCH, file, key, Batch::ofBytes)
}
