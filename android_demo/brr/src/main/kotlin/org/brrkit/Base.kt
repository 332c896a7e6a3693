package org.brrkit

/**
 * Which words are more likely outputs of [Mechanism.exponential]: its base measure. It comes
 * from the bundle, and from what was released; never from what is typed.
 */
public enum class Base {
    /** All words alike. */
    UNIFORM,

    /** Frequent words, according to public text or the order of the vocabulary. */
    UNIGRAM,

    /** The same, and more often those that follow the word released before in a public text. */
    BIGRAM,
    ;

    /** As files have it. */
    internal val spelled: String
        get() = name.lowercase()
}
