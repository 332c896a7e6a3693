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
 * A batch or a frame that the receiver doesn't take: it isn't sent again, and waits for the app to look
 * at it.
 *
 * @property status of HTTP: 400 or 422, it isn't a batch; 409, of another bundle or setting; 413, too
 *   large.
 * @property report what was sent: JSON, as `spec/reports.md` has it.
 */
public data class RefusedBatch(public val status: Int, public val report: String) {
    internal fun toBytes(): ByteArray =
        JSONObject().put("status", status).put("report", report).toString().toByteArray()

    internal companion object {
        /** Returns what [toBytes] wrote, or null if it is something else. */
        fun ofBytes(content: ByteArray): RefusedBatch? =
            parsed(content) { RefusedBatch(it.getInt("status"), it.getString("report")) }
    }
}

/**
 * How much an outbox holds: where it would be more, the oldest batches go, those that were refused
 * first.
 *
 * @property batches at most; there is one of each day. Those that were refused count, too.
 * @property bytes of all batches' files, at most.
 * @property frameDays days of frames that are over and wait, at most. They count apart, and the whole
 *   oldest day goes: when one goes says nothing of what was typed.
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
 * What is in an outbox, and what it lost.
 *
 * @property batches that wait, the current day's among them, and [bytes] that their files have.
 * @property frameDays days of which frames wait, the current one among them.
 * @property dropped batches and days of frames that went because there was no room, or another setting
 *   on their day; [damaged] ones that couldn't be read (written by another version, or changed by a fault
 *   of the storage), and [refused] batches and frames that the receiver doesn't take.
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
 * Reports that wait to be sent, on disk: a sample of each day's words, and each day's frames of text.
 * Nothing that was typed is in it.
 *
 * A [Reporter] and a [TextReporter] fill it. A day (UTC) can be sent when it is over, so no more than its
 * words and frames a day leave; where the clock is set back, the day that is open goes on. What they
 * put in is on disk then, encrypted (AES-256-GCM) under a key that [vault] protects, and outlives a kill
 * or a power cut at any instant: files are replaced as a whole. What can't be authenticated is dropped
 * and counted, never read in part. There is no time but the day. Safe to share between threads and
 * processes; every object with the same directory is the same outbox.
 *
 * ```
 * val outbox = Outbox(File(context.noBackupFilesDir, "outbox"), KeystoreVault("outbox"))
 * ```
 *
 * @param directory of its own, in an existing one; in `noBackupFilesDir`.
 * @param vault protects the key; without one, whoever can read the app's files can read the words.
 * @param clock says which day it is. Don't set it in production.
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
     * Shows words to the day's sample, which takes some of them, until they are sent or there is no
     * more room. A sample of another setting on the same day goes: both would be too much.
     *
     * @param words how many.
     * @param draw releases them; it is told how many of them enter the sample for sure.
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
     * Shows the day's frames to [more], which returns those of the day from then on.
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

    /** Returns what is in it, and what it lost. */
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
     * Returns what the receiver refused, the oldest first, until [removeRefused] or [clear] deletes it.
     * Where there is no room for all, the oldest go.
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

    /** Deletes what the receiver refused; what waits to be sent stays. */
    @Throws(IOException::class)
    public fun removeRefused(): Unit = files.locked {
        files.of(Kind.REFUSED).forEach(File::deleteDurably)
    }

    /** Deletes all that waits or was refused, the key first: what storage keeps of deleted files is unreadable. */
    @Throws(IOException::class)
    public fun clear(): Unit = files.clear()

    /** Returns the oldest batch whose day is over; null if there is none. */
    internal fun oldest(): Batch? = files.locked {
        val key = files.key() ?: return@locked null
        open(key) // closes it, if its day is over
        files.of(Kind.BATCH).firstNotNullOfOrNull { file -> read(file, key)?.takeIf { it.isClosed } }
    }

    /** Returns any frame whose day is over, each with the same probability; null if there is none. */
    internal fun anyFrame(): Frame? = files.locked { files.key()?.let(frames::any) }

    /** Takes a batch or a frame out: it was sent, or the receiver refuses it with a [status]. */
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

    /** Returns the newest batch if it takes words; closes it if its day is over. */
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
            // What was refused is counted already.
            if (refused.isEmpty()) files.lose(all.first(), Loss.DROPPED)
            else refused.first().deleteDurably()
        }
    }

    /** Reads a batch; drops the file if it can't be trusted. */
    private fun read(file: File, key: OutboxKey): Batch? =
        files.read(Kind.BATCH, file, key, Batch::ofBytes)
}
