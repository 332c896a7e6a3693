@file:JvmName("Tokenizer")

package org.brrkit

/*
 * Text to tokens, and tokens to words, without the platform's Unicode database.
 *
 * Every runtime must cut a text into the same tokens, but the Unicode tables of two phones differ by
 * years. So the separators are a fixed list of ranges, and lower-casing touches only blocks whose
 * simple case mappings have been frozen since Unicode 8, which every supported Android has.
 * docs/reference/bundle-format.md (section "Tokenizer") is the specification.
 */

/** First and last code points of the ranges that separate tokens, in ascending order. */
private val SEPARATORS = intArrayOf(
    0x0000, 0x0026, // controls, space, ASCII punctuation up to the apostrophe
    0x0028, 0x002F,
    0x003A, 0x0040,
    0x005B, 0x0060,
    0x007B, 0x00A9,
    0x00AB, 0x00B4,
    0x00B6, 0x00B9,
    0x00BB, 0x00BF,
    0x00D7, 0x00D7, // multiplication sign
    0x00F7, 0x00F7, // division sign
    0x02C2, 0x02C5, // spacing modifier symbols
    0x02D2, 0x02DF,
    0x0375, 0x0375, // Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation
    0x037E, 0x037E,
    0x0384, 0x0385,
    0x0387, 0x0387,
    0x055A, 0x055F,
    0x0589, 0x058F,
    0x05BE, 0x05BE,
    0x05C0, 0x05C0,
    0x05C3, 0x05C3,
    0x05C6, 0x05C6,
    0x05F3, 0x05F4,
    0x0600, 0x060F,
    0x061B, 0x061F,
    0x066A, 0x066D,
    0x06D4, 0x06D4,
    0x0964, 0x0965, // Devanagari danda
    0x0E3F, 0x0E3F, // Thai
    0x0E4F, 0x0E4F,
    0x0E5A, 0x0E5B,
    0x1680, 0x1680, // Ogham space
    0x2000, 0x2018, // general punctuation up to the right single quotation mark
    0x201A, 0x2BFF, // ... to currency, letterlike, arrows, mathematics, dingbats
    0x2E00, 0x2E7F, // supplemental punctuation
    0x2FF0, 0x3004, // ideographic punctuation
    0x3008, 0x3020,
    0x3030, 0x3030,
    0x3036, 0x3037,
    0x303D, 0x303F,
    0x30A0, 0x30A0,
    0x30FB, 0x30FB,
    0xD800, 0xF8FF, // surrogates and private use
    0xFD3E, 0xFD3F,
    0xFE00, 0xFE1F, // variation selectors, vertical forms
    0xFE30, 0xFE6F, // compatibility and small forms
    0xFEFF, 0xFEFF, // byte order mark
    0xFF01, 0xFF06, // full-width punctuation
    0xFF08, 0xFF0F,
    0xFF1A, 0xFF20,
    0xFF3B, 0xFF40,
    0xFF5B, 0xFF65,
    0xFFE0, 0xFFFF,
    0x1D000, 0x1DAFF, // musical and mathematical symbols
    0x1F000, 0x1FBFF, // tiles, emoji
    0xE0000, 0x10FFFF, // tags, private use
)

private const val APOSTROPHE = '\''

/** Tells whether a code point separates words: the number of bounds up to it is odd. */
internal fun isSeparator(codePoint: Int): Boolean {
    val place = SEPARATORS.binarySearch(codePoint)
    return place >= 0 || place.inv() % 2 == 1
}

/** Returns a code point in the form in which a vocabulary holds it. */
internal fun normalize(codePoint: Int): Int = when (codePoint) {
    0x02BC, 0x2019, 0xFF07 -> APOSTROPHE.code
    // Letters of the Latin, Greek, Cyrillic and Armenian scripts: simple mappings only.
    in 0x0041..0x058F, in 0x1E00..0x1FFF, in 0xFF21..0xFF3A -> Character.toLowerCase(codePoint)
    else -> codePoint
}

/**
 * Returns [word] in the form in which a vocabulary holds it: lower case, plain apostrophes.
 *
 * Works code point by code point, so the length never changes.
 */
internal fun normalize(word: CharSequence): String = buildString(word.length) {
    var at = 0
    while (at < word.length) {
        val codePoint = Character.codePointAt(word, at)
        appendCodePoint(normalize(codePoint))
        at += Character.charCount(codePoint)
    }
}

/**
 * Returns the tokens of [text], normalized.
 *
 * A token is a maximal run of word characters that has another character than the apostrophe. How
 * many there are depends on the text alone, never on a vocabulary.
 */
public fun tokenize(text: CharSequence): List<String> {
    val normalized = normalize(text)
    val tokens = mutableListOf<String>()
    var start = 0
    var at = 0
    while (at <= normalized.length) {
        val codePoint = if (at < normalized.length) normalized.codePointAt(at) else ' '.code
        if (isSeparator(codePoint)) {
            val run = normalized.substring(start, at)
            if (run.any { it != APOSTROPHE }) tokens += run
            start = at + Character.charCount(codePoint)
        }
        at += Character.charCount(codePoint)
    }
    return tokens
}

/** Suffixes that a token may have beside its word; no string ends in two of them. */
private val CLITICS = listOf("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")

/** Tokens whose word isn't what is left without the clitic. */
private val IRREGULAR = mapOf("can't" to "can", "won't" to "will", "shan't" to "shall")

/**
 * Returns the id of the one word that [token] stands for, or -1 if that is unknown.
 *
 * The first of these that there is: the token itself; the token without the apostrophes at its ends;
 * what is left of that when a clitic is taken off its end, again and again.
 *
 * @param token any string; it is normalized here. If it isn't a token, it is looked up all the same.
 * @param find returns the id of a normalized string, or -1.
 */
internal fun lookUp(token: CharSequence, find: (String) -> Int): Int {
    val normalized = normalize(token)
    val id = find(normalized)
    if (id >= 0 || APOSTROPHE !in normalized) return id
    val bare = normalized.trim(APOSTROPHE)
    val candidates = generateSequence(bare, ::withoutClitic).takeWhile(String::isNotEmpty)
    return candidates.map(find).firstOrNull { it >= 0 } ?: -1
}

/** Returns what is left of a token, or null if it doesn't end in a clitic. */
private fun withoutClitic(token: String): String? = IRREGULAR[token]
    ?: CLITICS.firstOrNull { token.endsWith(it) }?.let { token.removeSuffix(it) }
