package org.brrkit

import java.nio.ByteBuffer
import java.util.Arrays

/** The integer for each byte of a mass or a gain. No such byte is 0. */
private val LEVELS = LongArray(256) { if (it < 16) it.toLong() else 8L + it % 8 shl it / 8 - 1 }

private val ALIKE = LongArray(256) { 1 }

private const val MOST = 1L shl 47
private const val CHUNK_BYTES = 8_192

/**
 * The small language model of a bundle, which makes some words more likely outputs, also depending on the
 * previous one. Read from the mapped file; safe to share between threads.
 */
internal class Masses(
    private val words: ByteBuffer,
    private val before: PackedNumbers,
    private val after: PackedNumbers,
    private val gains: ByteBuffer,
) {
    private val size = words.limit()

    /** The number of bigrams. */
    val bigrams: Int = gains.limit()

    private var total = 0L

    /** The largest sum of the gains of one first word. */
    private var gained = 0L

    /** Returns the upper bound on the sum of a base measure over the vocabulary. */
    fun most(base: Base): Long = when (base) {
        Base.UNIFORM -> size.toLong()
        Base.UNIGRAM -> total
        Base.BIGRAM -> total + gained
    }

    /** The sum of the masses up to each word, by id. */
    private val sums: LongArray by lazy {
        val bytes = ByteArray(size)
        words.duplicate().get(bytes) // reading single bytes of a mapping is slow
        var sum = 0L
        LongArray(size) { id ->
            sum += LEVELS[bytes[id].toInt() and 0xFF]
            sum
        }
    }

    /** Returns the id of a word, drawn in proportion to its mass, with one uniform integer. */
    fun draw(random: RandomSource): Int {
        val place = Arrays.binarySearch(sums, uniformBelow(total, random))
        return if (place < 0) -place - 1 else place + 1 // the first whose sum is above the number
    }

    /** Returns the mass of the word with an [id]. */
    fun mass(id: Int): Long = LEVELS[byte(id)]

    /** Returns the byte of a word's mass. */
    fun byte(id: Int): Int = words[id].toInt() and 0xFF

    /** Returns the smallest mass of a word. */
    fun least(): Long = (0 until size).minOf(::mass)

    /** Returns the base measure after the word [before]; [NONE] is a text's start. */
    fun measure(base: Base, before: Int): Measure {
        val follows = base == Base.BIGRAM && before != NONE
        return Measure(
            words,
            if (base == Base.UNIFORM) ALIKE else LEVELS,
            after,
            gains,
            if (follows) firstBigram(before) else 0,
            if (follows) firstBigram(before + 1) else 0,
        )
    }

    /** Returns the place of the first bigram whose first word isn't below [id]. */
    private fun firstBigram(id: Int): Int {
        var low = 0
        var high = bigrams
        while (low < high) {
            val middle = (low + high) ushr 1
            if (before[middle] < id) low = middle + 1 else high = middle
        }
        return low
    }

    /** Computes all sums. Returns the error in the content, or null; then every sum fits into a Long. */
    fun damage(): String? {
        total = sumOf(words) ?: return "tensor 'masses' has a 0"
        sumOf(gains) ?: return "tensor 'gains' has a 0"
        damageOfBigrams()?.let { return it }
        return if (total + gained > MOST) {
            "tensors 'masses' and 'gains' sum to more than 2^47"
        } else {
            null
        }
    }

    private fun damageOfBigrams(): String? {
        var isKnown = true
        var ascends = true
        var last = -1L
        var sum = 0L
        for (i in 0 until bigrams) {
            val first = before[i]
            val second = after[i]
            if (first >= size) return "tensor 'before' names a missing word"
            isKnown = isKnown && second < size
            val pair = (first.toLong() shl Int.SIZE_BITS) + second
            ascends = ascends && pair > last
            if (first.toLong() != last shr Int.SIZE_BITS) sum = 0
            sum += LEVELS[gains[i].toInt() and 0xFF]
            if (sum > gained) gained = sum
            last = pair
        }
        return when {
            !isKnown -> "tensor 'after' names a missing word"
            !ascends -> "tensors 'before' and 'after' aren't in order, or have a pair twice"
            else -> null
        }
    }

    /** Returns the sum of the bytes' integers; null if a byte is 0. */
    private fun sumOf(bytes: ByteBuffer): Long? {
        val source = bytes.duplicate()
        val content = ByteArray(CHUNK_BYTES) // reading single bytes of a mapping is slow
        var sum = 0L
        while (source.hasRemaining()) {
            val count = minOf(source.remaining(), CHUNK_BYTES)
            source.get(content, 0, count)
            for (i in 0 until count) {
                val byte = content[i].toInt() and 0xFF
                if (byte == 0) return null
                sum += LEVELS[byte]
            }
        }
        return sum
    }

    companion object {
        /** Stands in place of the previously released word's id if there is none. */
        const val NONE: Int = -1
    }
}

/**
 * The base measure at one place in a text: a positive integer for each word.
 *
 * @property words the mass of each word, as a byte, by id.
 * @property levels integer for each byte of a mass.
 * @property begin place of the first bigram of the previously released word.
 * @property end place behind its last bigram.
 */
internal class Measure(
    val words: ByteBuffer,
    val levels: LongArray,
    private val after: PackedNumbers,
    private val gains: ByteBuffer,
    val begin: Int,
    val end: Int,
) {
    /** Returns the id of a bigram's second word; they ascend. */
    fun after(place: Int): Int = after[place]

    /** Returns the byte of the gain of a bigram's second word. */
    fun byte(place: Int): Int = gains[place].toInt() and 0xFF

    /** Returns the gain of a bigram's second word. */
    fun gain(place: Int): Long = levels[byte(place)]

    /** Returns the mass of a word without its gain. */
    fun mass(id: Int): Long = levels[words[id].toInt() and 0xFF]
}
