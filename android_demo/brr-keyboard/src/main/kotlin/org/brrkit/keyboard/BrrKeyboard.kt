package org.brrkit.keyboard

import android.content.Context
import android.os.Handler
import android.os.Looper
import java.io.File
import java.io.IOException
import java.time.Duration
import java.util.concurrent.Executor
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import org.brrkit.KeyVault
import org.brrkit.Memory
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle

/**
 * The parts of a keyboard that releases privatized words, put together. Make one, and keep it.
 *
 * It is off until [consent] is given. Its files are in the folder `brr` of `noBackupFilesDir`: the
 * consent, the daily budget, the memory's key, the outbox.
 *
 * @param memoryPeriod how long a word keeps its first draw, or null for no memory. `brr estimate`
 *   can't use what was released with one: `docs/memory.md`.
 * @param vault protects the memory's and the outbox's keys.
 * @param sink where words go; by default into [outbox].
 * @param settings returns how words are released; by default as the bundle recommends. Called for
 *   each word, in the background.
 * @param random source of random bytes. Leave it alone in production.
 * @param thread for releases and other background work, one task at a time.
 * @param lookups runs look-ups for [suggest], beside [thread].
 * @param open opens the bundle; called in the background.
 */
public class BrrKeyboard(
    context: Context,
    memoryPeriod: Duration? = null,
    vault: KeyVault? = KeystoreVault("org.brrkit.keyboard"),
    sink: PrivatizedTextSink? = null,
    settings: (WordBundle) -> ReleaseSettings =
        { ReleaseSettings.recommended(it, DEFAULT_DAILY_BUDGET) },
    random: RandomSource = SystemRandom,
    thread: ExecutorService = Executors.newSingleThreadExecutor(),
    lookups: ExecutorService = Executors.newSingleThreadExecutor(),
    open: () -> WordBundle,
) {
    private val folder = File(context.noBackupFilesDir, "brr").also(File::mkdir)

    /** Words that wait to be sent. */
    public val outbox: Outbox = Outbox(File(folder, "outbox"), vault)

    /** Whether words may leave the device. */
    public val consent: Consent = Consent(File(folder, "consent"), outbox)

    /** Runs work with the bundle in the background. */
    public val bundle: BundleThread = BundleThread(
        thread,
        Executor(Handler(Looper.getMainLooper())::post),
        open,
    )

    /** Draws the privatized words. */
    public val releaser: Releaser = Releaser(
        bundle,
        consent,
        settings,
        File(folder, "budget.json"),
        memoryPeriod?.let { Memory(it, File(folder, "memory.json"), vault) },
        sink ?: outbox,
        random,
    )

    private val suggester = Suggester(bundle, lookups)

    init {
        thread.execute {
            try {
                consent.settle()
            } catch (_: IOException) {
                // The uploader, which needs it, tries again.
            }
        }
    }

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    public fun release(typed: String, done: (Release) -> Unit) {
        releaser.release(typed, done)
    }

    /**
     * Looks words up for [prefix], then calls [done] on the main thread; none without a bundle.
     *
     * Only the last call is answered: call it whenever what is typed changes, with an empty prefix
     * where nothing is. Then no suggestion comes for a text that isn't there any more.
     */
    public fun suggest(prefix: String, done: (List<String>) -> Unit) {
        suggester.suggest(prefix, done)
    }

    /** Returns what sends the outbox's batches to the receiver behind [transport]. */
    @JvmOverloads
    public fun uploader(transport: Transport, policy: UploadPolicy = UploadPolicy()): Uploader =
        Uploader(outbox, consent, transport, policy)

    private companion object {
        const val DEFAULT_DAILY_BUDGET = 300.0
    }
}
