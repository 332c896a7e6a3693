package org.brrkit.keyboard

import java.io.IOException

/**
 * Receives privatized text. An app implements it. Words for counting go to an [Outbox].
 *
 * It receives only outputs of a mechanism, never typed text. Nobody wrote these words, however well they read.
 * Never present them as something a person wrote.
 *
 * ```
 * BrrKeyboard.Builder(context, open).sink { words, source -> table.insert(words, source.bundle) }
 * ```
 */
public fun interface PrivatizedTextSink {
    /**
     * Takes the privatized [words] of one typed word: usually one, but two for a contraction.
     *
     * Called on a background thread, in the order of typing, only while there is consent. Collect words and
     * upload them in batches: the times of single uploads reveal to an observer how a person types.
     *
     * @param source the bundle and the setting that released them.
     * @throws IOException they can't be kept. They are lost, and their cost stays spent.
     */
    @Throws(IOException::class)
    public fun accept(words: List<String>, source: ReportSource)
}

/**
 * The bundle and the setting that released words, as reports state them (`spec/reports.md`).
 *
 * @property bundle SHA-256 of the bundle, from its manifest.
 * @property setting JSON: `"recommended"` or `"counts"`, or the object that states the setting.
 */
public data class ReportSource(
    public val bundle: String,
    public val setting: String,
)
