package org.brrkit

/*
 * Text to words, defined without the platform's Unicode database.
 *
 * Every runtime must cut a text into the same words, but the Unicode tables of two phones differ by
 * years. So the separators are a fixed list of ranges, and lower-casing touches only blocks whose
 * simple case mappings have been frozen since Unicode 8, which every supported Android has.
 * docs/bundle-format.md (section "Tokenizer") is the specification.
 */

/** First and last code points of the ranges that separate words, in ascending order. */
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
 * Returns the normalized words of [text]: maximal runs of word characters.
 *
 * Apostrophes inside a run belong to it; those at its ends don't.
 */
internal fun tokenize(text: CharSequence): List<String> {
    val normalized = normalize(text)
    val tokens = mutableListOf<String>()
    var start = 0
    var at = 0
    while (at <= normalized.length) {
        val codePoint = if (at < normalized.length) normalized.codePointAt(at) else ' '.code
        if (isSeparator(codePoint)) {
            val token = normalized.substring(start, at).trim(APOSTROPHE)
            if (token.isNotEmpty()) tokens += token
            start = at + Character.charCount(codePoint)
        }
        at += Character.charCount(codePoint)
    }
    return tokens
}

/**
 * Returns the words of [text] as a mechanism takes them, contractions resolved.
 *
 * A token with an apostrophe that isn't in the vocabulary, but whose stem is, becomes its stem,
 * followed by its clitic if the vocabulary has that (Treebank convention: `do` + `n't`, `it` +
 * `'s`). Otherwise the token stays one word and is out of vocabulary.
 *
 * @param known tells whether a normalized word is in the vocabulary.
 */
public fun wordsOf(text: CharSequence, known: (String) -> Boolean): List<String> =
    tokenize(text).flatMap { token ->
        if (APOSTROPHE !in token || known(token)) return@flatMap listOf(token)
        val cut = if (token.endsWith("n't")) token.length - 3 else token.lastIndexOf(APOSTROPHE)
        val stem = token.substring(0, cut)
        val clitic = token.substring(cut)
        when {
            !known(stem) -> listOf(token)
            known(clitic) -> listOf(stem, clitic)
            else -> listOf(stem)
        }
    }
