package org.brrkit.keyboard

import android.app.Application
import android.content.Context
import android.os.Handler
import android.os.Looper
import java.io.File
import java.util.concurrent.Executor
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.brrkit.WordBundle

/** What the keyboard and the settings screen share. */
public open class KeyboardApplication : Application() {

    /** Where privatized words go. The demo's shows them on the settings screen. */
    protected open val sink: PrivatizedTextSink
        get() = log

    /** Where the randomness of releases comes from. Leave it alone in production. */
    protected open val random: RandomSource
        get() = SystemRandom

    private val main = Executor(Handler(Looper.getMainLooper())::post)
    internal val background: ExecutorService = Executors.newSingleThreadExecutor()

    internal val log: LogSink = LogSink(main)
    internal val bundle: BundleThread by lazy { BundleThread(background, main, ::openBundle) }
    internal val trial: Trial = Trial()
    internal val settings: SettingsStore by lazy {
        SettingsStore(getSharedPreferences("settings", Context.MODE_PRIVATE))
    }
    internal val releaser: Releaser by lazy {
        Releaser(bundle, settings, File(noBackupFilesDir, "budget.json"), sink, random)
    }

    /** Opens the bundle that the build put into the assets. Called on the background thread. */
    protected open fun openBundle(): WordBundle = WordBundle.open(assets, "bundle")
}
