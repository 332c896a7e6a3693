package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.File
import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE
import java.time.Clock
import org.brrkit.KeyVault
import org.brrkit.RandomSource

/**
 * A batch that the receiver doesn't take: it isn't sent again, and waits for the app to look at it.
 *
 * @property status of HTTP: 400 or 422, it isn't a batch; 409, of another bundle or setting; 413, too
 *   large.
 * @property report what was sent: JSON, as `spec/reports.md` has it.
 */
public data class RefusedBatch(public val status: Int, public val report: String)

/**
 * How much an outbox holds: where it would be more, the oldest batches go, those that were refused
 * first.
 *
 * @property batches at most; there is one of each day. Those that were refused count, too.
 * @property bytes of all batches' files, at most.
 */
public class OutboxLimits @JvmOverloads constructor(
    public val batches: Int = 50,
    public val bytes: Long = 1L shl 20,
) {
    init {
        require(batches > 0 && bytes > 0) { "an outbox's limits are above 0" }
    }
}

/**
 * What is in an outbox, and what it lost.
 *
 * @property batches that wait, the current day's among them, and [bytes] that their files have.
 * @property dropped batches that went because there was no room, or another setting on their day;
 *   [damaged] ones that couldn't be read (written by another version, or changed by a fault of the
 *   storage), and [refused] ones that the receiver doesn't take.
 */
public data class OutboxStatus(
    public val batches: Int,
    public val bytes: Long,
    public val dropped: Int,
    public val damaged: Int,
    public val refused: Int,
)

/**
 * Reports that wait to be sent, on disk: a sample of each day's words. Nothing that was typed is in it.
 *
 * A [Reporter] fills it. A day (UTC) can be sent when it is over, so no more than its words a day
 * leave; where the clock is set back, the day that is open goes on. What a [Reporter] puts in is on
 * disk then, encrypted (AES-256-GCM) under a key that [vault] protects, and outlives a kill or a power
 * cut at any instant: files are replaced as a whole. What can't be authenticated is dropped and
 * counted, never read in part. Words are kept sorted, without a time but the day. Safe to share
 * between threads and processes; every object with the same directory is the same outbox. The files
 * are described in `spec/state-files.md`.
 *
 * ```
 * val outbox = Outbox(File(context.noBackupFilesDir, "outbox"), KeystoreVault("outbox"))
 * ```
 *
 * @param directory of its own, in an existing one; in `noBackupFilesDir`.
 * @param vault protects the key; without one, whoever can read the app's files can read the words.
 * @param clock says which day it is. Leave it alone in production.
 */
public class Outbox @JvmOverloads constructor(
    private val directory: File,
    private val vault: KeyVault?,
    private val limits: OutboxLimits = OutboxLimits(),
    private val clock: Clock = Clock.systemUTC(),
) {
    private val keyFile = File(directory, "key")
    private val dayFile = File(directory, "day")
    private val lossesFile = File(directory, "losses")
    private var key: Pair<List<Byte>, OutboxKey>? = null // beside what is in its file

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
    ) = locked {
        val key = key() ?: newKey()
        val open = open(key)
        val same = open?.takeIf { it.source == source && it.sample.most == wordsADay }
        val before = same ?: Batch.new(source, wordsADay, open?.day ?: nextDay())
        val after = before.plus(draw(minOf(words, before.sample.room)), random)
        val newest = files().lastOrNull()
        if (same == null && open != null && newest != null) lose(newest, DROPPED)
        write(BATCH, if (same == null) number(newest) + 1 else number(newest), after, key)
        dropOldest()
    }

    /** Returns what is in it, and what it lost. */
    @WorkerThread
    @Throws(IOException::class)
    public fun status(): OutboxStatus = locked {
        val files = files()
        val losses = losses()
        OutboxStatus(
            files.size,
            files.sumOf(File::length),
            losses[DROPPED],
            losses[DAMAGED],
            losses[REFUSED],
        )
    }

    /**
     * Returns the batches that the receiver refused, the oldest first, until [removeRefused] or [clear]
     * deletes them. Where there is no room for all, the oldest go.
     *
     * @throws IOException they can't be read, or the vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun refusedBatches(): List<RefusedBatch> = locked {
        val key = key() ?: return@locked emptyList()
        files(REFUSED_BATCH).mapNotNull { file ->
            val batch = read(file, key)
            batch?.refusal?.let { RefusedBatch(it, String(batch.report())) }
        }
    }

    /** Deletes the batches that the receiver refused; what waits to be sent stays. */
    @Throws(IOException::class)
    public fun removeRefused(): Unit = locked {
        files(REFUSED_BATCH).forEach(File::deleteDurably)
    }

    /** Deletes all that waits or was refused, the key first: what storage keeps of deleted files is unreadable. */
    @Throws(IOException::class)
    public fun clear() {
        if (!directory.isDirectory) return
        locked {
            keyFile.deleteDurably()
            key = null
            directory.listFiles().orEmpty().filter { it.name != LOCK }.forEach(File::deleteDurably)
        }
    }

    /** Returns the oldest batch whose day is over; null if there is none. */
    internal fun oldest(): Batch? = locked {
        val key = key() ?: return@locked null
        open(key) // closes it, if its day is over
        files().firstNotNullOfOrNull { file -> read(file, key)?.takeIf { it.isClosed } }
    }

    /** Returns the newest batch if it takes words; closes it if its day is over. */
    private fun open(key: OutboxKey): Batch? {
        val (newest, batch) = files().asReversed()
            .firstNotNullOfOrNull { file -> read(file, key)?.let { file to it } } ?: return null
        if (batch.isClosed) return null
        if (batch.day >= today()) return batch
        dayFile.replaceDurably("${batch.day}\n".toByteArray())
        write(BATCH, number(newest), batch.copy(isClosed = true), key)
        return null
    }

    /** The day of a new batch: none that was closed, which may have been sent. */
    private fun nextDay(): Long {
        val closed = if (dayFile.isFile) dayFile.readText().trim().toLongOrNull() else null
        return if (closed == null) today() else maxOf(today(), closed + 1)
    }

    private fun today(): Long = Batch.day(clock.millis())

    /** Takes [batch] out: it was sent, or the receiver refuses it with a [status]. */
    internal fun remove(batch: Batch, status: Int?) {
        locked {
            val key = key() ?: return@locked
            val file = files().firstOrNull { read(it, key)?.id == batch.id } ?: return@locked
            if (status == null) return@locked file.deleteDurably()
            val next = number(files(REFUSED_BATCH).lastOrNull()) + 1
            write(REFUSED_BATCH, next, batch.copy(refusal = status), key)
            lose(file, REFUSED)
            dropOldest()
        }
    }

    private fun dropOldest() {
        while (true) {
            val refused = files(REFUSED_BATCH)
            val all = refused + files()
            if (all.size <= limits.batches && all.sumOf(File::length) <= limits.bytes) return
            // What was refused is counted already.
            if (refused.isEmpty()) lose(all.first(), DROPPED) else refused.first().deleteDurably()
        }
    }

    /** Reads a batch; drops the file if it can't be trusted. */
    private fun read(file: File, key: OutboxKey): Batch? {
        val batch = key.open(number(file), file.readBytes())?.let(Batch::ofBytes)
        val isInPlace = (batch?.refusal != null) == file.name.endsWith(REFUSED_BATCH)
        return batch?.takeIf { isInPlace } ?: null.also { lose(file, DAMAGED) }
    }

    private fun write(suffix: String, number: Long, batch: Batch, key: OutboxKey) {
        File(directory, "%012d$suffix".format(number))
            .replaceDurably(key.seal(number, batch.toBytes()))
    }

    /** Returns the key, or null if there is none; batches that have none go. */
    private fun key(): OutboxKey? {
        if (!keyFile.isFile) {
            // Emptying it was interrupted.
            (files() + files(REFUSED_BATCH)).forEach(File::deleteDurably)
            return null
        }
        val content = keyFile.readBytes().asList()
        key?.takeIf { it.first == content }?.let { return it.second }
        val read = OutboxKey.read(keyFile, vault)
        if (read == null) {
            files().forEach { lose(it, DAMAGED) }
            files(REFUSED_BATCH).forEach(File::deleteDurably)
        } else {
            key = content to read
        }
        return read
    }

    private fun newKey(): OutboxKey = OutboxKey.create(keyFile, vault)

    /** Counts a loss before it happens, so that a crash doesn't hide it. */
    private fun lose(file: File, kind: Int) {
        val losses = losses().also { it[kind]++ }
        lossesFile.replaceDurably(losses.joinToString(" ", postfix = "\n").toByteArray())
        file.deleteDurably()
    }

    private fun losses(): MutableList<Int> {
        val text = if (lossesFile.isFile) lossesFile.readText().trim() else ""
        val numbers = text.split(' ').mapNotNull(String::toIntOrNull)
        return (if (numbers.size == KINDS) numbers else List(KINDS) { 0 }).toMutableList()
    }

    /** The files of batches that wait, or were refused; the oldest first. */
    private fun files(suffix: String = BATCH): List<File> = directory.listFiles().orEmpty()
        .filter { BATCH_NAME.matches(it.name) && it.name.endsWith(suffix) }
        .sortedBy(File::getName)

    private fun number(file: File?): Long = file?.name?.substringBefore('.')?.toLong() ?: 0

    private fun <T> locked(action: () -> T): T = synchronized(THREADS) {
        if (!directory.isDirectory && !directory.mkdir()) {
            throw IOException("$directory: can't be made; give a directory in an existing one")
        }
        FileChannel.open(File(directory, LOCK).toPath(), CREATE, WRITE).use {
            it.lock() // closing the channel ends it
            directory.listFiles().orEmpty().filter { it.name.endsWith(UNFINISHED) }
                .forEach(File::deleteDurably)
            action()
        }
    }

    private companion object {
        const val BATCH = ".batch"
        const val REFUSED_BATCH = ".refused"
        const val LOCK = "lock"
        val BATCH_NAME = Regex("[0-9]{12}\\.(batch|refused)")
        const val DROPPED = 0
        const val DAMAGED = 1
        const val REFUSED = 2
        const val KINDS = 3
        val THREADS = Any() // a file's lock excludes other processes only
    }
}
