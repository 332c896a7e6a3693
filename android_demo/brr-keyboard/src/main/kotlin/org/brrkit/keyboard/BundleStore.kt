package org.brrkit.keyboard

import androidx.annotation.WorkerThread
import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.io.RandomAccessFile
import java.util.function.Supplier
import org.brrkit.BudgetFileException
import org.brrkit.BundleException
import org.brrkit.PrivacyBudget
import org.brrkit.WordBundle

/**
 * Bundles that an app has downloaded, in addition to the one in its package. One of them is in use at a time.
 *
 * A period of the budget counts only one bundle. The old bundle therefore stays in use until its period has
 * ended; [open] then changes to the new one. The memory's key stays. It gives each word a new first draw on the
 * new bundle, and the budget counts this draw. Waiting reports are sent unchanged, and name the old bundle. After
 * a crash at any instant, either the old bundle or the new one is in use.
 *
 * The digests in a bundle detect damage, but don't authenticate it. The app therefore states the expected digest,
 * from a signed source. Threads and processes take turns.
 *
 * ```
 * BundleStore(File(context.noBackupFilesDir, "bundles")).install(downloaded, manifestDigest)
 * ```
 *
 * @param folder the store's folder, in an existing one that is excluded from backups.
 */
public class BundleStore(private val folder: File) {
    private val current = File(folder, "current")
    private val next = File(folder, "next")

    /**
     * Copies a bundle into the store. A later start of the app begins to use it.
     *
     * @param bundle a folder with the three files of a bundle, or the two of a list.
     * @param manifestDigest the `sha256` of its manifest, from a signed source.
     * @throws BundleException it is damaged or has another digest; the bundle in use stays.
     * @throws IOException it can't be copied; the bundle in use stays.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun install(bundle: File, manifestDigest: String): Unit = locked {
        checked(bundle, manifestDigest)
        val place = File(folder, manifestDigest)
        if (!isWhole(place, manifestDigest)) copy(bundle, manifestDigest, place)
        next.replaceDurably(manifestDigest.toByteArray())
    }

    private fun copy(bundle: File, manifestDigest: String, place: File) {
        val new = File(folder, manifestDigest + UNFINISHED)
        new.deleteWhole()
        if (!new.mkdir()) throw IOException("$new: can't be made")
        for (file in FILES.map { File(bundle, it) }.filter(File::exists)) {
            file.inputStream().use { source ->
                FileOutputStream(File(new, file.name)).use {
                    source.copyTo(it)
                    it.fd.sync()
                }
            }
        }
        new.syncNames()
        checked(new, manifestDigest) // it may have changed meanwhile
        place.deleteWhole()
        if (!new.renameTo(place)) throw IOException("$place: can't be written")
        folder.syncNames()
    }

    /** If this very bundle is in use, it isn't written again. */
    private fun isWhole(place: File, manifestDigest: String): Boolean = try {
        checked(place, manifestDigest)
        true
    } catch (_: BundleException) {
        false
    }

    /**
     * Opens the bundle to use; call it when the process starts. It opens the new bundle, unless the budget's
     * running period counts another one. Otherwise it opens the previous bundle. It opens the packaged bundle if
     * the store has none, or only a damaged one.
     *
     * @param budget the budget for releases, if there is one.
     * @param packaged opens the bundle in the app's package.
     * @throws BundleException [packaged] throws it.
     * @throws BudgetFileException the budget's state is damaged, or can't be read or written.
     */
    @WorkerThread
    public fun open(budget: PrivacyBudget?, packaged: Supplier<WordBundle>): WordBundle {
        val unit = budget?.unit()
        val opened = try {
            locked { switched(unit) ?: digestIn(current)?.let { checked(File(folder, it), it) } }
        } catch (_: BundleException) {
            null
        } catch (_: IOException) {
            null
        }
        return opened ?: packaged.get()
    }

    /** Deletes all of the store's bundles. The next start uses the packaged one. */
    @WorkerThread
    @Throws(IOException::class)
    public fun clear() {
        if (!folder.exists()) return
        locked {
            next.deleteDurably()
            current.deleteDurably()
            removeOthers(than = null)
        }
    }

    /** Switches to the new bundle, and returns it, if there is one and [unit] allows it. */
    private fun switched(unit: String?): WordBundle? {
        val digest = digestIn(next) ?: return null
        val new = try {
            checked(File(folder, digest), digest)
        } catch (_: BundleException) {
            return null
        }
        if (unit != null && unit != new.digest) return null
        current.replaceDurably(digest.toByteArray())
        next.deleteDurably()
        removeOthers(than = digest)
        return new
    }

    private fun checked(bundle: File, manifestDigest: String): WordBundle {
        val opened = WordBundle.open(bundle)
        if (opened.manifest["sha256"] != manifestDigest) {
            throw BundleException(
                "$bundle: isn't the bundle whose manifest's digest was given; download it again",
            )
        }
        return opened
    }

    private fun digestIn(file: File): String? =
        if (file.isFile && file.length() == DIGEST_DIGITS.toLong()) file.readText().takeIf(HEX::matches)
        else null

    private fun removeOthers(than: String?) {
        for (file in folder.listFiles().orEmpty()) {
            if (file.name.length >= DIGEST_DIGITS && file.name != than) file.deleteWhole()
        }
    }

    private fun File.deleteWhole() {
        if (!deleteRecursively()) throw IOException("$this: can't be deleted")
        folder.syncNames()
    }

    private fun <T> locked(action: () -> T): T = synchronized(THREADS) {
        if (!folder.isDirectory && !folder.mkdir()) throw IOException("$folder: can't be made")
        RandomAccessFile(File(folder, "lock"), "rw").use { file ->
            file.channel.lock().use { action() }
        }
    }

    private companion object {
        val THREADS = Any() // a file's lock is for processes
        val FILES = listOf("manifest.json", "index.safetensors", "randomizer.tflite")
        const val DIGEST_DIGITS = 64
        val HEX = Regex("[0-9a-f]{$DIGEST_DIGITS}")
    }
}
