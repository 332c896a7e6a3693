package org.brrkit

import java.nio.LongBuffer

/** The mapped codes of a vocabulary, by id. The codes of a list have no bits. */
public class Codes internal constructor(
    private val content: LongBuffer,
    internal val bits: Int,
    /** Number of codes. */
    public val size: Int,
) {
    private val longs = bits / Long.SIZE_BITS

    /** Returns the code of the word with this [id]: bit j is bit j mod 64 of number j div 64. */
    public operator fun get(id: Int): LongArray = LongArray(longs) { content[id * longs + it] }

    /** Returns a view on all codes in order, with its own position. */
    internal fun duplicate(): LongBuffer = content.duplicate()
}
