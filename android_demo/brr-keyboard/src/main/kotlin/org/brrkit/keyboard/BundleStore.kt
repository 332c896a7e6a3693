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
 * Bundles that an app downloaded, beside the one in its package; one of them is used at a time.
 *
 * The rule of an update: a period of the budget counts one bundle. The old bundle goes on until its
 * period has ended, and [open] then begins with the new one. The memory's key stays; it gives each word
 * a new first draw on the new bundle, which the budget counts. What waits in the outbox is sent as it
 * is, in the old bundle's name. A crash at any instant leaves the old bundle or the new.
 *
 * The digests in a bundle detect damage, and don't authenticate it. So the app says which bundle it
 * expects, by a digest that something signed names. Threads and processes take turns.
 *
 * ```
 * BundleStore(File(context.noBackupFilesDir, "bundles")).install(downloaded, manifestDigest)
 * ```
 *
 * @param folder the store's, in an existing one that backups leave out.
 */
public class BundleStore(private val folder: File) {
    private val current = File(folder, "current")
    private val next = File(folder, "next")

    /**
     * Copies a bundle into the store; it is used from a later start on.
     *
     * @param bundle a folder with the three files of a bundle, or the two of a list.
     * @param manifestDigest the `sha256` of its manifest, as something signed names it.
     * @throws BundleException it is damaged or another one; the bundle that is used stays.
     * @throws IOException it can't be copied; the bundle that is used stays.
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

    /** Whether this very bundle is there: the one in use isn't written anew. */
    private fun isWhole(place: File, manifestDigest: String): Boolean = try {
        checked(place, manifestDigest)
        true
    } catch (_: BundleException) {
        false
    }

    /**
     * Opens the bundle to use, at the start of a process: the new one, if the budget's running period
     * counts nothing of another bundle; or else the one before. The packaged one is used where the store
     * has none, or its bundle is damaged.
     *
     * @param budget of which words are released, if there is one.
     * @param packaged opens the bundle in the app's package.
     * @throws BundleException what [packaged] throws.
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

    /** Forgets all of the store's bundles: the packaged one is used from the next start on. */
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

    /** Switches to the new bundle, if there is one and [unit] allows it; returns it then. */
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
