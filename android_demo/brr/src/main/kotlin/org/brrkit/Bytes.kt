package org.brrkit

import java.io.InputStream
import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Returns the four bytes from [start] on as a little-endian number. */
internal fun ByteArray.intAt(start: Int): Int = (this[start].toInt() and 0xFF) or
    (this[start + 1].toInt() and 0xFF shl 8) or
    (this[start + 2].toInt() and 0xFF shl 16) or
    (this[start + 3].toInt() shl 24)

/** Returns the eight bytes from [start] on as a little-endian number. */
internal fun ByteArray.longAt(start: Int): Long =
    (intAt(start).toLong() and 0xFFFFFFFFL) or (intAt(start + 4).toLong() shl 32)

/** Moves to the start. Calls Buffer's method, because subclasses lack it before Android 9. */
internal fun Buffer.restart() {
    rewind()
}

/** Moves to a [place], with Buffer's method for the same reason. */
internal fun Buffer.moveTo(place: Int) {
    position(place)
}

/** Returns a little-endian view on the bytes from [start] to [end] (exclusive). */
internal fun ByteBuffer.view(start: Int, end: Int): ByteBuffer {
    val whole: Buffer = duplicate()
    whole.limit(end)
    whole.position(start)
    return (whole as ByteBuffer).slice().order(ByteOrder.LITTLE_ENDIAN)
}

/** Returns the next bytes: [limit] of them, or all up to the end. */
internal fun InputStream.readUpTo(limit: Int): ByteArray {
    var content = ByteArray(minOf(limit, FIRST_CAPACITY))
    var length = 0
    while (length < limit) {
        if (length == content.size) content = content.copyOf(minOf(limit.toLong(), 2L * length).toInt())
        val count = read(content, length, content.size - length)
        if (count < 0) break
        length += count
    }
    return content.copyOf(length)
}

private const val FIRST_CAPACITY = 16 * 1024 // more than most manifests need
