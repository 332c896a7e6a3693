package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import java.math.RoundingMode
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.security.MessageDigest
import kotlin.math.exp
import kotlin.math.ln
import kotlin.random.Random
import kotlin.random.asKotlinRandom

private const val RELEASES = 10_000
private const val TEXTS = 5_000
private const val NUMBERS = 2_000

/**
 * Fresh random cases, exchanged with the Python runtime through files: it wrote those that are
 * checked here, and checks those that are written here (`tests/android/exchange.py`).
 */
class ExchangeTest {
    private val source = java.security.SecureRandom().asKotlinRandom()

    @Test
    fun pythonsReleases() {
        val cases = Work.cases("exchange/python-releases.jsonl")
        assertTrue(cases.size >= RELEASES)
        for (case in cases) {
            val random = Replay(bytesOf(case["random"] as String))

            @Suppress("UNCHECKED_CAST")
            val released = privatizerOf(case, random).words(case["words"] as List<String>)
            assertEquals("$case", case["released"], released)
            assertEquals("$case", 0, random.left)
        }
    }

    @Test
    fun pythonsTexts() {
        val cases = Work.cases("exchange/python-texts.jsonl")
        assertTrue(cases.size >= TEXTS)
        for (case in cases) assertEquals("$case", case["words"], wordsIn(case["text"] as String))
    }

    @Test
    fun pythonsNumbers() {
        val cases = Work.cases("exchange/python-numbers.jsonl")
        assertTrue(cases.size >= NUMBERS)
        for (case in cases) assertEquals(case, numbersOf(case))
    }

    @Test
    fun everyCodePoint() {
        val expected = ByteBuffer.wrap(Work.file("exchange/python-characters.bin").readBytes())
            .order(ByteOrder.LITTLE_ENDIAN).asIntBuffer()
        assertEquals(0x110000, expected.limit())
        for (codePoint in 0 until expected.limit()) {
            val actual = if (isSeparator(codePoint)) -1 else normalize(codePoint)
            assertEquals("U+%04X".format(codePoint), expected[codePoint], actual)
        }
    }

    @Test
    fun releasesForPython() = write("releases", RELEASES) {
        val bundle = Work.bundles.keys.random(source)
        val drawn = mutableListOf<Byte>()
        val case = randomSetting() + mapOf(
            "bundle" to bundle,
            "words" to List(source.nextInt(4)) { randomWord(Work.bundles.getValue(bundle)) },
        )
        val privatizer = privatizerOf(case) {
            SystemRandom.fill(it)
            drawn += it.asIterable()
        }

        @Suppress("UNCHECKED_CAST")
        val released = privatizer.words(case["words"] as List<String>)
        case + mapOf("random" to hexadecimal(drawn.toByteArray()), "released" to released)
    }

    @Test
    fun textsForPython() = write("texts", TEXTS) {
        val text = randomText()
        mapOf("text" to text, "words" to wordsIn(text))
    }

    @Test
    fun numbersForPython() = write("numbers", NUMBERS) {
        numbersOf(
            mapOf(
                "epsilon" to randomEpsilon(),
                "bits" to listOf(64L, 256L, 512L).random(source),
                "size" to source.nextLong(2, 1L shl 24),
                "t" to source.nextDouble() * 25,
                "distance" to source.nextLong(513),
            ),
        )
    }

    private fun write(name: String, count: Int, case: () -> Map<*, *>) {
        val lines = (1..count).joinToString("") { toJson(case()) + "\n" }
        Work.file("exchange/kotlin-$name.jsonl").writeText(lines)
    }

    private fun privatizerOf(case: Map<*, *>, random: RandomSource) = Privatizer(
        Work.bundles.getValue(case["bundle"] as String),
        (case["epsilon"] as Number).toDouble(),
        case["mechanism"] as String,
        Oov.valueOf((case["oov"] as String).uppercase()),
        random = random,
        parameters = case.parameters(),
    )

    private fun wordsIn(text: String) = wordsOf(text) { Work.bundle64.vocabulary.find(it) >= 0 }

    /** Completes a case by the integers that follow from it. */
    private fun numbersOf(case: Map<*, *>): Map<*, *> {
        val epsilon = (case["epsilon"] as Number).toDouble()
        val bits = (case["bits"] as Long).toInt()
        val size = (case["size"] as Long).toInt()
        val distance = (case["distance"] as Long).toInt()
        val t = (case["t"] as Number).toDouble()
        val weights = MessageDigest.getInstance("SHA-256")
            .digest(bytesOf(weightTable(epsilon, bits, size)))
        return case + mapOf(
            "threshold" to flipThreshold(epsilon),
            "weights" to hexadecimal(weights),
            "decay" to decay(t.toRational() * distance),
            "cost" to inUnits(epsilon, RoundingMode.CEILING).toLong(),
        )
    }

    private fun randomEpsilon() =
        exp(source.nextDouble(ln(EPSILON_MIN), ln(EPSILON_MAX))).coerceIn(EPSILON_MIN, EPSILON_MAX)

    private fun randomSetting(): Map<String, Any> {
        val mechanism = listOf("brr", "vickrey", "exponential").random(source)
        val several = List(source.nextInt(1, 6)) { source.nextInt(3) * source.nextDouble() }
        val t = listOf(0.0, 0.5, 1.0, source.nextDouble(), several).random(source)
        return mapOf(
            "mechanism" to mechanism,
            "epsilon" to randomEpsilon(),
            "oov" to listOf("random", "drop").random(source),
            "parameters" to if (mechanism == "vickrey") mapOf("t" to t) else emptyMap(),
        )
    }

    private fun randomWord(bundle: Bundle): String {
        val word = bundle.vocabulary.word(source.nextInt(bundle.size))
        return listOf(word, word, word, word.uppercase(), randomText()).random(source)
    }

    private fun randomText(): String {
        val pieces = "a B é É İ Σ ß ǅ \u0301 👍 ʼ ＇ Д Ա ! _ ' ’ n't 's it do - don't we're"
            .split(' ')
        return (1..source.nextInt(10)).joinToString("") {
            when (source.nextInt(6)) {
                0 -> " "
                1 -> String(Character.toChars(randomCodePoint(source)))
                else -> pieces.random(source)
            }
        }
    }

    private fun randomCodePoint(source: Random): Int {
        val codePoint = source.nextInt(0x110000)
        return if (codePoint in 0xD800..0xDFFF) 'x'.code else codePoint
    }
}
