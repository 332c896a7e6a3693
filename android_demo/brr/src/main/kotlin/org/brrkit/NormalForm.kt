package org.brrkit

import java.text.Normalizer
import java.util.Arrays

/*
 * The form of words in a vocabulary, independent of the platform's Unicode tables.
 *
 * All runtimes must normalize a text in the same way, but the Unicode tables of two phones can differ by years.
 * The separators are therefore a fixed list of ranges. Lower-casing affects only blocks whose simple case
 * mappings have been frozen since Unicode 8. Characters are composed only with marks of Unicode 8, for which the
 * normalization is stable; every supported Android has them. spec/bundle-format.md (section "Tokenizer") is the
 * specification.
 */

/** First and last code points of the ranges that separate tokens, in ascending order. */
internal val SEPARATORS = intArrayOf(
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

/** Code points that change with the text before them when a text is composed. */
internal val MARKS = ranges(
    "0300-036F 0483-0487 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670 06D6-06DC " +
        "06DF-06E4 06E7-06E8 06EA-06ED 0711 0730-074A 093C 094D 0951-0954 09BC 09BE 09CD 09D7 0A3C " +
        "0A4D 0ABC 0ACD 0B3C 0B3E 0B4D 0B56-0B57 0BBE 0BCD 0BD7 0C4D 0C55-0C56 0CBC 0CC2 0CCD " +
        "0CD5-0CD6 0D3E 0D4D 0D57 0DCA 0DCF 0DDF 0E38-0E3A 0E48-0E4B 0EB8-0EB9 0EC8-0ECB 0F18-0F19 " +
        "0F35 0F37 0F39 0F71-0F72 0F74 0F7A-0F7D 0F80 0F82-0F84 0F86-0F87 0FC6 102E 1037 1039-103A " +
        "1161-1175 11A8-11C2 17D2 17DD 302A-302F 3099-309A FB1E",
)

/** Code points that marks compose with. */
internal val BASES = ranges(
    "0041-02AF 0386-0481 048A-052F 0622-064A 066E-06D5 0905-0939 0958-095F 09C7 09DC-09DD 09DF 0A33 " +
        "0A36 0A59-0A5B 0A5E 0B47 0B5C-0B5D 0B92 0BC6-0BC7 0C46 0CBF 0CC6 0CCA 0D46-0D47 0DD9-0DDC 1025 " +
        "1100-1112 1E00-1FFE 3046-3096 309D-30FD AC00-D7A3",
)

/** Code points that change by themselves, and some between them. */
internal val COMPOSED = ranges(
    "0340-0341 0343-0344 0374 0958-095F 09DC-09DF 0A33-0A36 0A59-0A5E 0B5C-0B5D 0F43-0FB9 1F71-1FFD " +
        "F900-FAD9 FB1D-FB4E 2F800-2FA1D",
)

/** Letters and digits in another form: ligatures, full and half width, styled, circled, Arabic's. */
internal val STYLED = ranges(
    "0132-0133 0149 01C4-01CC 01F1-01F3 2102 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2131 " +
        "2133-2134 24B6-24E9 FB00-FB06 FB13-FB17 FB50-FBB1 FBD3-FC5D FC64-FD3D FD50-FD8F FD92-FDC7 FDF0-FDF9 " +
        "FE80-FEFC FF10-FF19 FF21-FF3A FF41-FF5A FF66-FF9F 1D400-1D7FF 1F130-1F149",
)

/** Invisible code points: soft hyphens, marks without width, of direction, and for a character's appearance. */
internal val INVISIBLE =
    ranges("00AD 034F 061C 200B-200F 202A-202E 2060-206F FE00-FE0F FEFF E0100-E01EF")

/**
 * Code points that aren't plain, and lone halves of surrogate pairs, which must not form a pair when code points
 * between them are removed.
 */
private val UNUSUAL = (STYLED + INVISIBLE + intArrayOf(0xD800, 0xDFFF)).apply(IntArray::sort)
private const val FIRST_UNUSUAL = 0xAD
private const val HALF = '\uDC00'

/** Accents and quotation marks that many people type as an apostrophe. Between two letters, they count as one. */
private const val LOOKALIKES = "`\u00B4\u055A\u2018\u201B\u2032\uFF40"

/** Largest number of marks that are composed with one character, because sorting them takes quadratic time. */
private const val MOST_MARKS = 30

/** Code points below it compose with nothing before them. */
private const val FIRST_MARK = 0x0300

internal const val APOSTROPHE: Char = '\''
private const val SIGMA = 'σ'
private const val LAST_SIGMA = 'ς'

private val ASCII_SEPARATORS = BooleanArray(0x80) { isIn(SEPARATORS, it) }

internal fun ranges(table: String): IntArray = table.split(' ')
    .flatMap { entry -> entry.split('-').let { listOf(it.first(), it.last()) } }
    .map { it.toInt(16) }.toIntArray()

/** Tells whether a code point is in one of [ranges]: then the number of bounds up to it is odd. */
internal fun isIn(ranges: IntArray, codePoint: Int): Boolean {
    val place = Arrays.binarySearch(ranges, codePoint)
    return place >= 0 || place.inv() % 2 == 1
}

/** Tells whether a code point counts as an apostrophe between two word characters. */
internal fun isLookalike(codePoint: Int): Boolean = LOOKALIKES.indexOf(codePoint.toChar()) >= 0 && codePoint <= 0xFFFF

/** Tells whether a code point separates words. */
internal fun isSeparator(codePoint: Int): Boolean =
    if (codePoint < ASCII_SEPARATORS.size) ASCII_SEPARATORS[codePoint] else isIn(SEPARATORS, codePoint)

/**
 * Brings texts into the form of words in a vocabulary: plain letters, composed, in lower case, with plain
 * apostrophes.
 *
 * @param replaced code points, and their replacements in the vocabulary.
 * @param joiners code points that stay as they are.
 */
internal class NormalForm(replaced: Map<String, String>, joiners: List<String>) {
    private val joiners = Writing.codePoints(joiners)
    private val replaced = Writing.codePoints(replaced.keys)
    private val replacements =
        this.replaced.map { lowered(replaced.getValue(String(Character.toChars(it)))) }

    /** Returns [text] in this form. */
    fun of(text: CharSequence): String {
        if (replaced.isEmpty() && text.all(::staysAlone)) return text.toString()
        val composed = composed(plain(text.toString()))
        val lowered = if (replaced.isEmpty()) lowered(composed) else replaced(composed)
        return withApostrophes(composed(withLastSigmas(lowered)))
    }

    private fun plain(text: String): String {
        if (text.indices.none { at -> text[at].code >= FIRST_UNUSUAL && isIn(UNUSUAL, text.codePointAt(at)) }) {
            return text
        }
        return buildString(text.length) {
            text.eachCodePoint { codePoint ->
                when {
                    codePoint in 0xD800..0xDFFF -> append(HALF)
                    Arrays.binarySearch(joiners, codePoint) >= 0 -> appendCodePoint(codePoint)
                    Arrays.binarySearch(replaced, codePoint) >= 0 -> appendCodePoint(codePoint)
                    isIn(STYLED, codePoint) -> append(decomposed(codePoint))
                    !isIn(INVISIBLE, codePoint) -> appendCodePoint(codePoint)
                }
            }
        }
    }

    private fun withApostrophes(text: String): String {
        fun isApostrophe(at: Int): Boolean = isLookalike(text[at].code) &&
            Arrays.binarySearch(joiners, text[at].code) < 0 &&
            at > 0 && !isSeparator(text.codePointBefore(at)) &&
            at + 1 < text.length && !isSeparator(text.codePointAt(at + 1))
        if (text.indices.none(::isApostrophe)) return text
        return String(CharArray(text.length) { at -> if (isApostrophe(at)) APOSTROPHE else text[at] })
    }

    private fun replaced(text: String): String = buildString(text.length) {
        text.eachCodePoint { codePoint ->
            val place = Arrays.binarySearch(replaced, codePoint)
            if (place >= 0) append(replacements[place]) else appendCodePoint(lowered(codePoint))
        }
    }
}

/** The plain form of a letter in another form (Unicode's normalization form KD). */
private fun decomposed(codePoint: Int): String =
    Normalizer.normalize(String(Character.toChars(codePoint)), Normalizer.Form.NFKD)

private fun lowered(text: String): String =
    if (text.all(::staysAlone)) text
    else buildString(text.length) { text.eachCodePoint { appendCodePoint(lowered(it)) } }

/** Whether a character stays the same in any text's normal form, unless the language replaces it. */
private fun staysAlone(character: Char): Boolean =
    character.code < ASCII_SEPARATORS.size && character !in 'A'..'Z' && character != '`'

/** The lower case, by simple mappings only, from one code point to one. */
private fun lowered(codePoint: Int): Int = when (codePoint) {
    0x02B9, in 0x02BB..0x02BD, 0x2019, 0xFF07 -> APOSTROPHE.code
    // Letters of the Latin, Greek, Cyrillic and Armenian scripts.
    in 0x0041..0x058F, in 0x1E00..0x1FFF -> Character.toLowerCase(codePoint)
    else -> codePoint
}

/** Composes each character with its marks (Unicode's normalization form C). */
private fun composed(text: String): String {
    if (!hasPieces(text)) return text
    val result = StringBuilder(text.length)
    var copied = 0 // number of the text's chars that are in the result
    var at = 0
    while (at < text.length) {
        val end = endOfPiece(text, at)
        if (end > at) {
            result.append(text, copied, at)
            result.append(Normalizer.normalize(text.substring(at, end), Normalizer.Form.NFC))
            copied = end
            at = end
        } else {
            at += Character.charCount(text.codePointAt(at))
        }
    }
    return result.append(text, copied, text.length).toString()
}

private fun hasPieces(text: String): Boolean = text.indices.any { at ->
    text[at].code >= FIRST_MARK && text.codePointAt(at).let { isMark(it) || isIn(COMPOSED, it) }
}

/** Returns the end of the piece that begins [at] a place; this place itself, if its code point stays the same. */
private fun endOfPiece(text: String, at: Int): Int {
    val codePoint = text.codePointAt(at)
    val changes = isIn(COMPOSED, codePoint)
    val isFirst = changes || isIn(BASES, codePoint)
    val isMark = isMark(codePoint)
    if (!isFirst && !isMark) return at
    val behind = at + Character.charCount(codePoint)
    var end = behind
    var marks = if (isFirst) 0 else 1
    while (marks < MOST_MARKS && end < text.length && isMark(text.codePointAt(end))) {
        end += Character.charCount(text.codePointAt(end))
        marks++
    }
    return if (end > behind || changes || isMark) end else at
}

private fun isMark(codePoint: Int): Boolean = isIn(MARKS, codePoint)

private fun withLastSigmas(text: String): String {
    if (SIGMA !in text) return text
    val result = StringBuilder(text)
    for (at in text.indices) {
        val isLast = text[at] == SIGMA &&
            at > 0 && isGreek(text[at - 1]) && !(at + 1 < text.length && isGreek(text[at + 1]))
        if (isLast) result[at] = LAST_SIGMA
    }
    return result.toString()
}

/** Whether a character is a letter of Greek, or a mark. */
private fun isGreek(character: Char): Boolean = when (character) {
    in '\u0300'..'\u0373', '\u0386', in '\u0388'..'\u03FF', in '\u1F00'..'\u1FFF' -> true
    else -> false
}

/** Does [action] with each code point, in order. */
internal inline fun CharSequence.eachCodePoint(action: (Int) -> Unit) {
    var at = 0
    while (at < length) {
        val codePoint = Character.codePointAt(this, at)
        action(codePoint)
        at += Character.charCount(codePoint)
    }
}

/** Number of code points. */
internal val String.codePoints: Int
    get() = codePointCount(0, length)
