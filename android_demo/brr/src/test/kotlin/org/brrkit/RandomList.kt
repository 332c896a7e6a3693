package org.brrkit

import kotlin.random.Random

/** A list of emoji, and of words and phrases in a [language], and a text with some of its strings. */
class RandomList(private val language: Language, private val source: Random) {
    private val texts = RandomTexts(language, source)

    /** Emoji, whole and in parts, and a few words. */
    val text: String = mixed()

    private fun mixed(): String {
        val words = List(3) { texts.word() }
        val parts = ArrayList<String>()
        repeat(source.nextInt(14)) {
            when (source.nextInt(10)) {
                0, 1, 2 -> parts += PARTS.random(source)
                3 -> parts += EMOJI.random(source)
                4, 5 -> parts += words.random(source) + " "
                6 -> parts += words.random(source)
                7 -> parts += listOf(" ", ", ", "'", "-").random(source)
                8 -> parts += parts.takeLast(4)
                else -> parts += randomCodePoint(source)
            }
        }
        return parts.joinToString("")
    }

    /** Returns a case of an exchange without its results. */
    fun case(): Map<String, Any> {
        val kind = listOf("words", "emoji", "both", "strings").random(source)
        val units = tokenizerOf(language.writing, listOf("a"), kind = "both").tokens(text + mixed())
        val phrases = List(8) {
            val start = source.nextInt(units.size + 1)
            units.drop(start).take(source.nextInt(1, 10)).joinToString(" ")
        }
        val found = if (kind == "strings") listOf(text, text.drop(1), "${text}a") else units + phrases
        val strings = found.filter { it.isNotEmpty() && it.none { character -> character < ' ' } && isUnicode(it) }
        val some = strings.distinct().shuffled(source).take(source.nextInt(strings.size + 1)) + "b"
        return mapOf(
            "text" to text,
            "writing" to language.fields,
            "vocabulary" to some.distinct(),
            "masses" to some.distinct().map { source.nextInt(1, 256) },
            "list_of" to kind,
        )
    }

    private fun isUnicode(text: String) = text.codePoints().noneMatch { it in 0xD800..0xDFFF }

    private companion object {
        val PARTS = (
            "\u200D \uFE0E \uFE0F \u20E3 \uD83C\uDFFB \uD83C\uDFFD \uD83C\uDFFF \uDB40\uDC67 \uDB40\uDC7F # * 1 a " +
                "\uD83C\uDDE6 \uD83C\uDDEA \uD83C\uDDFF 👍 👩 🚀 ❤ ©"
            ).split(' ')
        val EMOJI = "😂 ❤️ 👍🏽 👩‍🚀 🏳️‍🌈 🇩🇪 1️⃣ #⃣ ☺️ 🎉 👨‍👩‍👧".split(' ') +
            "\uD83C\uDFF4\uDB40\uDC67\uDB40\uDC62\uDB40\uDC73\uDB40\uDC63\uDB40\uDC74\uDB40\uDC7F"
    }
}
