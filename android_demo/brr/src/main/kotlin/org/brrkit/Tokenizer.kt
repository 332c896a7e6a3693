package org.brrkit

/** Largest number of code points of a token that is cut or may stand for a word with another spelling. */
private const val LONGEST = 256

/** Largest number of words before another one, and of endings, that are removed from a word. */
private const val MOST_TIMES = 8

/**
 * A token of a text.
 *
 * @property text the normalized text of the token.
 * @property wordId id of the word that it is typed as, or [UNKNOWN_WORD].
 */
internal class Token(val text: String, val wordId: Int)

/**
 * Cuts texts into tokens, and looks tokens up, by the writing rules of a language and the words of its
 * vocabulary.
 *
 * If only spaces and punctuation cut a language, such as English, the number of a text's tokens depends only on
 * the text. `spec/bundle-format.md`, "Tokenizer", is the specification.
 */
internal open class Tokenizer(
    val writing: Writing,
    private val vocabulary: Vocabulary,
    masses: Masses,
    private val policy: Policy = Policy.NONE,
) {
    private val cuts by lazy { Cuts(writing, vocabulary, masses) }

    /** Returns [text] in the form of words in the vocabulary. */
    open fun normalize(text: CharSequence): String = writing.normalize(text)

    /** Returns the finished part of a [text] in progress. */
    open fun finished(text: CharSequence): String = writing.finished(text)

    /** Returns the tokens of [text], cut from its normal form, and looked up. */
    open fun read(text: CharSequence): List<Token> {
        val normalized = writing.normalize(text)
        val tokens = ArrayList<Token>()
        var start = 0
        var at = 0
        while (at < normalized.length) {
            val codePoint = normalized.codePointAt(at)
            val next = at + Character.charCount(codePoint)
            if (isSeparator(codePoint) && !(start < at && joins(codePoint, normalized, next))) {
                if (start < at) addRun(normalized.substring(start, at), tokens)
                start = next
            }
            at = next
        }
        if (start < at) addRun(normalized.substring(start), tokens)
        return tokens
    }

    /** Whether a separator after a word character joins it with the [next] one. */
    private fun joins(separator: Int, text: String, next: Int): Boolean =
        writing.isJoiner(separator) && next < text.length && !isSeparator(text.codePointAt(next))

    private fun addRun(run: String, tokens: MutableList<Token>) {
        if (!writing.cutsRuns) {
            if (hasLetter(run)) tokens += uncut(run)
            return
        }
        var start = 0
        while (start < run.length) {
            val isUnspaced = writing.isUnspaced(run.codePointAt(start))
            var end = start
            while (end < run.length && writing.isUnspaced(run.codePointAt(end)) == isUnspaced) {
                end += Character.charCount(run.codePointAt(end))
            }
            val stretch = run.substring(start, end)
            if (isUnspaced) cuts.unspaced(stretch).mapTo(tokens, ::lookedUp)
            else addSpaced(withoutJoiners(stretch), tokens)
            start = end
        }
    }

    /** Returns a [stretch] without the joiners at its ends, which join nothing. */
    private fun withoutJoiners(stretch: String): String {
        var (start, end) = 0 to stretch.length
        while (start < end && writing.isJoiner(stretch.codePointAt(start))) start = stretch.offsetByCodePoints(start, 1)
        while (start < end && writing.isJoiner(stretch.codePointBefore(end))) end = stretch.offsetByCodePoints(end, -1)
        return stretch.substring(start, end)
    }

    /** Adds the tokens of a [stretch] in a script with spaces. */
    private fun addSpaced(stretch: String, tokens: MutableList<Token>) {
        var rest = stretch
        for (left in MOST_TIMES downTo 0) {
            if (!hasLetter(rest)) return
            val whole = uncut(rest)
            if (whole.wordId >= 0 || isLong(rest)) {
                tokens += whole
                return
            }
            val bare = rest.trimStart(APOSTROPHE)
            val first = if (left > 0) before(bare) else null
            if (first == null) {
                val parts = cuts.compound(bare.trimEnd(APOSTROPHE))
                if (parts == null) tokens += whole else parts.mapTo(tokens, ::lookedUp)
                return
            }
            tokens += uncut(first)
            rest = bare.substring(first.length)
        }
    }

    /** Returns the [cut] part as a word of the vocabulary or as an unknown one, by look-up. */
    private fun lookedUp(cut: Token): Token =
        if (cut.wordId < 0 || writing.normalize(cut.text) != cut.text) uncut(cut.text)
        else Token(cut.text, policy.typedAs(cut.text, cut.wordId))

    /** Returns the longest word before other words at the beginning of [bare]. */
    private fun before(bare: String): String? = writing.before.firstOrNull { before ->
        bare.startsWith(before) && (before.length until bare.length).any { bare[it] != APOSTROPHE }
    }

    /** Whether there is a character other than apostrophes and joiners. */
    private fun hasLetter(text: String): Boolean {
        text.eachCodePoint { if (it != APOSTROPHE.code && !writing.isJoiner(it)) return true }
        return false
    }

    private fun isLong(token: String) = token.length > LONGEST && token.codePoints > LONGEST

    /**
     * Returns the id of the word that [word] is typed as, or [UNKNOWN_WORD]. [word] counts as one token, even if
     * a text would be cut otherwise.
     */
    open fun lookUp(word: String): Int = find(writing.normalize(word))

    private fun uncut(text: String): Token = Token(text, find(writing.normalize(text)))

    /**
     * Returns the id that a normalized [token] is typed as: that of its first candidate that is a word, or a form
     * of a list.
     */
    private fun find(token: String): Int {
        val id = typedAs(token)
        if (id >= 0 || isLong(token)) return id
        return others(token).map(::typedAs).firstOrNull { it >= 0 } ?: UNKNOWN_WORD
    }

    /** Returns the id that a normalized [string] is typed as, without other candidates. */
    private fun typedAs(string: String): Int = policy.typedAs(string, vocabulary.find(string))

    /** Yields the other candidates for a [token], in order. */
    private fun others(token: String): Sequence<String> = sequence {
        val bare = token.trim(APOSTROPHE)
        if (bare.length < token.length) yield(bare)
        for ((part, other) in writing.rewritten) {
            if (part in bare) yield(bare.replace(part, other))
        }
        for (form in forms(bare)) {
            if (form.length < bare.length) yield(form)
            var rest = form
            for (time in 1..MOST_TIMES) {
                writing.spellings[rest]?.let { word ->
                    yield(word)
                    return@sequence
                }
                val shorter = withoutEnding(rest)
                yieldAll(shorter)
                rest = shorter.firstOrNull() ?: break
            }
        }
        writing.spellings[withZeros(bare)]?.let { yield(it) }
    }.filter(String::isNotEmpty)

    /** Returns a [token] and, if no word has as many equal code points in a row, its shortened forms. */
    private fun forms(token: String): List<String> {
        val longest = writing.longestRun
        if (longest == 0) return listOf(token)
        return listOf(token, withRunsCut(token, longest, longest), withRunsCut(token, longest, 1)).distinct()
    }

    /** Returns the rest without each matching ending, the longest ending first. */
    private fun withoutEnding(token: String): List<String> = writing.endings
        .filter { token.endsWith(it) }
        .map { token.dropLast(it.length) }
        .filter { it.codePoints >= writing.shortestStem }
}

/**
 * Returns [text] with every run of more than [most] equal code points shortened to [length]. Runs of digits stay,
 * because another number is another word.
 */
private fun withRunsCut(text: String, most: Int, length: Int): String = buildString {
    var at = 0
    while (at < text.length) {
        val codePoint = text.codePointAt(at)
        val start = at
        while (at < text.length && text.codePointAt(at) == codePoint) at += Character.charCount(codePoint)
        val run = (at - start) / Character.charCount(codePoint)
        repeat(if (run > most && codePoint !in '0'.code..'9'.code) length else run) { appendCodePoint(codePoint) }
    }
}

/** Returns [text] with a 0 for every digit. */
private fun withZeros(text: String): String =
    String(CharArray(text.length) { if (text[it] in '0'..'9') '0' else text[it] })
