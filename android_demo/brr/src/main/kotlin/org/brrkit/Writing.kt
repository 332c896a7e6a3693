package org.brrkit

import java.util.Arrays
import java.util.Collections

/**
 * Writing rules of a bundle's language: the tokenizer's data, which differ by language.
 *
 * Strings are in the vocabulary's normal form. `spec/bundle-format.md`, "Writing", is the
 * specification.
 *
 * @property language its name, for people: `en`.
 */
public class Writing internal constructor(
    public val language: String,
    /** Code points and their replacements in a vocabulary. */
    internal val replaced: Map<String, String>,
    /** Separators that join two word characters if they stand between them. */
    joiners: List<String>,
    /** Words that are cut off the beginning of another word, such as l' in l'homme. */
    before: List<String>,
    /** Endings that are removed from an unknown word. */
    endings: List<String>,
    /** Smallest number of code points that the removal of an ending leaves. */
    internal val shortestStem: Int,
    /** Tokens that a vocabulary lacks, and their words. A `0` stands for any digit. */
    internal val spellings: Map<String, String>,
    /** Strings in an unknown word, and their replacements. */
    internal val rewritten: List<Pair<String, String>>,
    /** Largest number of equal code points in a row in a word; 0: no limit. */
    internal val longestRun: Int,
    unspaced: List<Pair<Int, Int>>,
    /** Strings that may join the two parts of a compound; empty: no compounds. */
    internal val links: List<String>,
    /** Smallest number of code points in a part of a compound. */
    internal val shortestPart: Int,
) {
    private val form = NormalForm(replaced, joiners)
    private val joiners = codePoints(joiners)
    private val unspaced = IntArray(2 * unspaced.size) { bound ->
        unspaced[bound / 2].let { (first, last) -> if (bound % 2 == 0) first else last }
    }

    /** The longest first. */
    internal val before: List<String> = longestFirst(before)

    /** The longest first. */
    internal val endings: List<String> = longestFirst(endings)

    /** Whether a text may be cut elsewhere than at separators. */
    internal val cutsRuns: Boolean =
        unspaced.isNotEmpty() || before.isNotEmpty() || links.isNotEmpty()

    /** Returns [text] in the form of words in the vocabulary. */
    internal fun normalize(text: CharSequence): String = form.of(text)

    internal fun isJoiner(codePoint: Int): Boolean = Arrays.binarySearch(joiners, codePoint) >= 0

    /** Whether a code point belongs to a script without spaces. */
    internal fun isUnspaced(codePoint: Int): Boolean = isIn(unspaced, codePoint)

    /**
     * Returns the finished part of a [text] in progress: the part that can already be released.
     *
     * It ends with the last character that separates words, even in a script without spaces. Its tokens stay the
     * text's first tokens, whatever is typed next. An apostrophe ends no word, nor does a character that many
     * people type instead, nor a joiner of this language, such as Persian's zero-width non-joiner.
     */
    public fun finished(text: CharSequence): String {
        var end = text.length
        while (end > 0) {
            val codePoint = Character.codePointBefore(text, end)
            if (separates(codePoint)) break
            end -= Character.charCount(codePoint)
        }
        return text.substring(0, end)
    }

    /** Whether a text can't be cut between a code point and another inner one. */
    internal fun isInner(codePoint: Int): Boolean = !isUnspaced(codePoint) && !separates(codePoint)

    private fun separates(codePoint: Int): Boolean {
        val normal = form.of(String(Character.toChars(codePoint)))
        if (normal.isEmpty()) return false
        val last = normal.codePointBefore(normal.length)
        return isSeparator(last) && !joinsLetters(last)
    }

    private fun joinsLetters(separator: Int): Boolean = isJoiner(separator) || isLookalike(separator)

    /** Whether all characters of a text belong to scripts without spaces. */
    public fun isUnspaced(text: CharSequence): Boolean =
        text.isNotEmpty() && !any(text) { it != Kind.UNSPACED }

    /**
     * Whether one word continues from [before] to [after], perhaps across a single joiner. It doesn't between a
     * script without spaces and another script.
     */
    public fun joins(before: CharSequence, after: CharSequence): Boolean {
        val last = beside(before.codePoints().toArray().takeLast(2).asReversed()) ?: return false
        val first = beside(after.codePoints().limit(2).toArray().asList()) ?: return false
        return last.kind == first.kind && !(last.isJoined && first.isJoined)
    }

    /** The role of a code point for the words next to it. */
    private enum class Kind { SEPARATOR, JOINER, LETTER, UNSPACED }

    private class Beside(val kind: Kind, val isJoined: Boolean)

    private fun kindOf(codePoint: Int): Kind {
        var kind = Kind.LETTER
        form.of(String(Character.toChars(codePoint))).eachCodePoint {
            if (isSeparator(it)) return if (joinsLetters(it)) Kind.JOINER else Kind.SEPARATOR
            if (isUnspaced(it)) kind = Kind.UNSPACED
        }
        return kind
    }

    private inline fun any(text: CharSequence, condition: (Kind) -> Boolean): Boolean {
        text.eachCodePoint { if (condition(kindOf(it))) return true }
        return false
    }

    /** The role of the next word character from a place on, if at most a joiner is before it. */
    private fun beside(codePoints: List<Int>): Beside? {
        val kinds = codePoints.map(::kindOf)
        val isJoined = kinds.firstOrNull() == Kind.JOINER
        val kind = kinds.getOrNull(if (isJoined) 1 else 0)
        return kind?.takeIf { it == Kind.LETTER || it == Kind.UNSPACED }?.let { Beside(it, isJoined) }
    }

    public companion object {
        /** The writing rules of English, for a bundle without a field `writing`. */
        @JvmField
        public val ENGLISH: Writing = Writing(
            language = "en",
            replaced = Collections.emptyMap(),
            joiners = Collections.emptyList(),
            before = Collections.emptyList(),
            endings = Arrays.asList("n't", "'s", "'re", "'ve", "'ll", "'d", "'m"),
            shortestStem = 1,
            spellings = HashMap<String, String>().apply {
                put("can't", "can")
                put("won't", "will")
                put("shan't", "shall")
            },
            rewritten = Collections.emptyList(),
            longestRun = 2,
            unspaced = Collections.emptyList(),
            links = Collections.emptyList(),
            shortestPart = 4,
        )

        private fun longestFirst(strings: List<String>): List<String> =
            ArrayList(strings).apply { Collections.sort(this) { one, other -> other.length - one.length } }

        /** Returns the code points of strings that have one each, in ascending order. */
        internal fun codePoints(strings: Collection<String>): IntArray {
            val each = strings.iterator()
            val codePoints = IntArray(strings.size) { each.next().codePointAt(0) }
            Arrays.sort(codePoints)
            return codePoints
        }
    }
}

/** Parses the field `writing`; returns null if its rules aren't valid. */
internal fun readWriting(value: Any?): Writing? = try {
    WritingFields(value as? Map<*, *> ?: throw JsonException()).read()
} catch (_: JsonException) {
    null
}

private val KEYS = setOf(
    "language", "replaced", "joiners", "before", "endings", "shortest_stem", "spellings", "rewritten",
    "longest_run", "unspaced", "links", "shortest_part",
)
private const val LONGEST_STRING = 64 // code points
private val SURROGATES = 0xD800..0xDFFF // no text contains these code points

private class WritingFields(private val fields: Map<*, *>) {

    fun read(): Writing {
        expect(fields.keys == KEYS)
        val joiners = strings("joiners", most = 16, lengths = 1..1)
        expect(joiners.all { isSeparator(it.codePointAt(0)) })
        val unspaced = unspaced()
        return Writing(
            language = string(fields["language"]).also { name -> expect(name.all { it in ' '..'~' }) },
            replaced = map("replaced", most = 256, keys = 1..1, values = 0..4),
            joiners = joiners,
            before = strings("before", most = 64),
            endings = strings("endings", most = 256),
            shortestStem = count("shortest_stem"),
            spellings = map("spellings", most = 4_096, keys = 1..LONGEST_STRING, values = 1..LONGEST_STRING),
            rewritten = rewritten(),
            longestRun = expectInteger(fields["longest_run"], 0..64L),
            unspaced = unspaced.also { ranges ->
                expect(joiners.none { joiner -> ranges.any { joiner.codePointAt(0) in it.first..it.second } })
            },
            links = strings("links", most = 8, lengths = 0..4),
            shortestPart = count("shortest_part"),
        )
    }

    private fun map(name: String, most: Int, keys: IntRange, values: IntRange): Map<String, String> {
        val map = fields[name] as? Map<*, *> ?: throw JsonException()
        expect(map.size <= most)
        return map.entries.associate { (key, value) -> string(key, keys) to string(value, values) }
    }

    private fun strings(name: String, most: Int, lengths: IntRange = 1..LONGEST_STRING): List<String> =
        expectUnique(expectList(fields[name], 0..most).map { string(it, lengths) })

    private fun rewritten(): List<Pair<String, String>> = expectUnique(
        expectList(fields["rewritten"], 0..64).map { pair ->
            val (part, other) = expectList(pair, 2..2)
            expect(part != other)
            string(part) to string(other, 0..LONGEST_STRING)
        },
    )

    private fun unspaced(): List<Pair<Int, Int>> {
        val ranges = expectList(fields["unspaced"], 0..64).map { pair ->
            val (first, last) = expectList(pair, 2..2).map { expectInteger(it, 0..0x10FFFFL) }
            expect(first <= last && first !in SURROGATES && last !in SURROGATES)
            first to last
        }
        expect(ranges.zipWithNext().all { (one, other) -> one.second < other.first })
        return ranges
    }

    private fun count(name: String): Int = expectInteger(fields[name], 1..64L)

    private fun string(value: Any?, lengths: IntRange = 1..LONGEST_STRING): String =
        expectString(value, lengths)
}
