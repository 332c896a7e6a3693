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

/** The state that the keyboard and the settings screen share. */
public open class KeyboardApplication : Application() {

    /** Receives privatized text. The demo's sink shows it on the settings screen. */
    protected open val sink: PrivatizedTextSink
        get() = log

    /** Returns the settings for releases. Called on the background thread. */
    public open fun releaseSettings(bundle: WordBundle): ReleaseSettings =
        settings.load(bundle, mostAttackSuccess)

    /** The app's limit: an attacker recovers at most 50% of the words. */
    protected open val mostAttackSuccess: Double?
        get() = 0.5

    /** Source of random bytes for releases. Don't set it in production. */
    protected open val random: RandomSource
        get() = SystemRandom

    /** Protects the memory's key. */
    protected open val vault: KeyVault
        get() = KeystoreVault(packageName)

    internal val background: ExecutorService = Executors.newSingleThreadExecutor()
    internal val lookups: ExecutorService = Executors.newSingleThreadExecutor()

    internal val log: LogSink = LogSink(Executor(Handler(Looper.getMainLooper())::post))
    internal val settings: SettingsStore by lazy {
        SettingsStore(getSharedPreferences("settings", Context.MODE_PRIVATE))
    }

    /** The tags of the languages to type in. Each has its own bundle. */
    internal open val languages: List<String> by lazy {
        // Robolectric lists the files in the folders.
        assets.list(BUNDLES).orEmpty().map { it.substringBefore('/') }.distinct().sorted()
    }

    /**
     * Each language has its own budget, memory and outbox, because one budget can't add the losses of two
     * bundles.
     */
    internal val keyboards: Map<String, BrrKeyboard> by lazy {
        // The bundle of the current language is opened first.
        val all = languages.sortedByDescending { it == language }.associateWith(::keyboardOf)
        languages.associateWith(all::getValue)
    }

    /** The current language. It is stored. */
    internal var language: String
        get() = settings.language?.takeIf { it in languages } ?: languages.first()
        set(value) {
            settings.language = value
        }

    /** The keyboard of the current language. */
    internal val keyboard: BrrKeyboard
        get() = keyboards.getValue(language)

    /** Withdraws the consent for all languages, and deletes all waiting reports. */
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

/** The assets folder with a bundle for each language. */
internal const val BUNDLES = "bundles"

/** The length of the memory's period. */
internal val MEMORY_PERIOD: Duration = Duration.ofDays(30)
