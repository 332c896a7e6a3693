package org.brrkit

import java.io.File
import java.math.BigDecimal
import java.math.BigInteger
import java.math.MathContext
import java.math.RoundingMode
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.LongBuffer
import java.nio.file.Files
import java.security.MessageDigest
import kotlin.math.ln1p
import kotlin.random.Random
import org.brrkit.mechanisms.Exponential
import org.brrkit.mechanisms.Ingredients
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

/** Masses and bigrams: reading, refusals, and the measures made from them. */
class BaseTest {
    private val source = Random(1)

    @Test
    fun bytesStandForNumbers() {
        val masses = massesOf(ByteArray(255) { (it + 1).toByte() }, emptyList())
        assertNull(masses.damage())
        val measure = masses.measure(Base.UNIGRAM, Masses.NONE)
        val numbers = (1..255).map { measure.mass(it - 1) }
        assertEquals((1L..16L).toList(), numbers.take(16))
        assertEquals(listOf(18L, 20, 22, 24, 26, 28, 30, 32, 36), numbers.drop(16).take(9))
        assertEquals(15L shl 30, numbers.last())
        assertEquals(numbers.sum(), masses.most(Base.UNIGRAM))
        assertEquals(numbers.sum(), masses.most(Base.BIGRAM))
        assertEquals(255L, masses.most(Base.UNIFORM))
    }

    /** Compared with sums and places that are counted one by one, at both ends of every word's numbers. */
    @Test
    fun aDrawIsThatOfTheMeasure() {
        for ((bits, taskBits, taskWeight) in listOf(
            Triple(64, 0, 1), Triple(128, 0, 1), Triple(192, 0, 1), Triple(256, 0, 1),
            Triple(128, 64, 0), Triple(128, 64, 1), Triple(128, 64, 3), Triple(192, 64, 16),
            Triple(192, 128, 2), Triple(512, 448, 16),
        )) {
            val size = if (bits == 64) 18_000 else 2_100 // blocks of three of a scan's steps, or of one
            val codes = LongArray(size * bits / 64) { source.nextLong() and source.nextLong() }
            val index = HammingIndex(Codes(LongBuffer.wrap(codes), bits, size), taskBits, taskWeight)
            val bytes = ByteArray(size) { source.nextInt(1, 200).toByte() }
            val pairs = List(3_000) { source.nextInt(40) to source.nextInt(size) }
                .toSet().sortedWith(compareBy({ it.first }, { it.second }))
                .map { (before, after) -> Triple(before, after, source.nextInt(1, 256)) }
            val masses = massesOf(bytes, pairs)
            for ((base, before) in listOf(
                Base.UNIFORM to 3, Base.UNIGRAM to 3, Base.BIGRAM to Masses.NONE,
                Base.BIGRAM to 0, Base.BIGRAM to 39, Base.BIGRAM to 40,
            )) {
                val measure = masses.measure(base, before)
                val expected = LongArray(size) {
                    if (base == Base.UNIFORM) 1 else level(bytes[it].toInt() and 0xFF)
                }
                if (base == Base.BIGRAM) {
                    pairs.filter { it.first == before }.forEach { expected[it.second] += level(it.third) }
                }
                val query = LongArray(bits / 64) { codes[it] xor source.nextLong() }
                val distances = IntArray(size) { id ->
                    query.indices.sumOf {
                        val times = if (64 * it < bits - taskBits) 1 else taskWeight
                        times * (codes[id * query.size + it] xor query[it]).countOneBits()
                    }
                }
                val sums = LongArray(bits - taskBits + taskWeight * taskBits + 1)
                for (id in 0 until size) sums[distances[id]] += expected[id]
                val found = index.sums(query, measure)
                assertArrayEquals(sums, LongArray(sums.size, found::get))
                for (distance in distances.toSet().shuffled(source).take(6)) {
                    var number = 0L
                    for (id in (0 until size).filter { distances[it] == distance }) {
                        assertEquals(id, index.idAt(query, distance, number, measure, found))
                        number += expected[id]
                        assertEquals(id, index.idAt(query, distance, number - 1, measure, found))
                    }
                }
            }
        }
    }

    /** At both ends of every word's numbers. */
    @Test
    fun aWordIsDrawnByItsMass() {
        val bytes = byteArrayOf(3, 1, -1, 40, 1, -1, 16)
        val masses = massesOf(bytes, listOf(Triple(0, 1, 5)))
        fun drawn(number: Long): Int {
            val random = Replay(bytesOf(longArrayOf(number)))
            return masses.draw(random).also { assertEquals(0, random.left) }
        }
        var number = 0L
        for (id in bytes.indices) {
            assertEquals(id, drawn(number))
            number += level(bytes[id].toInt() and 0xFF)
            assertEquals(id, drawn(number - 1))
        }
    }

    @Test
    fun theMostIsOfTheWordWithTheLargestGains() {
        val bigrams = listOf(Triple(0, 1, 5), Triple(0, 2, 6), Triple(2, 0, 10), Triple(2, 2, 2))
        val masses = massesOf(byteArrayOf(3, 1, 2), bigrams)
        assertNull(masses.damage())
        assertEquals(listOf(3L, 6L, 18L), Base.entries.map(masses::most))
    }

    @Test
    fun sumsAreAtMostTwoToThe47() {
        fun damage(last: Int, gain: Int) =
            massesOf(ByteArray(8_738) { if (it < 8_737) -1 else last.toByte() }, listOf(Triple(0, 1, gain)))
                .damage()
        val most = 1L shl 47
        val left = most - 8_737 * (15L shl 30)
        val below = (1..255).last { level(it) < left }
        val above = 255
        assertNull(damage(below, 1))
        assertEquals("tensors 'masses' and 'gains' sum to more than 2^47", damage(below, above))
    }

    /** With e^x of 100 digits, by its series alone. */
    @Test
    fun weightsAreWhatTheyAreDefinedAs() {
        val digits = MathContext(100)
        fun growth(x: BigDecimal): BigInteger {
            var sum = BigDecimal.ONE
            var term = BigDecimal.ONE
            for (i in 1..400) {
                term = term.multiply(x).divide(BigDecimal(i), digits)
                sum = sum.add(term, digits)
            }
            return (sum * BigDecimal(BigInteger.ONE shl 64)).toBigInteger()
        }
        fun fallen(weight: BigInteger, growth: BigInteger): BigInteger =
            BigDecimal(weight shl 64).divide(BigDecimal(growth), 0, RoundingMode.CEILING).toBigInteger()
        val two = BigDecimal(2)
        for (case in 0 until 60) {
            val epsilon = listOf(1e-9, 22.18, 0.785, source.nextDouble(0.01, 3.0))[case % 4]
            val cap = listOf(null, 1e-9, 88.0, source.nextDouble(1.0, 40.0), 9.25)[case % 5]
            val radius = listOf(0, 8, 64, source.nextInt(65))[case % 3]
            val most = listOf(2L, 50_000L, 1L shl 47, source.nextLong(2, 1L shl 47))[case / 4 % 4]
            val half = BigDecimal(epsilon).divide(two)
            val expected = arrayListOf(BigInteger.valueOf(Long.MAX_VALUE / most))
            val least =
                cap?.let { fallen(expected[0], growth(BigDecimal(it).divide(two))) } ?: BigInteger.ZERO
            val within = growth(half.divide(BigDecimal(8)))
            val beyond = growth(half)
            for (d in 0 until 64) {
                expected += fallen(expected[d], if (d < radius) within else beyond).max(least)
            }
            val weights = weightTable(epsilon, 64, most, radius, cap)
            assertEquals(expected.map(BigInteger::toLong), weights.toList())
            if (cap != null) {
                val lost = 2 * ln1p((weights[0] - weights[64]).toDouble() / weights[64])
                assertTrue("$lost $cap", lost <= cap * (1 + 1e-12))
            }
        }
    }

    /** Each kind of damage, without verified digests. */
    @Test
    fun damagedMassesAndBigramsAreRefused() {
        val bigrams = Work.bundle64.masses.bigrams
        assertTrue("$bigrams", bigrams > 100)
        val size = Work.bundle64.size
        val width = widthOf(size)
        val (before, after) = List(2) { IntArray(bigrams) }
        read().let { index ->
            for ((name, into) in listOf("before" to before, "after" to after)) {
                val numbers = PackedNumbers(index.tensor(name), width)
                for (i in into.indices) into[i] = numbers[i]
            }
        }
        fun pair(i: Int) = (before[i].toLong() shl 32) + after[i]
        val same = (1 until bigrams).first { before[it] == before[it - 1] }
        val next = (1 until bigrams).first { before[it] != before[it - 1] }
        val order = "tensors 'before' and 'after' aren't in order, or have a pair twice"
        fun set(name: String, place: Int, value: Int) = read().also { index ->
            if (name == "masses" || name == "gains") {
                index.tensor(name).put(place, value.toByte())
            } else {
                index.tensor(name).pack(place, width, value)
            }
        }
        val cases = listOf(
            set("masses", 0, 0) to "tensor 'masses' has a 0",
            set("masses", size - 1, 0) to "tensor 'masses' has a 0",
            set("gains", 0, 0) to "tensor 'gains' has a 0",
            set("gains", bigrams - 1, 0) to "tensor 'gains' has a 0",
            set("before", bigrams - 1, size) to "tensor 'before' names a missing word",
            set("after", bigrams - 1, size) to "tensor 'after' names a missing word",
            set("after", 0, (1 shl width) - 1) to "tensor 'after' names a missing word",
            set("after", same, after[same - 1]) to order, // a pair twice
            set("after", same - 1, after[same]) to order,
            set("before", next - 1, before[next] + 1) to order,
            set("before", next, before[next - 1]).takeIf { after[next] <= after[next - 1] } to order,
        )
        for ((index, damage) in cases) {
            if (index == null) continue
            val error = assertThrows(damage, BundleException::class.java) { open(index) }
            assertTrue(error.message, error.message!!.endsWith("/index.safetensors: $damage; rebuild the bundle"))
        }
        assertTrue((1 until bigrams).all { pair(it) > pair(it - 1) })
        open(read())
    }

    @Test
    fun theManifestSaysHowManyBigramsThereAre() {
        val bigrams = Work.bundle64.masses.bigrams
        fun refused(value: String): String {
            val error = assertThrows(BundleException::class.java) {
                open(read()) { it.replaceFirst(Regex("\"bigrams\": $bigrams"), "\"bigrams\": $value") }
            }
            return error.message!!
        }
        for (wrong in listOf("-1", "16777217", "1.0", "\"1\"", "null", "true")) {
            assertTrue(refused(wrong), "field 'bigrams' is missing or wrong" in refused(wrong))
        }
        for (other in listOf(0, bigrams - 1, bigrams + 1, 1 shl 24)) {
            val message = refused("$other")
            assertTrue(message, "not the tensors codes, offsets, ids, positions, masses, " in message)
        }
    }

    @Test
    fun theDefaultIsTheLastBaseThatTheBundleHas() {
        for ((name, base) in listOf("64" to Base.BIGRAM, "256" to Base.UNIGRAM)) {
            val bundle = Work.bundles.getValue(name)
            fun sampler(base: Base?) =
                Mechanism.exponential(base = base).sampler(Ingredients(bundle, 0.5, KotlinRandomizer))
            val byDefault = sampler(null)
            assertArrayEquals(sampler(base).setting.numbers, byDefault.setting.numbers)
            // Without bigrams both bases have the same numbers, and only one has a certificate.
            assertEquals(base, (byDefault as Exponential).base)
        }
        val error = assertThrows(ParameterException::class.java) {
            Privatizer(Work.bundles.getValue("256"), Setting(0.5, Mechanism.exponential(base = Base.BIGRAM)))
        }
        assertTrue(error.message, "base 'bigram' needs bigrams" in error.message!!)
    }

    /** The inputs of a memory's first draws: spec/state-files.md. */
    @Test
    fun theNumbersOfASettingAreItsWeightsAndWhetherThereAreMasses() {
        val bundle = Work.bundle64
        fun numbers(base: Base, cap: Double?) =
            Mechanism.exponential(12, base, cap).sampler(Ingredients(bundle, 0.5, KotlinRandomizer))
                .setting.numbers
        for (base in Base.entries) {
            for (cap in listOf(null, 9.0)) {
                val weights = weightTable(0.5, 64, bundle.masses.most(base), 12, cap)
                val digest = MessageDigest.getInstance("SHA-256").digest(bytesOf(weights))
                val last: Byte = if (base == Base.UNIFORM) 0 else 1
                assertArrayEquals(digest + last, numbers(base, cap))
            }
        }
        val all = Base.entries.flatMap { listOf(numbers(it, null), numbers(it, 9.0)) }
        assertEquals(6, all.map(::hexadecimal).toSet().size)
    }

    @Test
    fun parametersThatAreOutOfRangeAreRefused() {
        for (cap in listOf(0.0, 9.9e-10, 88.1, -1.0, Double.NaN, Double.POSITIVE_INFINITY)) {
            val error = assertThrows(ParameterException::class.java) {
                Privatizer(Work.bundle64, Setting(0.5, Mechanism.exponential(cap = cap)))
            }
            assertEquals("cap must be a number from 1e-09 to 88, not $cap", error.message)
        }
        for (cap in listOf("9", true, null, listOf(9.0))) {
            assertThrows(ParameterException::class.java) {
                Privatizer(Work.bundle64, 0.5, parameters = mapOf("cap" to cap))
            }
        }
        for (base in listOf("UNIFORM", "", "prior", 1L, null)) {
            val error = assertThrows(ParameterException::class.java) {
                Privatizer(Work.bundle64, 0.5, parameters = mapOf("base" to base))
            }
            assertEquals(
                "there is no such base; choose one of: uniform, unigram, bigram",
                error.message,
            )
        }
        for (cap in listOf(1e-9, 88, 88.0f)) {
            Privatizer(Work.bundle64, 0.5, parameters = mapOf("base" to "unigram", "cap" to cap))
        }
    }

    private fun level(byte: Int): Long =
        if (byte < 16) byte.toLong() else (8L + byte % 8) * (1L shl byte / 8 - 1)

    private fun read() = Work.file("bundles/64/index.safetensors").readBytes()

    private fun ByteArray.tensor(name: String): ByteBuffer {
        val start = 8 + longAt(0).toInt()
        val header = parseJson(copyOfRange(8, start)) as Map<*, *>
        val (first, last) = ((header[name] as Map<*, *>)["data_offsets"] as List<*>).map { (it as Long).toInt() }
        return ByteBuffer.wrap(this).view(start + first, start + last)
    }

    /** Opens the bundle with another index, and another manifest. */
    private fun open(index: ByteArray, manifest: (String) -> String = { it }): WordBundle {
        val folder = Files.createTempDirectory("brr").toFile()
        try {
            Work.file("bundles/64").copyRecursively(folder, overwrite = true)
            File(folder, "index.safetensors").writeBytes(index)
            File(folder, "manifest.json").run { writeText(manifest(readText())) }
            return WordBundle.open(folder, verifyHashes = false)
        } finally {
            folder.deleteRecursively()
        }
    }
}
