package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE
import org.brrkit.KeyVault

/** The kind of a file in an outbox. No file can be mistaken for one of another kind. */
internal enum class Kind {
    /** A [Batch]. */
    BATCH,

    /** A [RefusedBatch]. */
    REFUSED,

    /** An [OpenDay] of frames. */
    OPEN,

    /** The [Frame]s of a past day. */
    FRAMES,
    ;

    val suffix: String = ".${name.lowercase()}"
}

/** What an outbox lost. */
internal enum class Loss { DROPPED, DAMAGED, REFUSED }

/** The files of an outbox's [directory]. All its objects share them under a lock. */
internal class OutboxFiles(private val directory: File, private val vault: KeyVault?) {
    private val keyFile = File(directory, "key")
    private val lossesFile = File(directory, "losses")
    private var key: Pair<List<Byte>, OutboxKey>? = null // in addition to its file's content

    /** Runs [action] while no other thread or process uses the directory. */
    fun <T> locked(action: () -> T): T = synchronized(THREADS) {
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

    /** Deletes all files, the key first. */
    fun clear() {
        if (!directory.isDirectory) return
        locked {
            keyFile.deleteDurably()
            key = null
            directory.listFiles().orEmpty().filter { it.name != LOCK }.forEach(File::deleteDurably)
        }
    }

    /** Returns the key; null without one. Deletes files that have no key. */
    fun key(): OutboxKey? {
        if (!keyFile.isFile) {
            Kind.entries.flatMap(::of).forEach(File::deleteDurably) // emptying it was interrupted
            return null
        }
        val content = keyFile.readBytes().asList()
        key?.takeIf { it.first == content }?.let { return it.second }
        val read = OutboxKey.read(keyFile, vault)
        if (read == null) {
            for (kind in Kind.entries - Kind.REFUSED) of(kind).forEach { lose(it, Loss.DAMAGED) }
            of(Kind.REFUSED).forEach(File::deleteDurably)
        } else {
            key = content to read
        }
        return read
    }

    fun newKey(): OutboxKey = OutboxKey.create(keyFile, vault)

    /** Returns the files of a [kind], sorted by their numbers. */
    fun of(kind: Kind): List<File> = directory.listFiles().orEmpty()
        .filter { NAME.matches(it.name) && it.name.endsWith(kind.suffix) }
        .sortedBy(File::getName)

    /** Returns the number of a file; 0 for none. */
    fun number(file: File?): Long = file?.name?.substringBefore('.')?.toLong() ?: 0

    /** Returns the result of [parsed] for a file's content. Drops the file if it can't be trusted. */
    fun <T : Any> read(kind: Kind, file: File, key: OutboxKey, parsed: (ByteArray) -> T?): T? {
        val content = key.open(kind, number(file), file.readBytes())
        return content?.let(parsed) ?: null.also { lose(file, Loss.DAMAGED) }
    }

    fun write(kind: Kind, number: Long, content: ByteArray, key: OutboxKey): Unit =
        File(directory, "$number".padStart(DIGITS, '0') + kind.suffix) // format() has other digits in Arabic
            .replaceDurably(key.seal(kind, number, content))

    /** Counts a loss before it happens, so a crash can't hide it. */
    fun lose(file: File, loss: Loss) {
        count(loss)
        file.deleteDurably()
    }

    fun count(loss: Loss) {
        val counted = losses().also { it[loss.ordinal]++ }
        lossesFile.replaceDurably(counted.joinToString(" ", postfix = "\n").toByteArray())
    }

    fun lost(loss: Loss): Int = losses()[loss.ordinal]

    private fun losses(): MutableList<Int> {
        val text = if (lossesFile.isFile) lossesFile.readText().trim() else ""
        val numbers = text.split(' ').mapNotNull(String::toIntOrNull)
        val kinds = Loss.entries.size
        return (if (numbers.size == kinds) numbers else List(kinds) { 0 }).toMutableList()
    }

    /** The last closed day, in the file [name]. Its reports may have been sent. */
    inner class ClosedDay(name: String) {
        private val file = File(directory, name)

        /** Returns the day of a batch or of frames that begin [today]: later than every closed day. */
        fun next(today: Long): Long {
            val closed = if (file.isFile) file.readText().trim().toLongOrNull() else null
            return if (closed == null) today else maxOf(today, closed + 1)
        }

        fun close(day: Long): Unit = file.replaceDurably("$day\n".toByteArray())
    }

    private companion object {
        const val LOCK = "lock"
        const val DIGITS = 12
        val NAME = Regex("[0-9]{$DIGITS}\\.[a-z]+")
        val THREADS = Any() // a file's lock excludes other processes only
    }
}
