package org.brrkit

/** Largest number of code points of a word in a script without spaces. */
private const val LONGEST_WORD = 32

/** Number of code points that are cut at once. It bounds the memory. */
private const val PART = 1_024

/**
 * The additional cost of an unknown code point, compared with the rarest word: a factor of e^5, in 1/256 bits.
 */
private const val UNKNOWN = 1_847

/** Stands in place of a word's id. */
private const val UNKNOWN_ID = -1

/** More than the cost of any part. */
private const val NEVER = Int.MAX_VALUE

/**
 * Returns about 256 times the binary logarithm of [number], linear between powers of two. It is an integer, and
 * the same on every device.
 */
internal fun logarithm(number: Long): Int {
    val power = Long.SIZE_BITS - 1 - number.countLeadingZeroBits()
    return 256 * power + (number shl 8 shr power).toInt() - 256
}

/**
 * The most probable cuts of letters without a space between them into words of a vocabulary.
 *
 * Less probable words cost more. `spec/bundle-format.md`, "Cost", "Scripts without spaces" and "Compounds".
 */
internal class Cuts(
    private val writing: Writing,
    private val vocabulary: Vocabulary,
    private val masses: Masses,
) {
    private val all = logarithm(masses.most(Base.UNIGRAM))
    private val unknown = all - logarithm(masses.least()) + UNKNOWN
    private val links = writing.links.map { it.encodeToByteArray() }

    private fun cost(id: Int): Int = all - logarithm(masses.mass(id))

    /**
     * Returns the tokens of a [stretch] in a script without spaces: the words with the lowest cost. Successive
     * unknown code points are one token.
     */
    fun unspaced(stretch: String): List<Token> {
        val tokens = ArrayList<Token>()
        var start = 0
        while (start < stretch.length) {
            val end = behind(stretch, start, PART)
            cutPart(stretch.substring(start, end).encodeToByteArray(), tokens)
            start = end
        }
        return tokens
    }

    private fun cutPart(part: ByteArray, tokens: MutableList<Token>) {
        val cut = CheapestCut(part.size)
        var at = 0
        while (at < part.size) {
            val next = behind(part, at, 1)
            cut.take(at, next, unknown, UNKNOWN_ID)
            var limit = behind(part, at, LONGEST_WORD)
            while (limit > at) {
                val found = vocabulary.longestWord(part, at, limit)
                if (found < 0) break
                val end = at + lengthOf(found)
                cut.take(at, end, cost(idOf(found)), idOf(found))
                limit = end - 1
            }
            at = next
        }
        cut.eachToken { start, end, id -> tokens += Token(part.decodeToString(start, end), id) }
    }

    /** Returns the two words of a compound with the lowest cost; null if [string] isn't a compound. */
    fun compound(string: String): List<Token>? {
        if (links.isEmpty()) return null
        val content = string.encodeToByteArray()
        var least = NEVER
        var parts: List<Token>? = null
        var limit = content.size
        while (limit > 0) {
            val first = vocabulary.longestWord(content, 0, limit)
            if (first < 0) break
            val end = lengthOf(first)
            if (count(content, 0, end) < writing.shortestPart) break
            for (link in links) {
                val begin = end + link.size
                if (!content.has(link, end) || count(content, begin, content.size) < writing.shortestPart) {
                    continue
                }
                val second = vocabulary.find(content.copyOfRange(begin, content.size))
                if (second < 0) continue
                val cost = cost(idOf(first)) + cost(second)
                if (cost < least) {
                    least = cost
                    parts = listOf(
                        Token(content.decodeToString(0, end), idOf(first)),
                        Token(content.decodeToString(begin, content.size), second),
                    )
                }
            }
            limit = end - 1
        }
        return parts
    }
}

/** The cheapest cuts up to each place of a part with a given number of bytes. */
private class CheapestCut(private val size: Int) {
    private val costs = IntArray(size + 1) { if (it == 0) 0 else NEVER }

    /** Start of the last piece. */
    private val begins = IntArray(size + 1)
    private val ids = IntArray(size + 1)

    /** Takes a piece into account. Pieces that begin earlier come first, and win over equal ones. */
    fun take(start: Int, end: Int, cost: Int, id: Int) {
        if (costs[start] + cost >= costs[end]) return
        costs[end] = costs[start] + cost
        begins[end] = start
        ids[end] = id
    }

    /** Does [action] with the start, end and id of each word, and of each run of unknown code points. */
    inline fun eachToken(action: (Int, Int, Int) -> Unit) {
        // Read back from the end: the end of each piece, by the place of its first code point.
        val ends = IntArray(size)
        var end = size
        while (end > 0) {
            ends[begins[end]] = end
            end = begins[end]
        }
        var start = 0
        while (start < size) {
            end = ends[start]
            while (ids[end] == UNKNOWN_ID && end < size && ids[ends[end]] == UNKNOWN_ID) end = ends[end]
            action(start, end, ids[end])
            start = end
        }
    }
}

private fun ByteArray.has(other: ByteArray, at: Int): Boolean =
    at + other.size <= size && other.indices.all { this[at + it] == other[it] }

/** Returns the place a number of code points after [start] in [text], or its end. */
private fun behind(text: String, start: Int, count: Int): Int {
    var at = start
    repeat(count) { if (at < text.length) at += Character.charCount(text.codePointAt(at)) }
    return at
}

/** The same of UTF-8. */
private fun behind(content: ByteArray, start: Int, count: Int): Int {
    var at = start
    repeat(count) {
        if (at < content.size) at++
        while (at < content.size && continues(content[at])) at++
    }
    return at
}

/** Returns the number of code points that begin between two places. */
private fun count(content: ByteArray, start: Int, end: Int): Int =
    (start until end).count { !continues(content[it]) }
