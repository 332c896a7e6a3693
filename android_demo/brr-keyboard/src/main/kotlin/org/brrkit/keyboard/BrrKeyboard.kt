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
 * The parts of a keyboard that releases privatized words, put together. Make one, and keep it.
 *
 * ```
 * val keyboard = BrrKeyboard(context) { WordBundle.open(context.assets, "bundle") }
 * keyboard.consent.give() // when the person who types has agreed
 * keyboard.release(typed, strip::add) // once for each word
 * ```
 *
 * It is off until [consent] is given. Its files are in the folder `brr` of `noBackupFilesDir`: the
 * consent, the daily budget, the memory's key, the outbox. More than a bundle takes a [Builder]. A
 * keyboard with a bundle for each of several languages makes one for each ([Builder.state]).
 */
public class BrrKeyboard private constructor(builder: Builder) {

    /** Has the defaults of [Builder]; [open] opens the bundle, in the background. */
    public constructor(context: Context, open: Supplier<WordBundle>) : this(Builder(context, open))

    /**
     * Options of a [BrrKeyboard]; what isn't set has a default.
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
         * Names a folder in `brr` for the budget, the memory and the outbox, beside those of other
         * bundles: losses of two bundles can't be added up in one budget. Consent is one for all.
         * Where it ends, call [Consent.withdraw] of each, which empties its outbox.
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
         * How long a word keeps its first draws, that of text and that for counting; by default,
         * and for null, there is no memory. See `docs/how-to/run-for-months.md`.
         */
        public fun memoryPeriod(period: Duration?): Builder = apply { memoryPeriod = period }

        /**
         * Protects the memory's and the outbox's keys; [KeystoreVault] by default. Without one,
         * whoever can read the app's files can read the words.
         */
        public fun vault(vault: KeyVault?): Builder = apply { this.vault = vault }

        /** Where privatized text goes; without one, no text is released. */
        public fun sink(sink: PrivatizedTextSink): Builder = apply { this.sink = sink }

        /**
         * Returns how words are released; by default as the bundle recommends for text and for
         * counts, and an epsilon of 300 a day. Called for each word, in the background.
         */
        public fun settings(settings: Function<WordBundle, ReleaseSettings>): Builder =
            apply { this.settings = settings }

        /** Source of random bytes. Don't set it in production. */
        public fun random(random: RandomSource): Builder = apply { this.random = random }

        /** Runs releases and other background work, one task at a time. */
        public fun thread(thread: ExecutorService): Builder = apply { this.thread = thread }

        /** Runs look-ups for [suggest], beside [thread]. */
        public fun lookups(thread: ExecutorService): Builder = apply { lookups = thread }

        /** Puts the parts together; the bundle is opened in the background. */
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
                // The uploader, which needs it, tries again.
            }
        }
        if (builder.sink != null) {
            bundle.run({ if (consent.isGiven) warmUp(it, builder.settings.apply(it)) }) {}
        }
    }

    /**
     * Begins another text: another field, or an empty one ([TypedWords.beginsText]). The next word
     * follows none that was released before. For the main thread.
     */
    public fun beginText() {
        releaser.beginText()
    }

    /** Releases the word [typed] in the background, then calls [done] on the main thread. */
    public fun release(typed: String, done: Consumer<Release>) {
        releaser.release(typed, done)
    }

    /**
     * Looks words up for [prefix], then calls [done] on the main thread; none without a bundle.
     *
     * Only the last call is answered: call it whenever what is typed changes, with an empty prefix
     * where nothing is. Then no suggestion comes for a text that isn't there any more.
     */
    public fun suggest(prefix: String, done: Consumer<List<String>>) {
        suggester.suggest(prefix, done)
    }

    /**
     * Begins a day of frames with consent, if the settings have frames and none is open. An [uploader]
     * calls it in each run, so frames leave although nobody types. Opens the bundle, if it isn't open.
     *
     * @throws BrrException there is no day: the bundle, the settings or the budget can't be used.
     * @throws IOException the outbox can't be written, or its vault fails.
     */
    @WorkerThread
    @Throws(IOException::class)
    public fun beginDay() {
        bundle.now { releaser.beginDay(it) }.getOrThrow()
    }

    /**
     * Returns what sends what is in the outbox to the receiver behind [transport].
     *
     * @param policy where text leaves in frames, `UploadPolicy(frames)`.
     */
    @JvmOverloads
    public fun uploader(transport: Transport, policy: UploadPolicy = UploadPolicy()): Uploader =
        Uploader(outbox, consent, transport, policy, ::beginDay)

    private companion object {
        const val DEFAULT_DAILY_BUDGET = 300.0
        val STATE = Regex("[A-Za-z0-9-]{1,64}")
    }
}
