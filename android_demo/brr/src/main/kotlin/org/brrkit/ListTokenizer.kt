package org.brrkit

private const val WORDS = "words"
private const val EMOJI = "emoji"
private const val BOTH = "both"
private const val STRINGS = "strings"

/** Largest number of words and emoji in a phrase. */
private const val MOST_UNITS = 8

/** Tells whether a manifest's [value] is a kind of list. */
internal fun isKind(value: Any?): Boolean =
    value == WORDS || value == EMOJI || value == BOTH || value == STRINGS

/**
 * Finds the strings of a list in texts. All other words and emoji are unknown.
 *
 * `spec/bundle-format.md`, "Lists", is the specification.
 *
 * @property kind kind of the strings.
 */
internal class ListTokenizer(
    writing: Writing,
    private val vocabulary: Vocabulary,
    masses: Masses,
    private val kind: String,
) : Tokenizer(writing, vocabulary, masses) {

    /** Returns [text] in the form of the list's strings. */
    override fun normalize(text: CharSequence): String =
        if (kind == STRINGS) text.toString() else joined(units(text.toString()))

    /** Returns nothing, because a phrase may begin in any word, and emoji may continue. */
    override fun finished(text: CharSequence): String = ""

    /** Returns the tokens that the list counts in [text]: the longest phrases first, without overlap. */
    override fun read(text: CharSequence): List<Token> =
        if (kind == STRINGS) listOf(Token(text.toString(), vocabulary.find(text)))
        else matched(units(text.toString()))

    /** Returns the id of the string that equals [word], if there is one. */
    override fun lookUp(word: String): Int = read(word).singleOrNull()?.wordId ?: UNKNOWN_WORD

    /** Returns the words and emoji of a text, of the kinds that this list contains. */
    private fun units(text: String): List<Token> {
        val units = ArrayList<Token>()
        var start = 0
        var at = 0
        while (at < text.length) {
            val end = endOfEmoji(text, at)
            if (end == at) {
                at += Character.charCount(text.codePointAt(at))
            } else {
                if (kind != EMOJI) units += super.read(text.substring(start, at))
                if (kind != WORDS) units += emoji(text.substring(at, end))
                start = end
                at = end
            }
        }
        if (kind != EMOJI) units += super.read(text.substring(start))
        return units
    }

    /** Returns the token of an emoji. An emoji with skin tones may stand for the one without them. */
    private fun emoji(sequence: String): Token {
        val text = withoutSelectors(sequence)
        val id = vocabulary.find(text)
        return Token(text, if (id >= 0) id else vocabulary.find(withoutTones(text)))
    }

    private fun matched(units: List<Token>): List<Token> {
        val tokens = ArrayList<Token>(units.size)
        var at = 0
        while (at < units.size) {
            val rest = units.subList(at, minOf(at + MOST_UNITS, units.size))
            val (phrase, size) = longestPhrase(rest) ?: Pair(rest[0], 1)
            tokens += phrase
            at += size
        }
        return tokens
    }

    /** Returns the longest phrase at the beginning of [units], and its number of units, at least two. */
    private fun longestPhrase(units: List<Token>): Pair<Token, Int>? =
        (units.size downTo 2).firstNotNullOfOrNull { size ->
            val text = joined(units.subList(0, size))
            val id = vocabulary.find(text)
            if (id < 0) null else Pair(Token(text, id), size)
        }

    private fun joined(units: List<Token>): String = units.joinToString(" ") { it.text }
}
