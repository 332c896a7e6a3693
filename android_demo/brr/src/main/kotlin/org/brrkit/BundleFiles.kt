package org.brrkit

import android.content.res.AssetManager
import java.io.File
import java.io.FileInputStream
import java.io.FileNotFoundException
import java.io.IOException
import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.channels.FileChannel

/** The files of a bundle, at any place. Every failure is a [BundleException]. */
internal interface BundleFiles {
    /** Returns the name of a file in messages. */
    fun path(name: String): String

    /** Returns the content of a file, or of a longer one the first [limit] + 1 bytes. */
    fun read(name: String, limit: Int): ByteArray

    /** Maps a nonempty file. */
    fun map(name: String): ByteBuffer
}

internal class DirectoryFiles(private val directory: File) : BundleFiles {
    override fun path(name: String): String = File(directory, name).path

    override fun read(name: String, limit: Int): ByteArray =
        reading(name) { stream(name).use { it.readUpTo(limit + 1) } }

    override fun map(name: String): ByteBuffer = reading(name) {
        stream(name).use { it.channel.map(0, it.channel.size()) }
    }

    private fun stream(name: String): FileInputStream {
        val file = File(directory, name)
        if (!file.isFile) throw IOException() // opening a pipe would wait for its other end
        return FileInputStream(file)
    }
}

internal class AssetFiles(private val assets: AssetManager, private val folder: String) :
    BundleFiles {
    override fun path(name: String): String = "assets/${asset(name)}"

    override fun read(name: String, limit: Int): ByteArray =
        reading(name) { assets.open(asset(name)).use { it.readUpTo(limit + 1) } }

    override fun map(name: String): ByteBuffer = reading(name) {
        try {
            assets.openFd(asset(name))
        } catch (error: FileNotFoundException) {
            if (exists(name)) throw compressed(name) else throw error
        }.use { asset ->
            FileInputStream(asset.fileDescriptor).channel.map(asset.startOffset, asset.length)
        }
    }

    /** Returns whether a file to map is compressed. */
    fun areCompressed(): Boolean = listOf(INDEX, RANDOMIZER).any { name ->
        try {
            assets.openFd(asset(name)).close()
            false
        } catch (_: IOException) {
            exists(name)
        }
    }

    /** Opens a file, compressed or not. */
    fun open(name: String): InputStream = assets.open(asset(name))

    private fun asset(name: String) = if (folder.isEmpty()) name else "$folder/$name"

    /** Returns whether the file exists. A list has no randomizer. */
    fun exists(name: String): Boolean = try {
        assets.open(asset(name)).close()
        true
    } catch (_: IOException) {
        false
    }

    private fun compressed(name: String) = BundleException(
        "${path(name)}: compressed in the app, so it can't be mapped; add noCompress += " +
            "\"${name.substringAfterLast('.')}\" to androidResources in the app's build file, or open it " +
            "with a Context",
    )
}

private fun FileChannel.map(start: Long, size: Long): ByteBuffer {
    if (size !in 1..Int.MAX_VALUE) throw IOException()
    return map(FileChannel.MapMode.READ_ONLY, start, size)
}

private inline fun <T> BundleFiles.reading(name: String, action: () -> T): T = try {
    action()
} catch (_: IOException) {
    throw BundleException(
        "${path(name)}: can't be read (missing, empty, not a file, or without permission); " +
            "rebuild the bundle",
    )
}
