package org.brrkit

import java.nio.ByteBuffer

/**
 * Returns the tensors of an index, in safetensors' format, by their names.
 *
 * The [manifest] and the size of the file determine the header. It is compared, not parsed.
 */
internal fun readTensors(
    path: String,
    index: ByteBuffer,
    manifest: Manifest,
): HashMap<String, ByteBuffer> {
    val headerEnd = headerEnd(index)
    val layout = layout(manifest, index.limit() - headerEnd)
    if (headerEnd < 0 || layout == null || !index.startsWith(header(layout), headerEnd)) {
        throw damaged(
            path,
            "not the tensors codes, offsets, ids, positions, masses, before, after, gains, words " +
                "of ${manifest.vocabularySize} words x ${manifest.bits} bits and " +
                "${manifest.bigrams} bigrams",
        )
    }
    val tensors = HashMap<String, ByteBuffer>()
    for ((name, tensor) in layout) {
        tensors[name] = index.view(headerEnd + tensor.start, headerEnd + tensor.end)
    }
    return tensors
}

private class Tensor(val dtype: String, val shape: String, val start: Int, val end: Int)

/** Returns the tensors that fill [size] bytes; null for too few bytes. */
private fun layout(manifest: Manifest, size: Int): Map<String, Tensor>? {
    val words = manifest.vocabularySize
    val bigrams = manifest.bigrams
    val width = widthOf(words)
    val longs = manifest.bits / Long.SIZE_BITS
    val blocks = (words + BLOCK - 1) / BLOCK
    val tensors = LinkedHashMap<String, Tensor>()
    var start = 0L
    fun add(name: String, dtype: String, width: Int, rows: Int, columns: Int? = null): Boolean {
        val end = start + width.toLong() * rows * (columns ?: 1)
        if (end > size) return false
        val shape = if (columns == null) "$rows" else "$rows,$columns"
        tensors[name] = Tensor(dtype, shape, start.toInt(), end.toInt())
        start = end
        return true
    }
    return tensors.takeIf {
        add("codes", "U64", Long.SIZE_BYTES, words, longs) &&
            add("offsets", "U32", Int.SIZE_BYTES, blocks + 1) &&
            add("ids", "U8", 1, packedSize(words, width)) &&
            add("positions", "U8", 1, packedSize(words, width)) &&
            add("masses", "U8", 1, words) &&
            add("before", "U8", 1, packedSize(bigrams, width)) &&
            add("after", "U8", 1, packedSize(bigrams, width)) &&
            add("gains", "U8", 1, bigrams) &&
            add("words", "U8", 1, (size - start).toInt())
    }
}

/** Returns the only header for the tensors of a [layout]. */
private fun header(layout: Map<String, Tensor>): String = buildString {
    for ((name, tensor) in layout) {
        append(if (isEmpty()) '{' else ',')
        append("\"$name\":{\"dtype\":\"${tensor.dtype}\",\"shape\":[${tensor.shape}],")
        append("\"data_offsets\":[${tensor.start},${tensor.end}]}")
    }
    append('}')
    while (length % 8 != 0) append(' ')
}

/** Returns the end of the header; -1 if it isn't in the file. */
private fun headerEnd(index: ByteBuffer): Int {
    if (index.limit() < Long.SIZE_BYTES) return -1
    val length = index.view(0, Long.SIZE_BYTES).getLong(0)
    return if (length in 0..index.limit() - Long.SIZE_BYTES) {
        Long.SIZE_BYTES + length.toInt()
    } else {
        -1
    }
}

/** Tells whether the bytes up to [end] are the length of a [header], and the [header]. */
private fun ByteBuffer.startsWith(header: String, end: Int): Boolean {
    if (end != Long.SIZE_BYTES + header.length) return false
    for (i in header.indices) if (get(Long.SIZE_BYTES + i).toInt() != header[i].code) return false
    return true
}
