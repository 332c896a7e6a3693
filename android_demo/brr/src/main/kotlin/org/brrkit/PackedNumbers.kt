package org.brrkit

import java.nio.ByteBuffer

/** Returns the number of bits of a number below [count], for 2 <= count <= 2^24. */
internal fun widthOf(count: Int): Int = Int.SIZE_BITS - (count - 1).countLeadingZeroBits()

/**
 * Returns the number of bytes of [count] packed numbers of [width] bits.
 *
 * These are three bytes more than the bits need, so that four bytes can be read from the first byte of any
 * number.
 */
internal fun packedSize(count: Int, width: Int): Int = (count * width + 7) / 8 + 3

/**
 * Integers of [width] bits, packed one after the other, and read from the mapped file.
 *
 * The bits of number i are those from i * width on. Bit j is bit j mod 8 of byte j div 8, where bit 0 is the
 * least significant, also in the numbers. A width is at most 24, so four bytes always hold one.
 */
internal class PackedNumbers(private val content: ByteBuffer, private val width: Int) {
    private val mask = (1 shl width) - 1

    operator fun get(position: Int): Int {
        val bit = position * width
        return content.getInt(bit ushr 3) ushr (bit and 7) and mask
    }

    /** Returns the first [count] numbers. This is faster than reading single numbers of a mapping. */
    fun first(count: Int): IntArray {
        val bytes = ByteArray(packedSize(count, width))
        content.duplicate().get(bytes)
        return IntArray(count) { position ->
            val bit = position * width
            bytes.intAt(bit ushr 3) ushr (bit and 7) and mask
        }
    }
}
