package org.brrkit

import java.nio.ByteBuffer
import java.nio.ByteOrder

private const val HEADER_LIMIT = 1L shl 16 // bytes; a bundle's has some 400

/**
 * Returns the tensors of an index, in safetensors' format, by their names.
 *
 * Their types and sizes follow from the [manifest] and the size of the file: any other header than
 * the one that says so is refused.
 */
internal fun readTensors(
    path: String,
    index: ByteBuffer,
    manifest: Manifest,
): Map<String, ByteBuffer> {
    val headerEnd = headerEnd(index)
    val header = readHeader(index, headerEnd)
        ?: throw damaged(path, "not a valid safetensors file")
    val layout = layout(manifest, index.limit() - headerEnd)
    if (header != layout?.mapValues { it.value.entry() }) {
        throw damaged(
            path,
            "not the tensors codes, offsets, ids, positions, words of " +
                "${manifest.vocabularySize} words x ${manifest.bits} bits, in this order",
        )
    }
    return layout.mapValues { (_, tensor) ->
        index.view(headerEnd + tensor.start, headerEnd + tensor.end)
    }
}

private class Tensor(val dtype: String, val shape: List<Int>, val start: Int, val end: Int) {
    /** Returns what the header says of this tensor. */
    fun entry(): Map<String, Any> = mapOf(
        "dtype" to dtype,
        "shape" to shape.map(Int::toLong),
        "data_offsets" to listOf(start.toLong(), end.toLong()),
    )
}

/** Returns the tensors that fill [size] bytes, or null if those are too few. */
private fun layout(manifest: Manifest, size: Int): Map<String, Tensor>? {
    val words = manifest.vocabularySize
    val longs = manifest.bits / Long.SIZE_BITS
    val blocks = (words + BLOCK - 1) / BLOCK
    val tensors = LinkedHashMap<String, Tensor>()
    var start = 0L
    fun add(name: String, dtype: String, width: Int, vararg shape: Int): Boolean {
        val end = start + shape.fold(width.toLong(), Long::times)
        if (end > size) return false
        tensors[name] = Tensor(dtype, shape.asList(), start.toInt(), end.toInt())
        start = end
        return true
    }
    return tensors.takeIf {
        add("codes", "U64", Long.SIZE_BYTES, words, longs) &&
            add("offsets", "U32", Int.SIZE_BYTES, blocks + 1) &&
            add("ids", "U8", 1, packedSize(words)) &&
            add("positions", "U8", 1, packedSize(words)) &&
            add("words", "U8", 1, (size - start).toInt())
    }
}

/** Returns where the header ends, or -1 if that isn't in the file, or too far. */
private fun headerEnd(index: ByteBuffer): Int {
    if (index.limit() < Long.SIZE_BYTES) return -1
    val length = index.view(0, Long.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN).getLong(0)
    val most = minOf(HEADER_LIMIT, index.limit().toLong() - Long.SIZE_BYTES)
    return if (length in 0..most) Long.SIZE_BYTES + length.toInt() else -1
}

/** Returns the header's entries without its metadata, or null if it isn't a header. */
private fun readHeader(index: ByteBuffer, end: Int): Map<*, *>? {
    if (end < 0) return null
    val content = ByteArray(end - Long.SIZE_BYTES)
    index.view(Long.SIZE_BYTES, end).get(content)
    val header = try {
        parseJson(content) as? Map<*, *> ?: return null
    } catch (_: JsonException) {
        return null
    }
    val metadata = header["__metadata__"] ?: emptyMap<String, String>()
    val sound = metadata is Map<*, *> && metadata.values.all { it is String }
    return if (sound) header - "__metadata__" else null
}
