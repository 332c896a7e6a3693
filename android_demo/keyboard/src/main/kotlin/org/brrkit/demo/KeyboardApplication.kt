package org.brrkit.demo

import android.app.Application
import android.content.Context
import android.os.Handler
import android.os.Looper
import java.time.Duration
import java.util.concurrent.Executor
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import org.brrkit.KeyVault
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.brrkit.keyboard.BrrKeyboard
import org.brrkit.keyboard.KeystoreVault
import org.brrkit.keyboard.PrivatizedTextSink
import org.brrkit.keyboard.ReleaseSettings

/** What the keyboard and the settings screen share. */
public open class KeyboardApplication : Application() {

    /** Where privatized text goes. The demo's shows it on the settings screen. */
    protected open val sink: PrivatizedTextSink
        get() = log

    /** How words are released. Called on the background thread. */
    public open fun releaseSettings(bundle: WordBundle): ReleaseSettings =
        settings.load(bundle, mostAttackSuccess)

    /** The limit of this app: an attacker finds out at most every second word. */
    protected open val mostAttackSuccess: Double?
        get() = 0.5

    /** Where the randomness of releases comes from. Don't set it in production. */
    protected open val random: RandomSource
        get() = SystemRandom

    /** What protects the memory's key. */
    protected open val vault: KeyVault
        get() = KeystoreVault(packageName)

    internal val background: ExecutorService = Executors.newSingleThreadExecutor()
    internal val lookups: ExecutorService = Executors.newSingleThreadExecutor()

    internal val log: LogSink = LogSink(Executor(Handler(Looper.getMainLooper())::post))
    internal val settings: SettingsStore by lazy {
        SettingsStore(getSharedPreferences("settings", Context.MODE_PRIVATE))
    }

    /** The tags of the languages to type in, each of which has its bundle. */
    internal open val languages: List<String> by lazy {
        // Robolectric lists the files in the folders.
        assets.list(BUNDLES).orEmpty().map { it.substringBefore('/') }.distinct().sorted()
    }

    /** Each language's budget, memory and outbox are its own: losses of two bundles don't add up. */
    internal val keyboards: Map<String, BrrKeyboard> by lazy {
        // The bundle that is typed with is opened first.
        val all = languages.sortedByDescending { it == language }.associateWith(::keyboardOf)
        languages.associateWith(all::getValue)
    }

    /** What is typed in; it outlives the app. */
    internal var language: String
        get() = settings.language?.takeIf { it in languages } ?: languages.first()
        set(value) {
            settings.language = value
        }

    /** Of the language that is typed in. */
    internal val keyboard: BrrKeyboard
        get() = keyboards.getValue(language)

    /** Ends the consent to all languages' releases, and deletes what waits of any. */
    internal fun withdraw() = keyboards.values.forEach { it.consent.withdraw() }

    private fun keyboardOf(language: String) = BrrKeyboard.Builder(this) { openBundle(language) }
        .state(language)
        .memoryPeriod(MEMORY_PERIOD)
        .vault(vault)
        .sink(sink)
        .settings(::releaseSettings)
        .random(random)
        .thread(background)
        .lookups(lookups)
        .build()

    /** Opens the bundle of a [language] in the assets. Called on the background thread. */
    protected open fun openBundle(language: String): WordBundle = WordBundle.open(assets, "$BUNDLES/$language")
}

/** The folder of the assets that has a bundle for each language. */
internal const val BUNDLES = "bundles"

/** How long a word keeps its stand-in. */
internal val MEMORY_PERIOD: Duration = Duration.ofDays(30)
