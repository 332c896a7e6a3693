package org.brrkit

/*
 * Finds emoji in a text, without the platform's own tables, which differ between phones by years.
 * spec/bundle-format.md (section "Lists") is the specification.
 */

/** Code points that an emoji begins with: Unicode's Extended_Pictographic, which includes reserved ones. */
internal val PICTOGRAPHS = ranges(
    "00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA " +
        "24C2 25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 " +
        "271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF " +
        "2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F " +
        "1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A " +
        "1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F " +
        "1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD",
)

/** Two of these form a flag. */
private val LETTERS = 0x1F1E6..0x1F1FF

/** They select a colored or plain form of the preceding character. */
private val SELECTORS = 0xFE0E..0xFE0F
private val TONES = 0x1F3FB..0x1F3FF
private val TAGS = 0xE0020..0xE007F
private const val JOINER = 0x200D
private const val KEY = 0x20E3

/** Returns the end of the emoji at [start] in [text]; [start] without one. */
internal fun endOfEmoji(text: String, start: Int): Int {
    val next = start + Character.charCount(text.codePointAt(start))
    return when (text.codePointAt(start)) {
        in LETTERS -> if (text.at(next) in LETTERS) next + 2 else start
        '#'.code, '*'.code, in '0'.code..'9'.code -> {
            val behind = if (text.at(next) in SELECTORS) next + 1 else next
            if (text.at(behind) == KEY) behind + 1 else start
        }
        else -> endOfElements(text, start)
    }
}

/** Returns [emoji] without its presentation selectors. */
internal fun withoutSelectors(emoji: String): String = emoji.without(SELECTORS)

/** Returns [emoji] without skin tones. */
internal fun withoutTones(emoji: String): String = emoji.without(TONES)

private fun endOfElements(text: String, start: Int): Int {
    var end = endOfElement(text, start)
    while (end > start && text.at(end) == JOINER) {
        val next = endOfElement(text, end + 1)
        if (next == end + 1) break
        end = next
    }
    return end
}

/** Returns the end of the pictograph at [start], with its modifiers; [start] without one. */
private fun endOfElement(text: String, start: Int): Int {
    if (!isIn(PICTOGRAPHS, text.at(start))) return start
    var end = start
    do end += Character.charCount(text.at(end))
    while (text.at(end).let { it in SELECTORS || it in TONES || it in TAGS })
    return end
}

/** The code point at a [place]; behind the end, -1. */
private fun String.at(place: Int): Int = if (place < length) codePointAt(place) else -1

private fun String.without(codePoints: IntRange): String = buildString(length) {
    this@without.eachCodePoint { if (it !in codePoints) appendCodePoint(it) }
}
