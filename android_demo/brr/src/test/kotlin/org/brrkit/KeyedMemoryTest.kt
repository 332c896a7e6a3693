package org.brrkit

import java.io.File
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.time.Duration
import java.util.Collections
import kotlin.concurrent.thread
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

private val HOUR = Duration.ofHours(1)
private const val HOUR_MS = 3_600_000L
private const val SECRET = "zorblaxian"

/** The keyed memory: its key and its period; no refusal reveals words, and nothing typed is kept. */
class KeyedMemoryTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private var now = Instant(1_700_000_000_000, 500_000, "a")
    private lateinit var file: File
    private lateinit var memory: Memory

    @Before
    fun anHour() {
        file = File(temporary.root, "memory")
        memory = memoryOf(null)
    }

    private fun memoryOf(vault: KeyVault?): Memory = Memory(HOUR, file, vault) { now }

    private fun pass(milliseconds: Long) {
        now = now.copy(time = now.time + milliseconds, uptime = now.uptime + milliseconds)
    }

    private fun secret(): String =
        file.readText().substringAfter("\"key\": \"").substringBefore('"')

    private fun privatizer(
        epsilon: Double = 0.01,
        budget: PrivacyBudget? = null,
        oov: Oov = Oov.RANDOM,
        mechanism: String = "brr",
    ) = Privatizer(
        Work.bundle64,
        epsilon,
        mechanism,
        oov,
        budget,
        memory,
        secondEpsilon = 22.0,
        // A second draw changes a word that has others within the radius.
        parameters = if (mechanism == "exponential") mapOf("radius" to 0L, "base" to "uniform") else emptyMap(),
    )

    /**
     * Two of these draws are equal with 1/1,700, two of different periods too.
     * False alarm: 1e-9.
     */
    @Test
    fun aWordIsDrawnTheSameForAPeriod() {
        val words = List(30) { Work.bundle64.vocabulary.word(it) } + listOf(SECRET, "a b", "")
        for (mechanism in listOf("brr", "vickrey", "exponential")) {
            val some = privatizer(mechanism = mechanism)
            val first = some.words(words)
            assertTrue("$first", first.toSet().size > 20)
            if (mechanism == "vickrey") continue // its second draw changes words
            repeat(3) { assertEquals(first, some.words(words)) }
            assertEquals(first.reversed(), some.words(words.reversed()))
            pass(HOUR_MS)
            val second = some.words(words)
            assertTrue(first.zip(second).count { (a, b) -> a == b } < 6)
        }
    }

    /** False alarm: 1e-70, of keys that are equal. */
    @Test
    fun everyPeriodHasAKeyOfItsOwn() {
        val secrets = mutableSetOf<String>()
        for (number in 1L..5L) {
            assertEquals(number, memory.key().number)
            secrets += secret()
            pass(HOUR_MS - 1)
            assertEquals(number, memory.key().number)
            assertEquals(number.toInt(), (secrets + secret()).size)
            pass(1)
        }
        memory.key()
        assertFalse(secret() in secrets)
    }

    @Test
    fun aSetClockChangesNothing() {
        memory.key()
        val first = secret()
        now = now.copy(time = now.time + 1_000_000 * HOUR_MS)
        assertEquals(1L, memory.key().number)
        assertEquals(first, secret())
        now = Instant(now.time, 2_000, "b") // a restart, with the clock set forward
        assertEquals(2L, memory.key().number)
    }

    /** Returns all ways in which [count] words can repeat, each as their numbers from 0. */
    private fun patterns(count: Int): List<List<Int>> =
        if (count == 0) listOf(emptyList())
        else patterns(count - 1).flatMap { first -> (0..first.toSet().size).map { first + it } }

    /**
     * Returns all that is observable about the releases of [words] under a budget of [limit], except the released
     * words.
     */
    private fun shown(words: List<String>, way: String, limit: Double): List<Any> {
        val spent = File(temporary.root, "budget")
        fun started(): Pair<PrivacyBudget, Privatizer> {
            memory = memoryOf(null)
            val budget = PrivacyBudget(limit, HOUR, spent, { now })
            return budget to privatizer(0.5, budget)
        }
        val seen = ArrayList<Any>()
        var (budget, some) = started()
        val stream = some.stream()
        for (word in words + words[0]) {
            if (way == "again") started().let { (first, second) -> budget = first; some = second }
            val released: Any = try {
                when (way) {
                    "words" -> some.words(words).size
                    "texts" -> some.texts(listOf(word, "", words.joinToString(" "))).size
                    "stream" -> stream.word(word) == null
                    else -> some.word(word) == null
                }
            } catch (error: BudgetException) {
                listOf(error.message!!, error.left, error.renewsIn)
            }
            seen.add(released)
            seen.add(budget.remaining())
            seen.add(budget.wordsLeft(0.5, Work.bundle64.digest))
            seen.add(if (spent.exists()) spent.readText() else "")
            pass(1_000)
        }
        spent.delete()
        file.delete()
        return seen
    }

    /** Up to five words in all patterns of repeats: the refusals, the rest, and the stored state. */
    @Test
    fun aRefusalDependsOnTheNumberOfReleasesAlone() {
        val some = listOf("the", SECRET, "of", SECRET + "s", "and")
        val start = now
        for (way in listOf("again", "words", "texts", "stream")) {
            for (count in 1..5) {
                for (limit in listOf(0.5 * maxOf(count - 1, 1), 0.5 * count)) {
                    val seen = patterns(count).map { pattern ->
                        now = start
                        shown(pattern.map(some::get), way, limit)
                    }
                    assertEquals("$way, $count words, $limit", 1, seen.toSet().size)
                    assertTrue(seen[0].any { it is List<*> }) // something is refused
                }
            }
        }
    }

    @Test
    fun noDamageGivesAnotherKey() {
        memory.key()
        val line = file.readBytes()
        val damaged = line.indices.map { i ->
            line.copyOf().also { it[i] = (it[i].toInt() xor (1 shl i % 8)).toByte() }
        }
        for (content in damaged + listOf(ByteArray(0), line.copyOf(100), line + line)) {
            file.writeBytes(content)
            val error = assertThrows(MemoryFileException::class.java) { privatizer().word("the") }
            assertTrue("nothing is released until it is restored" in error.message!!)
            assertArrayEquals(content, file.readBytes())
        }
        file.delete()
        Files.createSymbolicLink(file.toPath(), File(temporary.root, "other").toPath())
        assertThrows(MemoryFileException::class.java) { memory.key() }
    }

    @Test
    fun nothingTypedAndNoKeyIsShownOrStored() {
        privatizer().words(listOf(SECRET, "the"))
        val key = memory.key()
        assertFalse(secret() in "$memory $key ${privatizer()}")
        temporary.root.listFiles()!!.forEach { assertFalse(SECRET in it.readText()) }
        val permissions = Files.getPosixFilePermissions(file.toPath())
        assertEquals("rw-------", PosixFilePermissions.toString(permissions))
    }

    @Test
    fun aVaultKeepsTheKey() {
        val keys = mutableListOf<String>()
        val vault = object : KeyVault {
            override fun seal(key: ByteArray): ByteArray {
                keys += hexadecimal(key)
                return ByteArray(3) { 7 } + key.reversedArray()
            }

            override fun open(sealed: ByteArray) = sealed.drop(3).toByteArray().reversedArray()
        }
        memory = memoryOf(vault)
        val word = privatizer().word("the")
        assertEquals(word, privatizer().word("the"))
        pass(HOUR_MS)
        privatizer().word("the")
        assertEquals(2, keys.toSet().size)
        keys.forEach { assertFalse(it in file.readText()) }
        memory = memoryOf(null) // takes the stored content for a key of another length
        assertThrows(MemoryFileException::class.java) { memory.key() }
    }

    @Test
    fun aVaultThatFailsStopsReleases() {
        class Broken(val sealed: Int, val opened: Int) : KeyVault {
            override fun seal(key: ByteArray) =
                if (sealed < 0) throw java.io.IOException(SECRET) else ByteArray(sealed)

            override fun open(sealed: ByteArray) =
                if (opened < 0) error(SECRET) else ByteArray(opened)
        }
        for (vault in listOf(Broken(-1, 32), Broken(31, 32), Broken(1025, 32))) {
            memory = memoryOf(vault)
            val error = assertThrows(MemoryFileException::class.java) { privatizer().word("the") }
            assertFalse(SECRET in error.message!!)
            assertFalse(file.exists())
        }
        for (vault in listOf(Broken(32, -1), Broken(32, 31))) {
            memory = memoryOf(vault)
            runCatching { memory.key() } // the first key needn't be opened
            assertThrows(MemoryFileException::class.java) { privatizer().word("the") }
        }
    }

    @Test
    fun threadsGetOneKey() {
        val found = Collections.synchronizedSet(HashSet<String?>())
        val one = privatizer()
        List(8) { thread { repeat(10) { found += one.word("the") } } }.forEach(Thread::join)
        assertEquals(1, found.size)
    }

    @Test
    fun badParameters() {
        for (period in listOf(0.0, 0.5, Double.NaN, 1e13)) {
            assertThrows(ParameterException::class.java) { Memory(seconds(period), file) }
        }
        assertThrows(ParameterException::class.java) { Memory(HOUR, File("")) }
        assertThrows(ParameterException::class.java) {
            Privatizer(Work.bundle64, 0.5, secondEpsilon = 1.0)
        }
        assertThrows(ParameterException::class.java) {
            Privatizer(Work.bundle64, 0.5, memory = memory, secondEpsilon = 23.0)
        }
        assertNotEquals(null, Privatizer(Work.bundle64, 20.0, memory = memory).word("the"))
    }
}
