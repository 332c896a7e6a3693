package org.brrkit

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.io.RandomAccessFile
import java.security.MessageDigest

/**
 * The copy of a bundle that is compressed in an app's assets, and therefore can't be mapped.
 *
 * It is made once, and its name is the SHA-256 of its manifest. If an update of the app contains another bundle,
 * another copy is made, and the old one is deleted. A copy with this name is complete, because it gets the name
 * after everything is on disk. Processes take turns.
 *
 * @property assets the compressed files.
 * @param storage a private directory of the app.
 */
internal class AssetCopy(private val assets: AssetFiles, storage: File) {
    private val folder = File(storage, "brrkit-" + sha256(assets.path("").toByteArray()))

    /** Returns the files of the copy. Makes the copy if there is none. */
    fun files(): BundleFiles = DirectoryFiles(locked { copy -> if (!copy.isDirectory) make(copy) })

    /** Makes the copy again; returns its files. */
    fun again(): BundleFiles = DirectoryFiles(locked(::make))

    private fun make(copy: File) {
        folder.listFiles().orEmpty().filter { it.isDirectory }.forEach(File::deleteRecursively)
        val new = File(folder, "new")
        if (!new.mkdir()) throw IOException()
        for (name in listOf(MANIFEST, INDEX, RANDOMIZER).filter(assets::exists)) {
            assets.open(name).use { source ->
                FileOutputStream(File(new, name)).use { target ->
                    source.copyTo(target)
                    target.fd.sync()
                }
            }
        }
        if (!new.renameTo(copy)) throw IOException()
    }

    private fun locked(action: (File) -> Unit): File {
        val copy = File(folder, sha256(assets.read(MANIFEST, MANIFEST_LIMIT)))
        try {
            synchronized(AssetCopy::class.java) { // a file's lock excludes only other processes
                folder.mkdirs()
                RandomAccessFile(File(folder, "lock"), "rw").use { file ->
                    file.channel.lock().use { action(copy) }
                }
            }
        } catch (_: IOException) {
            throw BundleException(
                "$folder: the compressed ${assets.path("")} can't be copied to it; make room, or " +
                    "add noCompress to the app's build file",
            )
        }
        return copy
    }
}

private fun sha256(content: ByteArray): String =
    MessageDigest.getInstance("SHA-256").apply { update(content) }.hexadecimal()
