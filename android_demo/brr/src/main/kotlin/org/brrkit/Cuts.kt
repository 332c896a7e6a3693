package org.brrkit

/** Code points of a word that a script without spaces is cut into, at most. */
private const val LONGEST_WORD = 32

/** Code points that are cut at once: it bounds the memory. */
private const val PART = 1_024

/** What an unknown code point costs more than the rarest word: e^5 times, in 1/256 bits. */
private const val UNKNOWN = 1_847

/** In the place of a word's id. */
private const val UNKNOWN_ID = -1

/** More than what a part costs. */
private const val NEVER = Int.MAX_VALUE

/**
 * Returns about 256 times the binary logarithm of [number], by straight lines between powers: an
 * integer, the same on every device.
 */
internal fun logarithm(number: Long): Int {
    val power = Long.SIZE_BITS - 1 - number.countLeadingZeroBits()
    return 256 * power + (number shl 8 shr power).toInt() - 256
}

/**
 * The most probable cuts of letters without a space between them into words of a vocabulary.
 *
 * A word costs the more, the less probable it is. `spec/bundle-format.md`, "Cost", "Scripts
 * without spaces" and "Compounds".
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
     * Returns the tokens of a [stretch], which is of a script without spaces: the words that cost least.
     * Unknown code points that follow each other are one token.
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

    /** Returns the two words that [string] is made of, at the least cost, or null. */
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

/** The cheapest cuts of a part of so many bytes up to each place. */
private class CheapestCut(private val size: Int) {
    private val costs = IntArray(size + 1) { if (it == 0) 0 else NEVER }

    /** Where the last piece begins. */
    private val begins = IntArray(size + 1)
    private val ids = IntArray(size + 1)

    /** Takes a piece into account; those that begin earlier come first, and of equal ones they stay. */
    fun take(start: Int, end: Int, cost: Int, id: Int) {
        if (costs[start] + cost >= costs[end]) return
        costs[end] = costs[start] + cost
        begins[end] = start
        ids[end] = id
    }

    /** Does [action] with start, end and id of each word, and of unknown code points that follow each other. */
    inline fun eachToken(action: (Int, Int, Int) -> Unit) {
        // Read back from the end: by the place of its first code point, where each piece ends.
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

/** Returns the place behind so many code points of [text] from [start] on, or its end. */
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

/** Returns how many code points begin between two places. */
private fun count(content: ByteArray, start: Int, end: Int): Int =
    (start until end).count { !continues(content[it]) }
