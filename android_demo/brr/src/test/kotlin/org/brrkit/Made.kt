package org.brrkit

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.IntBuffer
import java.util.Arrays

/**
 * Returns the tokenizer of a vocabulary of different [words], whose masses are bytes; that of a list, if
 * there is a [kind] of one. A [policy] tells what words are typed as.
 */
internal fun tokenizerOf(
    writing: Writing,
    words: List<String>,
    masses: List<Int> = words.map { 1 },
    kind: String? = null,
    policy: Policy = Policy.NONE,
): Tokenizer {
    val all = massesOf(ByteArray(masses.size) { masses[it].toByte() })
    val vocabulary = vocabularyOf(words)
    return if (kind == null) Tokenizer(writing, vocabulary, all, policy)
    else ListTokenizer(writing, vocabulary, all, kind)
}

/** Returns the tokens of [text]. */
internal fun Tokenizer.tokens(text: String): List<String> = read(text).map { it.text }

/** Returns a vocabulary of different [words], each of which has its place as its id. */
internal fun vocabularyOf(words: List<String>): Vocabulary {
    val encoded = words.map { it.encodeToByteArray() }
    val sorted = words.indices.sortedWith { one, other -> Arrays.compareUnsigned(encoded[one], encoded[other]) }
    val content = ArrayList<Byte>()
    val offsets = ArrayList<Int>()
    for ((position, id) in sorted.withIndex()) {
        val word = encoded[id]
        val before = if (position % BLOCK == 0) byteArrayOf() else encoded[sorted[position - 1]]
        if (position % BLOCK == 0) offsets += content.size
        var shared = 0
        while (shared < minOf(before.size, word.size, 31) && before[shared] == word[shared]) shared++
        while (shared in 1 until word.size && continues(word[shared])) shared--
        content += shared.toByte()
        content += word.drop(shared)
    }
    offsets += content.size
    val positions = IntArray(words.size).also { sorted.forEachIndexed { position, id -> it[id] = position } }
    val width = widthOf(maxOf(words.size, 2))
    return Vocabulary(
        ByteBuffer.wrap(content.toByteArray()),
        IntBuffer.wrap(offsets.toIntArray()),
        packed(sorted, width),
        packed(positions.asList(), width),
        words.size,
    )
}

/** Of words with these masses, and bigrams of (before, after, gain). */
internal fun massesOf(bytes: ByteArray, bigrams: List<Triple<Int, Int, Int>> = emptyList()): Masses {
    val width = widthOf(maxOf(bytes.size, 2))
    val masses = Masses(
        ByteBuffer.wrap(bytes),
        packed(bigrams.map { it.first }, width),
        packed(bigrams.map { it.second }, width),
        ByteBuffer.wrap(ByteArray(bigrams.size) { bigrams[it].third.toByte() }),
    )
    masses.damage() // it adds them up
    return masses
}

private fun packed(numbers: List<Int>, width: Int): PackedNumbers {
    val content = ByteBuffer.allocate(packedSize(numbers.size, width)).order(ByteOrder.LITTLE_ENDIAN)
    numbers.forEachIndexed { place, number -> content.pack(place, width, number) }
    return PackedNumbers(content, width)
}

/** Puts a number into its place among packed ones. */
fun ByteBuffer.pack(place: Int, width: Int, value: Int) {
    for (bit in 0 until width) {
        val at = place * width + bit
        val mask = 1 shl (at and 7)
        val byte = get(at shr 3).toInt()
        put(at shr 3, (if (value ushr bit and 1 != 0) byte or mask else byte and mask.inv()).toByte())
    }
}
