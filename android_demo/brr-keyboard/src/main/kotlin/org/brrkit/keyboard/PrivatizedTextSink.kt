package org.brrkit.keyboard

import java.io.IOException

/**
 * Where privatized text goes: an app implements it. What is for counting goes to an [Outbox].
 *
 * It gets nothing but what a mechanism released: never what was typed. However well it reads, nobody
 * wrote it: it must never be shown as somebody's words.
 *
 * ```
 * BrrKeyboard.Builder(context, open).sink { words, source -> table.insert(words, source.bundle) }
 * ```
 */
public fun interface PrivatizedTextSink {
    /**
     * Takes the [words] that one typed word became, usually one (a contraction has two).
     *
     * Called on a background thread, in the order of typing, only while there is consent. Collect
     * words and upload them in batches: when each single word is sent tells an observer how
     * somebody types.
     *
     * @param source what made them.
     * @throws IOException they can't be kept. They are lost, and what they cost is spent.
     */
    @Throws(IOException::class)
    public fun accept(words: List<String>, source: ReportSource)
}

/**
 * What made privatized words, as a report states it (`spec/reports.md`).
 *
 * @property bundle SHA-256 of the bundle, from its manifest.
 * @property setting JSON: `"recommended"` or `"counts"`, or the object that states it.
 */
public data class ReportSource(
    public val bundle: String,
    public val setting: String,
)
