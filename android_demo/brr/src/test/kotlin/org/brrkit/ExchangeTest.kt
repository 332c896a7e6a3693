package org.brrkit

import java.io.ByteArrayOutputStream
import java.math.RoundingMode
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.security.MessageDigest
import java.time.Duration
import kotlin.math.exp
import kotlin.math.ln
import kotlin.random.asKotlinRandom
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * Fresh random cases, exchanged with the Python runtime through files: it wrote those that are
 * checked here, and checks those that are written here (`tests/phones/exchange.py`).
 */
class ExchangeTest {
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
    fun everyCodePoint() {
        val expected = ByteBuffer.wrap(Work.file("exchange/python-characters.bin").readBytes())
            .order(ByteOrder.LITTLE_ENDIAN).asIntBuffer()
        assertEquals(0x110000, expected.limit())
        for (codePoint in 0 until expected.limit()) {
            val normal = Writing.ENGLISH.normalize(String(Character.toChars(codePoint)))
            val actual = when (normal.codePoints) {
                0 -> -3
                1 -> normal.codePointAt(0).let { if (isSeparator(it)) -1 else it }
                else -> -2
            }
            // A million messages would take longer than what they are about.
            if (actual != expected[codePoint]) {
                assertEquals("U+%04X".format(codePoint), expected[codePoint], actual)
            }
        }
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
        )
        val privatizer = privatizerOf(case) {
            SystemRandom.fill(it)
            drawn.write(it)
        }
        val released = release(privatizer, case)
        if (released is String && case["oov"] == "random") {
            val count = released.split(' ').count(String::isNotEmpty)
            val tokens = Work.bundles.getValue(bundle).tokenize(case["typed"] as String)
            assertEquals("$case", tokens.size, count)
        }
        case + mapOf("random" to hexadecimal(drawn.toByteArray()), "released" to released)
    }

    /** What the other phone's runtime makes of the same random bytes is compared with this. */
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

    /** Python's state goes on here, and this one's there. */
    @Test
    fun theBudgetsState() {
        val state = Work.file("exchange/kotlin-budget.json")
        Work.file("exchange/python-budget.json").copyTo(state, overwrite = true)
        val budget = PrivacyBudget(10.0, Duration.ofDays(1), state)
        assertEquals(9.7, budget.remaining(), 0.0)
        budget.spend(0.1, 7, unit = Work.bundle64.digest)
        assertEquals(9.0, budget.remaining(), 0.0)
    }

    /** As `assertEquals`, but writes a case only where it fails. */
    private fun assertAgrees(case: Map<*, *>, expected: Any?, actual: Any?) {
        if (expected != actual) assertEquals("$case", expected, actual)
    }

    private fun pythons(name: String) =
        Work.cases("exchange/python-$name.jsonl").also { assertTrue(name, it.isNotEmpty()) }

    /** Writes as many cases as Python has. */
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

    /** Returns what comes out of a text, or of a list of words. */
    private fun release(privatizer: Privatizer, case: Map<*, *>): Any =
        when (val typed = case["typed"]) {
            is String -> privatizer.text(typed)
            else -> privatizer.words((typed as List<*>).map { it as String })
        }

    /** Completes a case by its tokens, and by what they are looked up as. */
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

    /** Completes a case by the numbers that follow from it. */
    private fun numbersOf(case: Map<*, *>): Map<*, *> {
        val epsilon = (case["epsilon"] as Number).toDouble()
        val bits = (case["bits"] as Long).toInt()
        val total = case["total"] as Long
        val distance = (case["distance"] as Long).toInt()
        val t = (case["t"] as Number).toDouble()
        val threshold = flipThreshold(epsilon)
        val radius = (case["radius"] as Long).toInt()
        val cap = (case["cap"] as Number?)?.toDouble()
        val weights = weightTable(epsilon, bits, total, radius, cap)
        val symbols = (case["symbols"] as Long).toInt()
        val kept = cap?.let { keepThreshold(it, symbols) }
        val digest = MessageDigest.getInstance("SHA-256").digest(bytesOf(weights))
        return case + mapOf(
            "threshold" to threshold,
            "keep_threshold" to kept,
            "counts_loss" to kept?.let { keepLoss(it, symbols) },
            "weights" to hexadecimal(digest),
            "effective_threshold" to thresholdEpsilon(threshold),
            "effective_weights" to weightsEpsilon(weights),
            "decay" to decay(t.toRational() * distance),
            "cost" to inUnits(epsilon, RoundingMode.CEILING).toLong(),
        )
    }

    private fun randomEpsilon() = randomBetween(EPSILON_MIN, EPSILON_MAX)

    /** Returns a number that stands in the exponent. */
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

    private fun randomText(): String = RandomTexts(LANGUAGES.random(source), source).text()
}
