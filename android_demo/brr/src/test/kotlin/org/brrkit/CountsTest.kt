package org.brrkit

import java.io.File
import java.time.Duration
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class CountsTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Work.bundle64
    private val words = List(30) { bundle.vocabulary.word(it) }

    /** Recommends 9.25 and 20 words a day. */
    private val recommending by lazy {
        val folder = temporary.newFolder()
        Work.file("bundles/64").copyRecursively(folder, overwrite = true)
        val manifest = File(folder, "manifest.json")
        val field = """"counts": {"cap": 9.25, "words_a_day": 20, "goal": "g", "measured": {"isolated": 1}}"""
        manifest.writeText(manifest.readText().replaceFirst("{", "{$field,"))
        WordBundle.open(folder, verifyHashes = false)
    }

    private fun memory() = Memory(Duration.ofDays(30), File(temporary.root, "memory"))

    /** The duration then doesn't reveal a kept word. With a memory, the first draws are both kinds. */
    @Test
    fun aKeptWordTakesAsManyNumbersAsAnother() {
        val threshold = keepThreshold(9.0, bundle.size + 1)
        val taken = HashSet<List<Int>>()
        for (number in listOf(0, threshold - 1, threshold, Long.MAX_VALUE)) {
            val given = Replay(eightBytes(number) + eightBytes(7))
            val sizes = ArrayList<Int>()
            val counts = Counts.Builder(bundle).setting(CountsSetting(9.0)).random { sizes += it.size; given.fill(it) }.build()
            assertEquals(if (number < threshold) "london" else words[7], counts.word("London"))
            taken += sizes
        }
        assertEquals(setOf(listOf(8, 8)), taken)
    }

    /** One of its own would be a pseudonym. Ten equal symbols of 2,001: false alarm: 1e-29. */
    @Test
    fun unknownWordsShareOneFirstDraw() {
        val typed = List(10) { "qxqxq$it" } + listOf("", "two words", "\ud800")
        val firsts = List(10) {
            val memory = Memory(Duration.ofDays(30), File(temporary.newFolder(), "memory"))
            val counts = Counts.Builder(bundle).setting(CountsSetting(1e-9)).secondCap(88.0).memory(memory).build()
            counts.words(typed).toSet().single()
        }
        assertTrue("$firsts", firsts.toSet().size > 1)
    }

    @Test
    fun theLossIsTheCapNearly() {
        for (cap in listOf(1e-9, 0.1, 9.25, 30.0)) {
            val loss = Counts(bundle, CountsSetting(cap)).loss
            assertTrue("$loss", loss <= cap && loss > cap * (1 - 1e-7))
        }
        val most = keepThreshold(88.0, bundle.size + 1)
        assertEquals("one draw of 2^63 gives any word", Long.MAX_VALUE, most)
    }

    @Test
    fun whatTheBundleRecommends() {
        val setting = recommending.counts!!
        assertEquals(listOf(9.25, 20, "g"), listOf(setting.cap, setting.wordsADay, setting.goal))
        assertEquals(mapOf("isolated" to 1.0), setting.measured)
        val counts = Counts(recommending)
        assertEquals(9.25, counts.setting.cap, 0.0)
        assertNull(counts.secondCap)
        assertNull(bundle.counts)
        val error = assertThrows(ParameterException::class.java) { Counts(bundle) }
        assertTrue(error.message!!, "brr calibrate --for counts --write" in error.message!!)
    }

    @Test
    fun theSettingIsStatedAsReportsHaveIt() {
        fun json(text: String) = parseJson("[$text]".toByteArray()) as List<*>
        assertEquals("\"counts\"", Counts(recommending).stated(1))
        val stated = mapOf<String, Any>("mechanism" to "counts", "cap" to 9.25)
        assertEquals(listOf(stated), json(Counts(recommending, CountsSetting(9.25)).stated(1)))
        val remembering = Counts.Builder(recommending).memory(memory()).build()
        val withMemory = stated + mapOf("second_cap" to 18.5, "repeats" to 640L)
        assertEquals(listOf(withMemory), json(remembering.stated(640)))
        val small = json(Counts(bundle, CountsSetting(1e-9)).stated(1)).single() as Map<*, *>
        assertEquals(1e-9, small["cap"])
    }

    @Test
    fun theSecondCapIsTwiceTheFirst() {
        val builder = Counts.Builder(bundle).memory(memory())
        assertEquals(9.0, builder.setting(CountsSetting(4.5)).build().secondCap)
        assertEquals(88.0, builder.setting(CountsSetting(60.0)).build().secondCap)
        assertEquals(5.0, builder.secondCap(5.0).build().secondCap)
        assertEquals(keepLoss(keepThreshold(60.0, bundle.size + 1), bundle.size + 1), builder.build().loss, 0.0)
    }

    /**
     * First draws among 2,001 symbols: 30 equal ones, or a second one that isn't kept.
     * False alarm: 1e-15.
     */
    @Test
    fun aWordIsDrawnTheSameForAPeriod() {
        val typed = words + listOf("qxqxq", "another one", "")
        val counts = Counts.Builder(bundle).setting(CountsSetting(1e-9)).secondCap(88.0).memory(memory()).build()
        val first = counts.words(typed)
        assertTrue("$first", first.toSet().size > 20)
        repeat(3) { assertEquals(first, counts.words(typed)) }
        assertEquals(first, typed.map { counts.word(it.uppercase()) })
        // With another cap, the first draw is another one.
        val other = Counts.Builder(bundle).setting(CountsSetting(2e-9)).secondCap(88.0).memory(memory()).build()
        assertTrue(first.zip(other.words(typed)).count { (a, b) -> a == b } < 10)
    }

    /** By default the source is the system's: 33 words come out alike. False alarm: 1e-70. */
    @Test
    fun drawsAreFresh() {
        val counts = Counts(bundle, CountsSetting(1e-9))
        val released = counts.words(List(33) { "london" })
        assertFalse("$released", released.toSet().size < 5)
        assertTrue(released.all { it.isEmpty() || bundle.vocabulary.find(it) >= 0 })
    }

    @Test
    fun badParameters() {
        for (cap in listOf(0.0, -1.0, 9e-10, 88.1, Double.NaN, Double.POSITIVE_INFINITY)) {
            assertThrows(ParameterException::class.java) { Counts(bundle, CountsSetting(cap)) }
            val builder = Counts.Builder(bundle).setting(CountsSetting(9.0)).memory(memory()).secondCap(cap)
            assertThrows(ParameterException::class.java) { builder.build() }
        }
        val alone = Counts.Builder(bundle).setting(CountsSetting(9.0)).secondCap(9.0)
        assertThrows(ParameterException::class.java) { alone.build() }
    }
}
