package org.brrkit

import java.io.File
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * The cutting and look-up of texts, compared with slow, plain rules. [VectorsTest] has those of the
 * specification.
 */
class TokenizerTest {
    private val source = Random(1)

    private fun language(name: String) = LANGUAGES.single { it.name == name }

    private fun tokenizer(language: String, vararg words: String) =
        tokenizerOf(if (language == "en") Writing.ENGLISH else language(language).writing, words.asList())

    /** The tables of `spec/bundle-format.md`. */
    @Test
    fun theTablesAreThoseOfThePage() {
        val page = File("../../spec/bundle-format.md").readText()
        val tables =
            mapOf(
                "separators" to SEPARATORS,
                "marks" to MARKS,
                "bases" to BASES,
                "composed" to COMPOSED,
                "pictographs" to PICTOGRAPHS,
            )
        for ((name, table) in tables) {
            val entries = page.substringAfter("```$name\n").substringBefore("```").trim().split(Regex("\\s+"))
            val ends = entries.flatMap { entry -> entry.split('-').let { listOf(it.first(), it.last()) } }
            assertEquals(name, ends.map { it.toInt(16) }, table.asList())
        }
    }

    @Test
    fun eachWordIsFinishedOnceWhenItIsOver() {
        for ((tokenizer, text, expected) in listOf(
            Triple(tokenizer("en", "x"), "Don`t stop, it's 'rock' now", listOf(0, 1, 2, 3, 4)),
            Triple(tokenizer("th", "ตา", "กลม", "น้ำ"), "ตากลมน้ำ ตา", listOf(0, 3)),
            Triple(tokenizer("zh", "酒店", "很"), "酒店很好，很。酒店", listOf(0, 3, 4)),
            Triple(tokenizer("ja", "東京", "に"), "東京に住む。東京", listOf(0, 3)),
        )) {
            var rest = ""
            val released = ArrayList<String>()
            val met = arrayListOf(0)
            for (letter in text) {
                rest += letter
                val finished = tokenizer.finished(rest)
                released += tokenizer.tokens(finished)
                rest = rest.drop(finished.length)
                if (released.size > met.last()) met += released.size
                assertEquals(tokenizer.tokens(text).take(released.size), released)
            }
            assertEquals(text, expected, met)
            assertEquals(tokenizer.tokens(text), released + tokenizer.tokens(rest))
        }
    }

    /** The cheapest of all cuts; of equal ones, that whose last word begins first. */
    @Test
    fun theCheapestCutIsFound() {
        repeat(2_000) {
            val letters = "我喜欢"
            fun text(length: Int) = String(CharArray(length) { letters.random(source) })
            val words = List(source.nextInt(1, 12)) { text(source.nextInt(1, 4)) }.distinct()
            val masses = words.map { source.nextInt(1, 5) * 50 }
            val stretch = text(source.nextInt(1, 9))
            val tokens = tokenizerOf(language("zh").writing, words, masses).tokens(stretch)
            assertEquals("$words $masses $stretch", joined(cheapest(stretch, words, masses), words), tokens)
        }
    }

    private fun cheapest(stretch: String, words: List<String>, masses: List<Int>): List<String> {
        val all = massesOf(ByteArray(masses.size) { masses[it].toByte() })
        val logs = masses.indices.map { logarithm(all.mass(it)) }
        val sum = logarithm(all.most(Base.UNIGRAM))
        fun cost(piece: String): Int? {
            val id = words.indexOf(piece)
            return if (id >= 0) sum - logs[id] else if (piece.length == 1) sum - logs.min() + 1847 else null
        }
        fun cuts(end: Int): Pair<Int, List<String>> {
            if (end == 0) return 0 to emptyList()
            return (0 until end).mapNotNull { start ->
                val cost = cost(stretch.substring(start, end)) ?: return@mapNotNull null
                val (before, pieces) = cuts(start)
                before + cost to pieces + stretch.substring(start, end)
            }.minBy { it.first } // the first of equal ones
        }
        return cuts(stretch.length).second
    }

    private fun joined(pieces: List<String>, words: List<String>): List<String> {
        val tokens = mutableListOf<String>()
        var isUnknown = false
        for (piece in pieces) {
            if (isUnknown && piece !in words) tokens += tokens.removeLast() + piece else tokens += piece
            isUnknown = piece !in words
        }
        return tokens
    }

    @Test
    fun theCheapestCompoundIsFound() {
        val writing = language("de").writing // links "", "s", "es", "-"; parts of two code points
        repeat(2_000) {
            fun word(least: Int) = String(CharArray(source.nextInt(least, 5)) { "aes".random(source) })
            val words = List(source.nextInt(1, 12)) { word(1) }.distinct()
            val masses = words.map { source.nextInt(1, 5) * 50 }
            val string = words.random(source) + listOf("", "s", "es").random(source) + words.random(source)
            val all = massesOf(ByteArray(masses.size) { masses[it].toByte() })
            fun cost(word: String) = -logarithm(all.mass(words.indexOf(word)))
            val cuts = (string.length downTo 1).flatMap { end ->
                listOf("", "s", "es", "-").filter { string.startsWith(it, end) }
                    .map { listOf(string.take(end), string.drop(end + it.length)) }
            }.filter { parts -> parts.all { it.length >= 2 && it in words } }
            val expected = cuts.minByOrNull { (one, other) -> cost(one) + cost(other) } ?: listOf(string)
            val tokenizer = tokenizerOf(writing, words, masses)
            val isWord = tokenizer.lookUp(string) >= 0
            val cut = if (isWord) listOf(string) else expected
            assertEquals("$words $masses $string", cut, tokenizer.tokens(string))
        }
    }

    @Test
    fun theLongestWordOfABeginningIsFound() {
        repeat(3_000) {
            val letters = listOf("a", "b", "é", "è", "ё", "我", "戒", "\uD840\uDC00", "\uD840\uDC01")
            fun text(length: Int) = List(length) { letters.random(source) }.joinToString("")
            val long = "a".repeat(29)
            val words = List(source.nextInt(1, 60)) {
                (if (source.nextInt(3) == 0) long else "") + text(source.nextInt(1, 5))
            }.distinct()
            val vocabulary = vocabularyOf(words)
            val target = (if (source.nextBoolean()) long else "") + text(source.nextInt(1, 7))
            val content = "b$target".encodeToByteArray()
            for (end in 1..content.size) {
                val beginning = String(content, 1, end - 1, Charsets.ISO_8859_1)
                val expected = words.filter {
                    beginning.startsWith(String(it.encodeToByteArray(), Charsets.ISO_8859_1))
                }.maxByOrNull { it.length }
                val found = vocabulary.longestWord(content, 1, end)
                assertEquals("$words $target", expected, if (found < 0) null else words[idOf(found)])
                if (found >= 0) assertEquals(expected!!.encodeToByteArray().size, lengthOf(found))
            }
        }
    }

    /** An algorithm that is quadratic in a hostile text's length would take hours for all of these. */
    @Test(timeout = 300_000)
    fun longTextsTakeTheirLength() {
        for (language in LANGUAGES) {
            val texts = RandomTexts(language, source)
            val words = (List(50) { texts.word() } + language.letters.map { "$it" } + "l'")
                .map(language.writing::normalize).filter { it.isNotEmpty() && !it.any(Char::isSurrogate) }
            val tokenizer = tokenizerOf(language.writing, words.distinct())
            val letter = language.letters.take(1)
            val word = texts.word()
            for (piece in listOf(letter, "$word'", "$letter\u0301", "l'")) {
                val text = piece.repeat(LONG / piece.length)
                val shorter = (piece.repeat(256).take(250) + " ").repeat(50)
                for (long in listOf(text, shorter)) {
                    assertTrue(tokenizer.tokens(long).sumOf { it.length } <= long.length)
                    tokenizer.lookUp(long)
                }
            }
        }
    }

    /** The word is the first existing candidate, and there are no other candidates. */
    @Test
    fun candidatesAreTriedInOrder() {
        val spellings = mapOf(
            "tmrrow" to "tomorrow", "00pm" to "7pm", "0000pm" to "late", "0000" to "2000", "00" to "ten",
            "b4" to "before", "b0" to "bravo", "bbb0" to "echo", "gax" to "gaz",
        )
        val fields = language("el").fields + ("endings" to listOf("n't", "'s", "x")) + ("spellings" to spellings) +
            ("rewritten" to listOf(listOf("aa", "b")))
        val han = "\uD840\uDC00"
        for ((longest, candidates, others) in listOf(
            Triple(2, "soooo soo so", "sooo s"),
            Triple(2, "dooon't dooo doon't doo don't do", "d"),
            Triple(2, "tmrrrrow's tmrrrrow tmrrow's tmrrow tomorrow", "tmrow's tmrow"),
            Triple(2, "cooolll cooll col", "cooool cool coll"),
            Triple(2, "gaaax gbax gaaa gaax gaa gax gaz", "gbx ga late"), // pairs are of the token; a spelling is the last
            Triple(2, "soo", "so s"),
            Triple(0, "soooo", "sooo soo so s"),
            Triple(1, "soo so", "s"),
            Triple(3, "soooo sooo so", "soo s"),
            Triple(2, "$han$han$han $han$han $han", ""),
            Triple(2, "$han$han", han),
            Triple(2, "\uD840\uD840$han", han),
            Triple(2, "12pm 7pm", "late 0pm 00pm pm"),
            Triple(2, "00pm 7pm", "pm"),
            Triple(2, "1111pm late", "111pm 11pm 1pm 7pm"), // digits stay
            Triple(2, "2024 2000", "0000 ten"),
            Triple(2, "99's 99", "00's ten"), // nor what an ending leaves
            Triple(2, "b4 before", "bravo"),
            Triple(2, "b5 bravo", "before b"),
            Triple(2, "bbb4 bb4 b4 before", "echo bravo"),
            Triple(2, "bbb5 bb5 b5 echo", "bravo"), // no form has its digits replaced
            Triple(2, "b444", "b44 b4 before bravo"),
            Triple(2, "x٣pm", "7pm"), // no digit here
            Triple(0, (9 downTo 1).joinToString(" ") { "x" + "'s".repeat(it) }, "x"),
        )) {
            val writing = readWriting(fields + ("longest_run" to longest.toLong()))!!
            val expected = candidates.split(' ').filter { it.none(Char::isSurrogate) || it.codePointAt(0) > 0xFFFF }
            val never = others.split(' ').filter(String::isNotEmpty) + "zzz"
            for (first in 0..expected.size) {
                val words = (expected.drop(first) + never).shuffled(source)
                val id = tokenizerOf(writing, words).lookUp(candidates.substringBefore(' '))
                assertEquals("$longest $words", expected.getOrNull(first), words.getOrNull(id))
            }
        }
    }

    @Test
    fun whatIsNoTokenIsLookedUp() {
        val tokenizer = tokenizer("en", "u.s.", "the", "can")
        assertEquals(0, tokenizer.lookUp("U.S."))
        for (text in listOf("", "'", "''", "hello world", "the,", "\uD800", "the\uDC00", "'\uD800'")) {
            assertEquals(text, -1, tokenizer.lookUp(text))
        }
        val long = "'".repeat(251) + "can't" // of 256 code points
        assertEquals(listOf(2, -1), listOf(long, "$long'").map(tokenizer::lookUp))
    }

    /** A cut token is looked up like a string that an app passes. */
    @Test
    fun aTokenIsLookedUpAsASingleWordIs() {
        repeat(3_000) {
            val language = randomLanguage(source)
            val text = RandomTexts(language, source).text()
            val (words, masses) = RandomTexts(language, source).vocabulary(text)
            val tokenizer = tokenizerOf(language.writing, words, masses)
            for (token in tokenizer.read(text)) {
                assertEquals("$text $words", tokenizer.lookUp(token.text), token.wordId)
            }
        }
    }

    @Test
    fun tokenizingWhatIsNormalizedChangesNothing() {
        repeat(3_000) {
            val tokenizer = tokenizer(listOf("en", "fr", "de", "el", "ko", "zh", "ja").random(source), "a")
            val text = RandomTexts(LANGUAGES.random(source), source).text()
            val tokens = tokenizer.tokens(text)
            assertEquals(text, tokens, tokenizer.tokens(tokenizer.normalize(text)))
            for (token in tokens) assertTrue(text, token.isNotEmpty() && token.any { it != '\'' })
        }
    }

    private companion object {
        const val LONG = 30_000
    }
}
