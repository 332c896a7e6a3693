package org.brrkit.keyboard

import android.content.Context
import android.os.Handler
import android.os.Looper
import androidx.annotation.WorkerThread
import java.io.File
import java.io.IOException
import java.time.Duration
import java.util.concurrent.Executor
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.function.Consumer
import java.util.function.Function
import java.util.function.Supplier
import org.brrkit.BrrException
import org.brrkit.KeyVault
import org.brrkit.Memory
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle

/**
 * Everything that a keyboard needs to release privatized words. Create one, and keep it.
 *
 * ```
 * val keyboard = BrrKeyboard(context) { WordBundle.open(context.assets, "bundle") }
 * keyboard.consent.give() // after the user has agreed
 * keyboard.release(typed, strip::add) // once for each word
 * ```
 *
 * It releases nothing until [consent] is given. Its files are in the folder `brr` of `noBackupFilesDir`: the
 * consent, the daily budgets, the memory's key and the outbox. To set options, use a [Builder]. A keyboard for
 * several languages creates one for each ([Builder.state]).
 */
public class BrrKeyboard private constructor(builder: Builder) {

    /** Uses the defaults of [Builder]. [open] opens the bundle in the background. */
    public constructor(context: Context, open: Supplier<WordBundle>) : this(Builder(context, open))

    /**
     * Options of a [BrrKeyboard]; each has a default.
     *
     * ```
     * BrrKeyboard.Builder(context) { WordBundle.open(context.assets, "bundle") }
     *     .memoryPeriod(Duration.ofDays(30))
     *     .settings { ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0) }
     *     .build()
     * ```
     *
     * @param context of the app.
     * @param open opens the bundle; called in the background.
     */
    public class Builder(internal val context: Context, internal val open: Supplier<WordBundle>) {
        internal var state: String? = null
            private set
        internal var memoryPeriod: Duration? = null
            private set
        internal var vault: KeyVault? = KeystoreVault("org.brrkit.keyboard")
            private set
        internal var sink: PrivatizedTextSink? = null
            private set
        internal var settings: Function<WordBundle, ReleaseSettings> =
            Function { ReleaseSettings(Strength.Recommended, DEFAULT_DAILY_BUDGET) }
            private set
        internal var random: RandomSource = SystemRandom
            private set
        internal var thread: ExecutorService? = null
            private set
        internal var lookups: ExecutorService? = null
            private set

        /**
         * Names a folder in `brr` for the budget, the memory and the outbox of this bundle: a budget can't add
         * the losses of two bundles. All bundles share one consent. To withdraw it, call [Consent.withdraw] on
         * each keyboard, which empties its outbox.
         *
         * @param name 1 to 64 of the letters a to z and A to Z, digits and `-`: a language's tag.
         * @throws ParameterException it isn't.
         */
        public fun state(name: String): Builder = apply {
            if (!STATE.matches(name)) {
                throw ParameterException("a state's name must be 1 to 64 ASCII letters, digits and -")
            }
            state = name
        }

        /**
         * The length of a memory's period. In a period, a word has one first draw for text, and one for counts.
         * By default, and for null, there is no memory. See `docs/how-to/run-for-months.md`.
         */
        public fun memoryPeriod(period: Duration?): Builder = apply { memoryPeriod = period }

        /**
         * Protects the keys of the memory and the outbox; [KeystoreVault] by default. Without a vault, anyone who
         * can read the app's files can read the outbox, and use the memory's key to test guesses.
         */
        public fun vault(vault: KeyVault?): Builder = apply { this.vault = vault }

        /** Receives privatized text. Without a sink, text is released only in frames. */
        public fun sink(sink: PrivatizedTextSink): Builder = apply { this.sink = sink }

        /**
         * Returns the settings; called for each word, in the background. By default, they are the settings that
         * the bundle recommends for text and for counts, with a daily budget of 300 for both together.
         */
        public fun settings(settings: Function<WordBundle, ReleaseSettings>): Builder =
            apply { this.settings = settings }

        /** Source of random bytes. Don't set it in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /** Runs releases and other background work, one task at a time. */
        public fun thread(thread: ExecutorService): Builder = apply { this.thread = thread }

        /** Runs look-ups for [suggest], beside [thread]. */
        public fun lookups(thread: ExecutorService): Builder = apply { lookups = thread }

        /** Creates the keyboard; the bundle is opened in the background. */
        public fun build(): BrrKeyboard = BrrKeyboard(this)
    }

    private val vault = builder.vault
    private val thread = builder.thread ?: Executors.newSingleThreadExecutor()
    private val shared = File(builder.context.noBackupFilesDir, "brr").also(File::mkdir)
    private val folder = builder.state?.let { File(shared, it).also(File::mkdir) } ?: shared

    /** Reports that wait to be sent. */
    public val outbox: Outbox = Outbox(File(folder, "outbox"), vault)

    /** Whether words may leave the device. */
    public val consent: Consent = Consent(File(shared, "consent"), outbox)

    /** Runs work with the bundle in the background. */
    public val bundle: BundleThread = BundleThread(
        thread,
        Executor(Handler(Looper.getMainLooper())::post),
        builder.open,
    )

    private val memory =
        builder.memoryPeriod?.let { Memory(it, File(folder, "memory.json"), vault) }

    /** Draws the privatized words. */
    public val releaser: Releaser = Releaser(
        bundle,
        consent,
        builder.settings,
        File(folder, "budget.json"),
        memory,
        builder.sink,
        Reporter(outbox, memory, builder.random),
        builder.random,
    )

    private val suggester =
        Suggester(bundle, builder.lookups ?: Executors.newSingleThreadExecutor())

    init {
        thread.execute {
            try {
                consent.settle()
            } catch (_: IOException) {
                // The uploader needs it, and tries again.
            }
        }
        if (builder.sink != null) {
            bundle.run({ if (consent.isGiven) warmUp(it, builder.settings.apply(it)) }) {}
        }
    }

    /**
     * Begins another text, such as in another field or in an emptied one ([TypedWords.beginsText]). The next word
     * has no previous released word. Call it on the main thread.
     */
    public fun beginText() {
        releaser.beginText()
    }

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    public fun release(typed: String, done: Consumer<Release>) {
        releaser.release(typed, done)
    }

    /**
     * Finds words for [prefix], then calls [done] on the main thread; there are none without a bundle.
     *
     * Only the last call is answered. Call it whenever the typed text changes, with an empty prefix if there is
     * none. Suggestions for an earlier text then don't appear.
     */
    public fun suggest(prefix: String, done: Consumer<List<String>>) {
        suggester.suggest(prefix, done)
    }

    /**
     * Begins a day of frames if there is consent, the settings have frames, and no day is open. An [uploader]
     * calls it in each run, so frames are sent even if nobody types. Opens the bundle if necessary.
     *
     * @throws BrrException the bundle, the settings or the budget can't be used, so there is no day.
     * @throws IOException the outbox can't be written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun beginDay() {
        bundle.now { releaser.beginDay(it) }.getOrThrow()
    }

    /**
     * Returns an uploader that sends the outbox's reports by [transport].
     *
     * @param policy with frames, use `UploadPolicy(frames)`.
     */
    @JvmOverloads
    public fun uploader(transport: Transport, policy: UploadPolicy = UploadPolicy()): Uploader =
        Uploader(outbox, consent, transport, policy, ::beginDay)

    private companion object {
        const val DEFAULT_DAILY_BUDGET = 300.0
        val STATE = Regex("[A-Za-z0-9-]{1,64}")
    }
}
