package org.brrkit.demo

import java.util.concurrent.Executor
import org.brrkit.keyboard.PrivatizedTextSink
import org.brrkit.keyboard.ReportSource

/** The demo's sink. Keeps the last words in RAM, for the settings screen. */
internal class LogSink(private val main: Executor) : PrivatizedTextSink {
    private val log = ArrayDeque<String>()

    /** Called on the main thread after new words. */
    @Volatile
    var changed: () -> Unit = {}

    /** The last words, oldest first. */
    val words: List<String>
        get() = synchronized(log) { log.toList() }

    override fun accept(words: List<String>, source: ReportSource) {
        synchronized(log) {
            log += words
            while (log.size > KEPT) log.removeFirst()
        }
        main.execute { changed() }
    }

    fun clear() = synchronized(log) { log.clear() }

    private companion object {
        const val KEPT = 200
    }
}
