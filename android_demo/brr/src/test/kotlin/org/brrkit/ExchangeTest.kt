package org.brrkit

import java.io.ByteArrayOutputStream
import kotlin.math.exp
import kotlin.math.ln
import kotlin.random.asKotlinRandom
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Assume.assumeTrue
import org.junit.Before
import org.junit.Test

/**
 * New random cases, exchanged with the Python runtime through files in the nightly tests: it wrote the cases that
 * are checked here, and checks those that are written here (`tests/phones/exchange.py`). In each run,
 * [VectorsTest] finds the same faults.
 */
class ExchangeTest {
    @Before
    fun onlyAtNight() = assumeTrue("there are cases each night", Work.file("exchange").exists())

    private val source = java.security.SecureRandom().asKotlinRandom()

    @Test
    fun pythonsReleases() {
        val cases = pythons("releases")
        for (case in cases) {
            val random = Replay(bytesOf(case["random"] as String))
            assertAgrees(case, case["released"], release(privatizerOf(case, random), case))
            assertAgrees(case, 0, random.left)
        }
    }

    @Test
    fun pythonsCounts() {
        val cases = pythons("counts")
        for (case in cases) {
            val random = Replay(bytesOf(case["random"] as String))
            val counts = countsOf(Work.all.getValue(case["bundle"] as String), case, random)
            assertAgrees(case, case["output"], counts.word(case["word"] as String))
            assertAgrees(case, 0, random.left)
        }
    }

    @Test
    fun pythonsFrames() {
        for (case in pythons("frames")) {
            val random = Replay(bytesOf(case["random"] as String))
            assertAgrees(case, case["days"], framedDays(Work.bundles.getValue(case["bundle"] as String), case, random))
            assertAgrees(case, 0, random.left)
        }
    }

    @Test
    fun pythonsTexts() {
        val cases = pythons("texts")
        for (case in cases) assertAgrees(case, case, textCase(case))
    }

    @Test
    fun pythonsNumbers() {
        val cases = pythons("numbers")
        for (case in cases) assertEquals(case, numbersOf(case))
    }

    @Test
    fun releasesForPython() = write("releases") {
        val bundle = Work.bundles.keys.random(source)
        val drawn = ByteArrayOutputStream()
        val words = List(source.nextInt(4)) { randomWord(Work.bundles.getValue(bundle)) }
        val text = randomText() + words.joinToString(" ")
        val case = randomSetting(Work.bundles.getValue(bundle)) + mapOf(
            "bundle" to bundle,
            "typed" to listOf(words, words, text).random(source),
        ).let { it + randomMarks(it["typed"], Work.bundles.getValue(bundle)) }
        val privatizer = privatizerOf(case) {
            SystemRandom.fill(it)
            drawn.write(it)
        }
        val released = release(privatizer, case)
        if (released is String && case["oov"] == "random" && "marks" !in case) {
            val count = released.split(' ').count(String::isNotEmpty)
            val tokens = Work.bundles.getValue(bundle).tokenize(case["typed"] as String)
            assertEquals("$case", tokens.size, count)
        }
        case + mapOf("random" to hexadecimal(drawn.toByteArray()), "released" to released)
    }

    /** The other phone's results for the same random bytes are compared with this. */
    @Test
    fun releasesForTheOtherPhone() {
        val lines = Work.cases("exchange/both.jsonl").joinToString("") { case ->
            val random = Replay(bytesOf(case["random"] as String))
            toJson(listOf(release(privatizerOf(case, random), case), random.left)) + "\n"
        }
        Work.file("exchange/kotlin-both.jsonl").writeText(lines)
    }

    @Test
    fun countsForPython() = write("counts") {
        val name = Work.all.keys.random(source)
        val bundle = Work.all.getValue(name)
        val drawn = ByteArrayOutputStream()
        val cap = listOf(randomBetween(CAP_MIN, CAP_MAX), source.nextDouble(5.0, 15.0)).random(source)
        val counts = Counts.Builder(bundle).setting(CountsSetting(cap)).random {
            SystemRandom.fill(it)
            drawn.write(it)
        }.build()
        val word = randomWord(bundle)
        val output = counts.word(word)
        mapOf(
            "bundle" to name,
            "cap" to cap,
            "word" to word,
            "random" to hexadecimal(drawn.toByteArray()),
            "output" to output,
        )
    }

    @Test
    fun framesForPython() = write("frames") {
        val name = Work.bundles.keys.random(source)
        val bundle = Work.bundles.getValue(name)
        val drawn = ByteArrayOutputStream()
        val case = randomSetting(bundle) - "oov" + mapOf(
            "bundle" to name,
            "frames" to mapOf("words" to source.nextInt(1, 5), "a_day" to source.nextInt(1, 4)),
            "steps" to List(source.nextInt(1, 3)) { randomDay(bundle) }.flatten(),
        )
        val days = framedDays(bundle, case) {
            SystemRandom.fill(it)
            drawn.write(it)
        }
        case + mapOf("random" to hexadecimal(drawn.toByteArray()), "days" to days)
    }

    /** Returns the typed texts of a day, and its end. */
    private fun randomDay(bundle: WordBundle): List<Map<String, Any>> = List(source.nextInt(6)) {
        val text = listOf(randomWord(bundle), randomText(), randomWord(bundle)).joinToString(" ")
        when (source.nextInt(4)) {
            0 -> mapOf("end" to true)
            1 -> mapOf("add" to text) + randomMarks(text, bundle).filterKeys { it == "marks" }
            else -> mapOf("word" to randomWord(bundle))
        }
    } + mapOf("batches" to true)

    @Test
    fun textsForPython() = write("texts") {
        val language = randomLanguage(source)
        if (source.nextBoolean()) return@write textCase(RandomList(language, source).case())
        val texts = RandomTexts(language, source)
        val text = texts.text()
        val (vocabulary, masses) = texts.vocabulary(text)
        textCase(
            mapOf(
                "text" to text,
                "writing" to language.fields,
                "vocabulary" to vocabulary,
                "masses" to masses,
            ),
        )
    }

    @Test
    fun numbersForPython() = write("numbers") {
        val epsilon = randomEpsilon()
        numbersOf(
            mapOf(
                "epsilon" to epsilon,
                "bits" to listOf(64L, 256L, 512L, 64L + 16 * 64).random(source),
                "total" to source.nextLong(2, listOf(1L shl 24, 1L shl 47).random(source)),
                "t" to source.nextDouble() * 25,
                "distance" to source.nextLong(513),
                "radius" to source.nextLong(65),
                "cap" to listOf(null, randomBetween(CAP_MIN, CAP_MAX)).random(source),
                "symbols" to source.nextLong(3, listOf(100L, 1L shl 24).random(source)),
            ),
        )
    }

    /** As `assertEquals`, but prints a case only if it fails. */
    private fun assertAgrees(case: Map<*, *>, expected: Any?, actual: Any?) {
        if (expected != actual) assertEquals("$case", expected, actual)
    }

    private fun pythons(name: String) =
        Work.cases("exchange/python-$name.jsonl").also { assertTrue(name, it.isNotEmpty()) }

    /** Writes the same number of cases as Python. */
    private fun write(name: String, case: () -> Map<*, *>) {
        val lines = pythons(name).joinToString("") { toJson(case()) + "\n" }
        Work.file("exchange/kotlin-$name.jsonl").writeText(lines)
    }

    private fun privatizerOf(case: Map<*, *>, random: RandomSource) = Privatizer(
        Work.bundles.getValue(case["bundle"] as String),
        (case["epsilon"] as Number).toDouble(),
        case["mechanism"] as String,
        Oov.valueOf((case["oov"] as String).uppercase()),
        memory = memoryOf(case),
        secondEpsilon = (case["second_epsilon"] as Number?)?.toDouble(),
        random = random,
        parameters = case.parameters(),
    )

    /** Returns the output for a text, or for a list of words. */
    private fun release(privatizer: Privatizer, case: Map<*, *>): Any =
        when (val typed = case["typed"]) {
            is String -> privatizer.text(typed, case.marks(typed), case.rest())
            else -> privatizer.words((typed as List<*>).map { it as String })
        }

    /** Completes a case with its tokens, and with the results of their look-up. */
    private fun textCase(case: Map<*, *>): Map<*, *> {
        val writing = if ("writing" in case) readWriting(case["writing"]) else Writing.ENGLISH
        val vocabulary = (case["vocabulary"] as List<*>).map { it as String }
        val masses = (case["masses"] as List<*>).map { (it as Number).toInt() }
        val kind = case["list_of"] as String?
        val tokenizer = tokenizerOf(checkNotNull(writing) { "$case" }, vocabulary, masses, kind)
        val tokens = tokenizer.read(case["text"] as String)
        val ids = tokens.map { token -> token.wordId.toLong().takeIf { it >= 0 } }
        val finished = tokenizer.finished(case["text"] as String).codePoints.toLong()
        return case + mapOf("tokens" to tokens.map { it.text }, "ids" to ids, "finished" to finished)
    }

    private fun randomEpsilon() = randomBetween(EPSILON_MIN, EPSILON_MAX)

    /** Returns a number for the exponent. */
    private fun randomBetween(low: Double, high: Double) =
        exp(source.nextDouble(ln(low), ln(high))).coerceIn(low, high)

    private fun randomSetting(bundle: WordBundle): Map<String, Any> {
        val mechanism = listOf("brr", "vickrey", "exponential").random(source)
        val several = List(source.nextInt(1, 6)) { source.nextInt(3) * source.nextDouble() }
        val t = listOf(0.0, 0.5, 1.0, source.nextDouble(), several).random(source)
        val bases = Base.entries.filter { it != Base.BIGRAM || bundle.masses.bigrams > 0 }
        val taskWeight = listOf(0, 1, 2, source.nextInt(MOST_TASK_WEIGHT + 1)).random(source)
        val ofExponential = mapOf(
            "radius" to listOf(0L, source.nextLong(17), source.nextLong(65)).random(source),
            "base" to bases.random(source).spelled,
            "cap" to randomBetween(CAP_MIN, CAP_MAX),
            "task_weight" to taskWeight,
        ).filterKeys { it != "task_weight" || bundle.taskBits > 0 }
        return mapOf(
            "mechanism" to mechanism,
            "epsilon" to randomEpsilon(),
            "oov" to listOf("random", "drop").random(source),
            "parameters" to when {
                mechanism == "vickrey" -> mapOf("t" to t)
                mechanism == "exponential" -> ofExponential.filter { source.nextInt(10) < 7 }
                else -> emptyMap()
            },
        )
    }

    private fun randomWord(bundle: WordBundle): String {
        val word = bundle.vocabulary.word(source.nextInt(bundle.size))
        val text = if (bundle.listOf == null) randomText() else RandomList(LANGUAGES.random(source), source).text
        val others = listOf(word.uppercase(), "$word's", "'${word}n't", text)
        return if (source.nextInt(10) < 6) word else others.random(source)
    }

    /** Returns marks of a text, in code points, and the treatment of the rest; or nothing. */
    private fun randomMarks(text: Any?, bundle: WordBundle): Map<String, Any> {
        val length = (text as? String)?.codePoints ?: 0
        if (length == 0 || source.nextBoolean()) return emptyMap()
        val marks = List(source.nextInt(4)) {
            val start = source.nextLong(length.toLong())
            val end = minOf(start + source.nextLong(1, 7), length.toLong())
            listOf(start, end) + listOfNotNull((bundle.policy.lists.map { it.name } + null).random(source))
        }
        return mapOf("marks" to marks, "rest" to listOf("release", "pass").random(source))
    }

    private fun randomText(): String = RandomTexts(LANGUAGES.random(source), source).text()
}
