package org.brrkit

/**
 * Which words [Mechanism.exponential] releases more readily than others: its base measure. It comes
 * from the bundle, and from what was released; never from what is typed.
 */
public enum class Base {
    /** All words alike. */
    UNIFORM,

    /** Frequent words, by the vocabulary's order or as a public text has them. */
    UNIGRAM,

    /** The same, and more readily those that follow the word released before in a public text. */
    BIGRAM,
    ;

    /** As files have it. */
    internal val spelled: String
        get() = name.lowercase()
}
