package org.brrkit.keyboard

/**
 * Where privatized words go: an app's own upload implements this.
 *
 * It is the only way out of the keyboard, and gets nothing but what a mechanism released: never
 * what was typed. Give [KeyboardApplication] your implementation.
 */
public fun interface PrivatizedTextSink {
    /**
     * Takes the [words] that one typed word became, usually one (a contraction has two).
     *
     * Called on a background thread, in the order of typing. Collect words and upload them in
     * batches: when each single word is sent tells an observer how somebody types.
     */
    public fun accept(words: List<String>)
}
