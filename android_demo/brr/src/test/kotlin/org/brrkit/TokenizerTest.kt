package org.brrkit

import java.io.File
import java.text.Normalizer
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** How texts are cut and looked up: the rules one by one, and against slow ones that are plain. */
class TokenizerTest {
    private val source = Random(1)

    private fun language(name: String) = LANGUAGES.single { it.name == name }

    private fun tokenizer(language: String, vararg words: String) =
        tokenizerOf(if (language == "en") Writing.ENGLISH else language(language).writing, words.asList())

    /** [expected] has the tokens, and behind an = the word that each stands for: "l'=l' homme=?". */
    private fun assertCut(expected: String, text: String, tokenizer: Tokenizer, words: List<String>) {
        val cut = tokenizer.read(text).joinToString(" ") { token ->
            "${token.text}=${words.getOrElse(token.wordId) { "?" }}"
        }
        assertEquals(text, expected, cut)
    }

    private fun assertCuts(language: String, vocabulary: String, vararg cuts: Pair<String, String>) {
        val words = vocabulary.split(' ')
        val tokenizer = tokenizer(language, *words.toTypedArray())
        for ((text, expected) in cuts) assertCut(expected, text, tokenizer, words)
    }

    /** The table of `spec/bundle-format.md`. */
    @Test
    fun englishCandidates() {
        val tokens = listOf(
            "Don’t" to "don't do",
            "'John's'" to "'john's' john's john",
            "couldn't've" to "couldn't've couldn't could",
            "can't've" to "can't've can't can",
            "o'brien" to "o'brien",
            "dogs'" to "dogs' dogs",
            "'s" to "'s s",
            "n't" to "n't",
        )
        for ((token, candidates) in tokens) {
            val words = candidates.split(' ')
            for ((place, word) in words.withIndex()) {
                assertEquals(token, 0, tokenizerOf(Writing.ENGLISH, listOf(word, "x")).lookUp(token))
                val later = words.drop(place) + "x"
                assertEquals(token, 0, tokenizerOf(Writing.ENGLISH, later).lookUp(token))
            }
            for (other in listOf("don", "john'", "can'", "brien", "o", "dog", "'", "n", "t")) {
                if (other in words) continue
                assertEquals(token, -1, tokenizerOf(Writing.ENGLISH, listOf(other)).lookUp(token))
            }
        }
    }

    /** The tables of the same page. */
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

    @Test
    fun english() = assertCuts(
        "en",
        "hello café it ﬁ can",
        "Hello, HELLO! 'hello' '' it's" to "hello=hello hello=hello 'hello'=hello it's=it",
        "cafe\u0301 CAFÉ CAFE\u0301" to "café=café café=café café=café",
        "\uFF28\uFF25LLO" to "hello=hello",
        "well-known 3,000" to "well=? known=? 3=? 000=?",
        "can’t can＇t canʼt" to "can't=can can't=can can't=can",
    )

    @Test
    fun french() = assertCuts(
        "fr",
        "l' homme aujourd'hui d' arc-en-ciel jusqu' oeuvre à qu'",
        "l'homme L’Homme 'l'homme'" to "l'=l' homme=homme l'=l' homme=homme l'=l' homme'=homme",
        "aujourd'hui jusqu'aujourd'hui" to
            "aujourd'hui=aujourd'hui jusqu'=jusqu' aujourd'hui=aujourd'hui",
        "arc-en-ciel porte-avions -homme-" to "arc-en-ciel=arc-en-ciel porte-avions=? homme=homme",
        "l' l'' qu'l'homme" to "l'=l' l''=? qu'=qu' l'=l' homme=homme",
        "Œuvre aux" to "œuvre=oeuvre aux=à",
        "x'homme" to "x'homme=?",
    )

    @Test
    fun german() = assertCuts(
        "de",
        "haus tür haustür arbeit zimmer straße äpfel bundes tag",
        "Haustür Haus-Tür HAUSTÜR" to "haustür=haustür haus=haus tür=tür haustür=haustür",
        "Türhaus Arbeitszimmer Bundestag" to
            "tür=tür haus=haus arbeit=arbeit zimmer=zimmer bundes=bundes tag=tag",
        "Strasse Aepfel Hausx" to "strasse=? aepfel=äpfel hausx=?",
        "Haus's" to "haus's=haus",
        "'Türhaus'" to "tür=tür haus=haus",
    )

    @Test
    fun turkish() = assertCuts(
        "tr",
        "ışık iyi istanbul kitap",
        "IŞIK ışık I\u015EIK" to "ışık=ışık ışık=ışık ışık=ışık",
        "İYİ I\u0307YI\u0307 İSTANBUL'DA" to "iyi=iyi iyi=iyi istanbul'da=istanbul",
        "kitaplar kitaplarlar kara" to "kitaplar=kitap kitaplarlar=kitap kara=?",
    )

    @Test
    fun greek() = assertCuts(
        "el",
        "οδος σας καλα",
        "ΟΔΟΣ οδοσ ΣΑΣ Σ 'σασ' aσ" to "οδος=οδος οδος=οδος σας=σας σ=? 'σας'=σας aσ=?",
        "καλά ΚΑΛΆ καλα\u0301" to "καλά=καλα καλά=καλα καλά=καλα",
    )

    @Test
    fun persianAndArabic() {
        assertCuts(
            "fa",
            "می\u200cخواهم کتاب ها",
            "می\u200cخواهم" to "می\u200cخواهم=می\u200cخواهم",
            "كتاب\u200cها كـتاب" to "کتاب\u200cها=کتاب کتاب=کتاب",
            "\u200cکتاب\u200c \u200c '\u200c'" to "کتاب=کتاب",
            "ها\u200c\u200cها" to "ها=ها ها=ها",
        )
        assertCuts(
            "ar",
            "و كتاب ال وقت",
            "وكتاب والكتاب وقت الكِتَاب" to "و=و كتاب=كتاب وال=? كتاب=كتاب وقت=وقت ال=ال كِتَاب=?",
        )
    }

    @Test
    fun korean() = assertCuts(
        "ko",
        "학교 밤",
        "학교에서 학교는 \u1112\u1161\u11A8교 밤은" to "학교에서=학교 학교는=학교 학교=학교 밤은=밤",
    )

    @Test
    fun scriptsWithoutSpaces() {
        assertCuts(
            "zh",
            "我 喜欢 苹果 吃",
            "我喜欢吃苹果。" to "我=我 喜欢=喜欢 吃=吃 苹果=苹果",
            "我喜歡apple吃蘋果" to "我=我 喜歡=? apple=? 吃=吃 蘋果=?",
        )
        assertCuts("ja", "日本 語 日本語 カガ", "日本語カカ\u3099" to "日本語=日本語 カガ=カガ")
        assertCuts("th", "สวัสดี ครับ ดี", "สวัสดีครับ ดีx" to "สวัสดี=สวัสดี ครับ=ครับ ดี=ดี x=?")
    }

    @Test
    fun whatMarksDoEndsAtThirty() {
        val tokenizer = tokenizer("en", "x")
        for (count in listOf(1, 29, 30, 31, 60, 61, 62)) {
            val text = "a" + "\u0301\u0323".repeat(40).take(count)
            fun composed(text: String) = (listOf(text.take(31)) + text.drop(31).chunked(30))
                .joinToString("") { Normalizer.normalize(it, Normalizer.Form.NFC) }
            assertEquals(composed(composed(text)), tokenizer.normalize(text))
        }
        assertEquals("x", tokenizer.normalize("X"))
        assertEquals("\u0323\u0301", tokenizer.normalize("\u0301\u0323")) // behind nothing
        assertEquals("7\u0323\u0301", tokenizer.normalize("7\u0301\u0323")) // behind no base
        assertEquals("\u0300", tokenizer.normalize("\u0340"))
        val late = "\u1AE4\u3099" // the first one is a mark since Unicode 17
        assertEquals(late, tokenizer.normalize(late))
    }

    /** The cut of least cost, of all that there are; of equal ones that whose last word begins first. */
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
    fun aWordOfAScriptWithoutSpacesHasAtMost32CodePointsAndAPart1024() {
        val writing = language("zh").writing
        for (length in listOf(32, 33)) {
            val word = "我".repeat(length)
            val tokens = tokenizerOf(writing, listOf(word, "吃")).tokens(word + "吃")
            assertEquals(listOf(word, "吃"), tokens)
            val known = tokenizerOf(writing, listOf(word, "我")).tokens(word)
            assertEquals(if (length == 32) 1 else 33, known.size)
        }
        val tokenizer = tokenizerOf(writing, listOf("我吃", "x"))
        assertEquals(listOf("吃".repeat(1023) + "我", "吃"), tokenizer.tokens("吃".repeat(1023) + "我吃"))
        assertEquals(listOf("吃".repeat(1022), "我吃"), tokenizer.tokens("吃".repeat(1022) + "我吃"))
        val wide = "\uD840\uDC00" // of two chars
        assertEquals(listOf(wide.repeat(1024), wide), tokenizer.tokens(wide.repeat(1025)))
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

    /** What takes the square of a hostile text's length would take hours for all of these. */
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

    /** Irregular words that lead to each other end nothing. */
    @Test
    fun aLookUpEnds() {
        val fields = language("fr").fields
        for (irregular in listOf(mapOf("a" to "b", "b" to "a"), mapOf("a" to "a"), mapOf("b" to "bs"))) {
            val writing = readWriting(fields + mapOf("irregular" to irregular, "endings" to listOf("s")))!!
            assertEquals(-1, tokenizerOf(writing, listOf("c")).lookUp("as"))
            assertEquals(-1, tokenizerOf(writing, listOf("c")).lookUp("bs"))
        }
    }

    /** Words before another one, and endings: more are hostile, and would take their square. */
    @Test
    fun eightAreTakenOff() {
        val french = tokenizer("fr", "l'", "x")
        assertEquals(List(8) { "l'" } + "x", french.tokens("l'".repeat(8) + "x"))
        assertEquals(List(8) { "l'" } + "l'x", french.tokens("l'".repeat(9) + "x"))
        val english = tokenizer("en", "x", "can")
        assertEquals(0, english.lookUp("x" + "'s".repeat(8)))
        assertEquals(-1, english.lookUp("x" + "'s".repeat(9)))
        assertEquals(1, english.lookUp("can't" + "'s".repeat(7)))
        assertEquals(-1, english.lookUp("can't" + "'s".repeat(8)))
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

    /** Whatever cut a text knew of a token: it is looked up as if an app had given it. */
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
        const val LONG = 100_000
    }
}
