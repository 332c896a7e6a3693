package org.brrkit

import java.nio.ByteBuffer
import java.nio.CharBuffer
import java.nio.IntBuffer
import java.nio.charset.CharacterCodingException

/** Number of words per block. All words but a block's first share bytes with the word before them. */
internal const val BLOCK: Int = 16

/** Any byte up to this is a number of shared bytes, because no word contains such control characters. */
private const val MOST_SHARED = 31

/** Bytes below this, as signed numbers, continue a UTF-8 character. */
private const val FIRST_OF_CHARACTER = -64

/** Smaller chunks would keep a JVM that has just started from compiling the loops over them in full. */
private const val CHUNK_BYTES = 1 shl 16

/**
 * The words of a bundle with their ids (ranks), front-coded, with look-up by binary search in the mapped file.
 * There is no map, and nothing is unpacked. Safe to share between threads.
 *
 * ```
 * bundle.vocabulary.completions("lon", limit = 3)
 * ```
 */
public class Vocabulary internal constructor(
    private val words: ByteBuffer,
    private val offsets: IntBuffer,
    private val ids: PackedNumbers,
    private val positions: PackedNumbers,
    /** Number of words. */
    public val size: Int,
) {
    private val blocks = offsets.limit() - 1

    /** Returns the word with this [id], from 0, the most frequent, to [size] - 1. */
    public fun word(id: Int): String {
        if (id !in 0 until size) throw ParameterException("a word's id must be below $size")
        return wordAt(positions[id])
    }

    /**
     * Returns the id of a normalized [word] ([WordBundle.normalize]); -1 if it isn't in the vocabulary.
     */
    public fun find(word: CharSequence): Int = encode(word)?.let(::find) ?: -1

    /** Returns the id of a word in UTF-8, or -1. */
    internal fun find(target: ByteArray): Int {
        val block = lastBlockUpTo(target)
        return if (block < 0) -1 else findInBlock(block, target)
    }

    /**
     * Returns the longest word with which [target], in UTF-8, begins from [start] to [end], as a number with its
     * [lengthOf] and [idOf]; -1 without one.
     *
     * These words are before the target in the order, and all words between the longest one and the target begin
     * with the longest one, too. The last word that isn't after the target is therefore the longest one, or
     * bounds its length.
     */
    internal fun longestWord(target: ByteArray, start: Int, end: Int): Long {
        var limit = end
        while (limit > start) {
            val block = lastBlockUpTo(target, start, limit)
            if (block < 0) return -1
            val last = LastWord(target, start, limit)
            last.search(block)
            if (last.id >= 0) return last.matched.toLong() shl Int.SIZE_BITS or last.id.toLong()
            limit = start + last.matched
        }
        return -1
    }

    /**
     * Returns the words that begin with a normalized [prefix] ([WordBundle.normalize]), the most frequent first.
     *
     * @param limit largest number of words.
     */
    public fun completions(prefix: CharSequence, limit: Int): List<String> {
        val target = encode(prefix)
        if (target == null || limit <= 0) return emptyList()
        // No byte of UTF-8 is 0xFF, so the words in between are those that begin with the prefix.
        val range = positionOf(target) until positionOf(target + 0xFF.toByte())
        val best = IntArray(minOf(limit, range.count())) { Int.MAX_VALUE }
        for (position in range) {
            val id = ids[position]
            if (id < best.last()) insert(best, id)
        }
        return best.map(::word)
    }

    /** Returns the error in the content, or null; then every word can be read. */
    internal fun damage(): String? = damageOfWords() ?: damageOfIds()

    private fun encode(word: CharSequence): ByteArray? = try {
        word.toString().encodeToByteArray(throwOnInvalidSequence = true)
    } catch (_: CharacterCodingException) {
        null // A lone surrogate has no UTF-8 form, so no vocabulary contains it.
    }

    /** Returns the last block whose first word isn't greater than [target], or -1. */
    private fun lastBlockUpTo(target: ByteArray, start: Int = 0, end: Int = target.size): Int {
        var low = 0
        var high = blocks
        while (low < high) {
            val middle = (low + high) ushr 1
            if (firstWordIsGreater(middle, target, start, end)) high = middle else low = middle + 1
        }
        return low - 1
    }

    private fun firstWordIsGreater(block: Int, target: ByteArray, start: Int, end: Int): Boolean {
        val at = offsets[block] + 1
        val same = matching(target, start, end, at)
        val next = byteAt(at + same)
        return !endsWord(next) && (start + same == end || next > target[start + same].toInt() and 0xFF)
    }

    /**
     * Returns the number of bytes of [target] from [start] to [end] that equal those of the word from [at] on.
     */
    private fun matching(target: ByteArray, start: Int, end: Int, at: Int): Int {
        var count = 0
        while (start + count < end) {
            val byte = byteAt(at + count)
            if (endsWord(byte) || byte != target[start + count].toInt() and 0xFF) break
            count++
        }
        return count
    }

    private fun findInBlock(block: Int, target: ByteArray): Int {
        val end = offsets[block + 1]
        var at = offsets[block]
        var position = block * BLOCK
        var matched = 0 // number of the target's bytes with which the word before begins
        while (at < end) {
            val shared = byteAt(at++)
            if (shared <= matched) { // otherwise it differs at the same place as the word before
                val more = matching(target, shared, target.size, at)
                matched = shared + more
                at += more
                if (matched == target.size && endsWord(byteAt(at))) return ids[position]
            }
            while (!endsWord(byteAt(at))) at++
            position++
        }
        return -1
    }

    /** Finds the last word in a block that isn't greater than [target] from [start] to [end]. */
    private inner class LastWord(
        private val target: ByteArray,
        private val start: Int,
        private val end: Int,
    ) {
        /** Number of the target's bytes with which the word begins. */
        var matched = 0
            private set

        /** Id of the word, if the target begins with all of it; otherwise -1. */
        var id = -1
            private set

        fun search(block: Int) {
            var at = offsets[block]
            var position = block * BLOCK
            while (at < offsets[block + 1]) {
                val shared = byteAt(at++)
                if (shared <= matched) { // otherwise it is less, for the same reason as the word before
                    val more = matching(target, start + shared, end, at)
                    at += more
                    val place = start + shared + more
                    val next = byteAt(at)
                    val isWhole = endsWord(next)
                    if (!isWhole && (place == end || next > target[place].toInt() and 0xFF)) return
                    matched = shared + more
                    id = if (isWhole) ids[position] else -1
                }
                while (!endsWord(byteAt(at))) at++
                position++
            }
        }
    }

    /** Returns the number of words that are less than [target]. */
    private fun positionOf(target: ByteArray): Int {
        val block = lastBlockUpTo(target)
        if (block < 0) return 0
        val word = WordReader(block)
        var position = block * BLOCK
        while (word.at < offsets[block + 1]) {
            word.next()
            if (word >= target) break
            position++
        }
        return position
    }

    private fun wordAt(position: Int): String {
        val word = WordReader(position / BLOCK)
        repeat(position % BLOCK + 1) { word.next() }
        return word.toString()
    }

    /** Assembles the words of a block, one after the other. */
    private inner class WordReader(block: Int) {
        var at = offsets[block]
            private set
        private var content = ByteArray(64)
        private var length = 0

        fun next() {
            length = byteAt(at++)
            while (!endsWord(byteAt(at))) {
                if (length == content.size) content = content.copyOf(2 * length)
                content[length++] = words[at++]
            }
        }

        operator fun compareTo(other: ByteArray): Int {
            for (i in 0 until minOf(length, other.size)) {
                val difference = (content[i].toInt() and 0xFF) - (other[i].toInt() and 0xFF)
                if (difference != 0) return difference
            }
            return length - other.size
        }

        override fun toString() = content.decodeToString(0, length)
    }

    /** Returns a byte of the words; 0 after their end. */
    private fun byteAt(at: Int): Int = if (at < words.limit()) words[at].toInt() and 0xFF else 0

    private fun endsWord(byte: Int): Boolean = byte <= MOST_SHARED

    /** Checks all words in one pass, because reading single bytes of a mapping is slow. */
    private fun damageOfWords(): String? {
        val end = "tensor 'offsets' doesn't end where 'words' does"
        if (offsets[blocks] != words.limit()) return end
        val source = words.duplicate()
        val content = ByteArray(minOf(words.limit(), CHUNK_BYTES))
        val check = WordsCheck()
        val decoder = Charsets.UTF_8.newDecoder()
        val characters = CharBuffer.allocate(content.size)
        var kept = 0 // number of bytes of a character that the last chunk cut; they are first in this chunk
        var isUtf8 = true
        while (source.hasRemaining()) {
            val count = minOf(source.remaining(), content.size - kept)
            source.get(content, kept, count)
            check.take(content, kept, kept + count)
            val chunk = ByteBuffer.wrap(content, 0, kept + count)
            characters.restart()
            val last = !source.hasRemaining()
            isUtf8 = isUtf8 && !decoder.decode(chunk, characters, last).isError
            kept = if (isUtf8) chunk.remaining() else 0
            System.arraycopy(content, chunk.position(), content, 0, kept)
        }
        return check.damage() ?: if (isUtf8) null else "tensor 'words' isn't UTF-8"
    }

    /** Takes the bytes of all words in order, and finds errors in them. */
    private inner class WordsCheck {
        private var at = 0
        private var count = 0
        private var shared = -1 // number of the word's bytes that are shared with the one before it
        private var length = 0
        private var inside = 0 // bit i: byte i of the word continues a character
        private var isCut = true
        private var sharesRight = true
        private var sharesCharacters = true

        /** Takes the bytes of [content] from [begin] to [end] (exclusive). */
        fun take(content: ByteArray, begin: Int, end: Int) {
            var length = length
            var inside = inside
            for (i in begin until end) {
                val byte = content[i].toInt()
                if (byte > MOST_SHARED) {
                    length++
                } else if (byte < 0) {
                    if (byte < FIRST_OF_CHARACTER && length <= MOST_SHARED) {
                        inside = inside or (1 shl length)
                    }
                    length++
                } else {
                    next(byte, length, inside, at + i - begin)
                    length = byte
                    inside = inside and (1 shl byte) - 1
                }
            }
            this.length = length
            this.inside = inside
            at += end - begin
        }

        /** Ends a word of [length] bytes. The number at [at] is that of the next word's shared bytes. */
        private fun next(shared: Int, length: Int, inside: Int, at: Int) {
            if (count % BLOCK == 0) {
                val block = count / BLOCK
                isCut = isCut && block < blocks && offsets[block] == at
                sharesRight = sharesRight && shared == 0
            }
            sharesRight = sharesRight && length > this.shared && shared <= length
            if (inside ushr shared and 1 != 0) sharesCharacters = false
            this.shared = shared
            count++
        }

        fun damage(): String? = when {
            count != size || !endsWord(byteAt(0)) -> "tensor 'words' doesn't hold $size words"
            !isCut -> "tensor 'offsets' doesn't cut 'words' into blocks"
            !sharesRight || length <= shared ->
                "tensor 'words' has a word that shares more than there is, or adds nothing"
            !sharesCharacters -> "tensor 'words' isn't UTF-8"
            else -> null
        }
    }

    private fun damageOfIds(): String? {
        val ids = ids.first(size)
        val positions = positions.first(size)
        var isInverse = true
        for (position in 0 until size) {
            val id = ids[position]
            if (id >= size) return "tensor 'ids' names a missing word"
            isInverse = isInverse && positions[id] == position
        }
        return if (isInverse) null else "tensor 'positions' isn't the inverse of 'ids'"
    }
}

/** The number of the word's bytes, in a result of [Vocabulary.longestWord]. */
internal fun lengthOf(found: Long): Int = (found ushr Int.SIZE_BITS).toInt()

/** The word's id, in a result of [Vocabulary.longestWord]. */
internal fun idOf(found: Long): Int = found.toInt()

/** Whether a byte continues a UTF-8 character. */
internal fun continues(byte: Byte): Boolean = byte < FIRST_OF_CHARACTER

/** Inserts [id] into the ascending [best], and drops the last one. */
private fun insert(best: IntArray, id: Int) {
    var place = best.size - 1
    while (place > 0 && best[place - 1] > id) {
        best[place] = best[place - 1]
        place--
    }
    best[place] = id
}
