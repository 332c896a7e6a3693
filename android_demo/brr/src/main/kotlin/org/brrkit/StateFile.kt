package org.brrkit

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.NoSuchFileException
import java.nio.file.OpenOption
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.attribute.PosixFilePermissions

/** Opens files. Tests observe the accesses to them. */
internal fun interface Opener {
    fun open(path: Path, vararg options: OpenOption): FileChannel
}

/** A small file that processes share: read and replaced as a whole, under a lock. */
internal class StateFile(
    private val file: Path,
    private val failure: (String) -> BrrException,
    private val opener: Opener,
) {

    /**
     * Runs [action] while this thread, and no other thread or process, holds the file's lock.
     *
     * The lock is the file `<file>.lock` next to it. Both are found through the directory's real path, so every
     * path to that directory leads to the same lock.
     *
     * @throws BrrException the one that [failure] makes: the directory or the lock can't be
     *   opened, or the lock is a link or anything but a regular file.
     */
    fun <T> locked(action: (Locked) -> T): T = synchronized(THREADS) {
        val path = try {
            file.parent.toRealPath().resolve(file.fileName)
        } catch (_: IOException) {
            throw failure("$file: can't be opened in its directory; $UNTIL")
        }
        val lock = path.resolveSibling("${path.fileName}.lock")
        try {
            check(lock)
            opener.open(lock, CREATE, WRITE, NOFOLLOW_LINKS).use {
                it.lock() // closing the channel ends it
                if (!check(lock)) throw failed(lock, "locked") // removed while this waited
                action(Locked(path))
            }
        } catch (_: IOException) {
            throw failed(lock, "locked")
        }
    }

    /** The file at its real [path], while its lock is held. */
    inner class Locked(private val path: Path) {
        /**
         * Returns the first [limit] bytes, or null if there is no file.
         *
         * @throws BrrException it can't be read, or is a link or anything but a regular file.
         */
        fun read(limit: Int): ByteArray? = try {
            if (check(path)) {
                opener.open(path, READ, NOFOLLOW_LINKS).use { it.read(limit) }
            } else {
                null
            }
        } catch (_: IOException) {
            throw failed(path, "read")
        }

        /**
         * Replaces the file's content. A power cut leaves the old content or the new.
         *
         * @throws BrrException it can't be written.
         */
        fun replace(content: ByteArray) {
            val new = path.resolveSibling("${path.fileName}.new")
            try {
                Files.deleteIfExists(new) // a remnant of a killed writer
                Files.createFile(new, OWNER_ONLY)
                opener.open(new, WRITE).use {
                    val left = ByteBuffer.wrap(content)
                    while (left.hasRemaining()) it.write(left)
                    it.force(true)
                }
                Files.move(new, path, StandardCopyOption.ATOMIC_MOVE)
                opener.open(path.parent, READ).use { it.force(true) }
            } catch (_: IOException) {
                throw failed(path, "written")
            }
        }
    }

    /**
     * Returns whether there is a file at [path].
     *
     * It doesn't follow links, because two names of a file would have two locks. Only a regular file is opened: a
     * FIFO without a writer would block forever.
     */
    private fun check(path: Path): Boolean {
        val attributes = try {
            Files.readAttributes(path, BasicFileAttributes::class.java, NOFOLLOW_LINKS)
        } catch (_: NoSuchFileException) {
            return false
        }
        if (attributes.isSymbolicLink) {
            throw failure(
                "$path: a symbolic link; nothing is released through one: give the path of the " +
                    "file itself",
            )
        }
        if (!attributes.isRegularFile) {
            throw failure(
                "$path: not a regular file; nothing is released until it is removed, or " +
                    "another path is given",
            )
        }
        val links = Files.getAttribute(path, "unix:nlink", NOFOLLOW_LINKS) as Int
        if (links != 1) {
            throw failure(
                "$path: has $links hard links; nothing is released until it has one: " +
                    "remove the others",
            )
        }
        return true
    }

    private fun failed(path: Path, what: String) = failure("$path: can't be $what; $UNTIL")
}

/** A file's lock excludes only other processes. This excludes other threads. */
private val THREADS = Any()

private val OWNER_ONLY =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))

private const val UNTIL = "nothing is released until it can"

private fun FileChannel.read(limit: Int): ByteArray {
    val content = ByteBuffer.allocate(limit)
    do {
        val count = read(content)
    } while (count > 0)
    return content.array().copyOf(content.position())
}
