package org.brrkit

/**
 * The base measure of [Mechanism.exponential], which makes some words more probable outputs. It depends on the
 * bundle and on released words, never on typed words.
 */
public enum class Base {
    /** All words alike. */
    UNIFORM,

    /** Frequent words are more likely, according to public text or the order of the vocabulary. */
    UNIGRAM,

    /** The same, with more weight on words that follow the previously released word in a public text. */
    BIGRAM,
    ;

    /** Its name in files. */
    internal val spelled: String
        get() = name.lowercase()
}
