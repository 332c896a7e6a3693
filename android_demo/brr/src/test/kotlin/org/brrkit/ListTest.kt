package org.brrkit

import java.io.File
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * Bundles without codes: their findings that no frozen case covers, and that their strings can only be counted.
 */
class ListTest {
    /** [expected] has the tokens, and behind an = the string that each stands for, between bars. */
    private fun assertFound(kind: String, strings: List<String>, text: String, expected: String) {
        val tokens = tokenizerOf(Writing.ENGLISH, strings, kind = kind).read(text)
        val found = tokens.joinToString("|") { "${it.text}=${strings.getOrElse(it.wordId) { "?" }}" }
        assertEquals(text, expected, found)
    }

    @Test
    fun halfOfAPairIsNoEmoji() = assertFound("emoji", listOf("😂", "x"), "\uD83D \uDE02\uD83D😂", "😂=😂")

    @Test
    fun aStringIsTakenAsItIs() {
        val strings = listOf("Settings/Open", " a ", "é", "👍🏽", "❤️")
        for (text in strings + listOf("settings/open", "a", "e\u0301", "👍🏽👍🏽", "👍", "❤", "", "\uD800")) {
            val expected = if (text in strings) text else "?"
            assertFound("strings", strings, text, "$text=$expected")
        }
    }

    @Test
    fun textsAreNormalizedAsTheListHoldsStrings() {
        fun normalized(kind: String, text: String) = tokenizerOf(Writing.ENGLISH, listOf("a"), kind = kind).normalize(text)
        assertEquals("good ❤ morning can't", normalized("both", "Good❤️ MORNING, can’t!"))
        assertEquals("❤", normalized("emoji", "Good❤️ MORNING"))
        assertEquals("good morning", normalized("words", "Good❤️ MORNING"))
        assertEquals(" Good❤️", normalized("strings", " Good❤️"))
        for (bundle in Work.lists.values) {
            val words = List(bundle.size, bundle.vocabulary::word)
            assertEquals(words, words.map(bundle::normalize))
        }
    }

    /** A string that an app passes alone is cut like a text. */
    @Test
    fun aStringAloneIsOneTokenOrUnknown() {
        val strings = listOf("good morning", "good", "❤", "👍", "happy 🎂")
        val tokenizer = tokenizerOf(Writing.ENGLISH, strings, kind = "both")
        for ((word, expected) in listOf(
            "Good, MORNING!" to 0, "good's" to 1, "❤️" to 2, "👍🏽" to 3, "happy🎂" to 4,
            "good good" to -1, "❤❤" to -1, "" to -1, "..." to -1, "morning" to -1, "\uD83D" to -1,
        )) {
            assertEquals(word, expected, tokenizer.lookUp(word))
        }
    }

    /** An algorithm that is quadratic in a hostile text's length would take hours for all of these. */
    @Test(timeout = 300_000)
    fun longTextsTakeTheirLength() {
        val tokenizer = tokenizerOf(Writing.ENGLISH, listOf("a", "a a", "❤", "❤ a"), kind = "both")
        for (piece in listOf("a ", "a", "❤", "❤\u200D", "❤\uFE0F\u200D", "👍🏽", "1\uFE0F", "🇩", "\u200D", "❤a", "🏽")) {
            val text = piece.repeat(30_000 / piece.length)
            assertTrue(tokenizer.tokens(text).sumOf { token -> token.count { it != ' ' } } <= text.length)
            tokenizer.lookUp(text)
        }
    }

    @Test
    fun aListSaysWhatItIsOf() {
        val kinds = Work.lists.mapValues { it.value.listOf }
        assertEquals("emoji", kinds["list-emoji"])
        assertEquals("both", kinds["list-phrases"])
        assertEquals("words", kinds["list-french"])
        assertEquals("strings", kinds["list-strings"])
        assertNull(Work.bundle64.listOf)
    }

    @Test
    fun aListCanOnlyBeCounted() {
        for (bundle in Work.lists.values) {
            assertEquals(0, bundle.bits)
            assertEquals(bundle.size, bundle.codes.size)
            assertEquals(0, bundle.codes[bundle.size - 1].size)
            assertEquals(emptyList<MeasuredStrength>(), bundle.strengths("brr"))
            val word = bundle.vocabulary.word(0)
            val refusing = listOf<() -> Any>(
                { Privatizer(bundle) },
                { Privatizer(bundle, Setting(1.0, Mechanism.brr())) },
                { Privatizer(bundle, Setting(1.0, Mechanism.vickrey())) },
                { Privatizer(bundle, Setting(1.0, Mechanism.exponential())) },
                { bundle.neighbors(word, 1) },
                { TfLiteRandomizer(bundle) { error("its graph isn't read") } },
            )
            for (refuse in refusing) {
                val error = assertThrows(ParameterException::class.java) { refuse() }
                assertEquals("a list has no codes, so its strings can only be counted", error.message)
            }
            val counts = Counts(bundle, CountsSetting(88.0)) // one draw of 2^63 gives another string
            assertEquals(word, counts.word(word))
            assertEquals(listOf(word), bundle.tokenize(word))
            assertEquals("", counts.word("qxqxq"))
        }
    }

    /** The app has it beside the manifest of a list, or not: nobody reads it. */
    @Test
    fun aListNeedsNoRandomizer() {
        val folder = kotlin.io.path.createTempDirectory("brr").toFile()
        Work.file("bundles/list-emoji").copyRecursively(folder, overwrite = true)
        File(folder, "randomizer.tflite").writeText("any")
        assertEquals("emoji", WordBundle.open(folder).listOf)
        folder.deleteRecursively()
    }
}
