package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import java.nio.file.attribute.PosixFilePermissions

/** The ending of the name of a file that is being written. */
internal const val UNFINISHED = ".new"

/**
 * Replaces the file's content. A kill or a power cut leaves the old content or the new.
 *
 * @throws IOException it can't be written; the old content remains.
 */
internal fun File.replaceDurably(content: ByteArray) {
    val target = toPath()
    val new = target.resolveSibling(name + UNFINISHED)
    Files.deleteIfExists(new) // left over: its writer was killed
    Files.createFile(new, OWNER_ONLY)
    FileChannel.open(new, WRITE).use {
        val left = ByteBuffer.wrap(content)
        while (left.hasRemaining()) it.write(left)
        it.force(true)
    }
    Files.move(new, target, StandardCopyOption.ATOMIC_MOVE)
    checkNotNull(parentFile).syncNames()
}

/** Deletes the file, if it exists. A power cut doesn't restore it. */
internal fun File.deleteDurably() {
    Files.deleteIfExists(toPath())
    checkNotNull(parentFile).syncNames()
}

/** Makes the names in this folder survive a power cut. */
internal fun File.syncNames(): Unit = FileChannel.open(toPath(), READ).use { it.force(true) }

private val OWNER_ONLY =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
