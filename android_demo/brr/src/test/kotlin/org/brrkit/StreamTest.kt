package org.brrkit

import java.io.File
import java.time.Duration
import kotlin.random.Random
import org.brrkit.mechanisms.Ingredients
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

private const val UNKNOWN = "hunter2secret"

/** A draw depends on the previously released word of its text, and on nothing else. */
class StreamTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Work.bundle64
    private val words = List(60) { bundle.vocabulary.word(it * it % 97) }

    /** Bytes that are the same each time. [skip] skips the first ones. */
    private fun bytes(skip: Int = 0, seed: Int = 1) =
        Random(seed).nextBytes(60_000).let { Replay(it.drop(skip).toByteArray()) }

    private fun privatizer(
        random: RandomSource = bytes(),
        oov: Oov = Oov.RANDOM,
        memory: Memory? = null,
        base: String = "bigram",
    ) = Privatizer(
        bundle,
        0.5,
        oov = oov,
        memory = memory,
        random = random,
        parameters = mapOf("base" to base),
    )

    private fun after(before: String, privatizer: Privatizer) =
        Privatizer.Stream(privatizer, bundle.vocabulary.find(before))

    @Test
    fun aStreamIsAText() {
        for (base in listOf("uniform", "unigram", "bigram")) {
            val stream = privatizer(base = base).stream()
            val released = words.map(stream::word)
            assertEquals(released, privatizer(base = base).words(words))
            val text = privatizer(base = base).text(words.joinToString(" "))
            assertEquals(released.joinToString(" "), text)
        }
    }

    @Test
    fun eachTextAndEachStreamBeginsAnew() {
        val single = privatizer()
        val expected = words.map(single::word)
        assertEquals(expected, privatizer().texts(words))
        val streams = privatizer()
        assertEquals(expected, words.map { streams.stream().word(it) })
        assertNotEquals("history makes a difference", expected, privatizer().words(words))
    }

    /** Only the base bigram looks back. */
    @Test
    fun otherBasesHaveNoHistory() {
        for (base in listOf("uniform", "unigram")) {
            val single = privatizer(base = base)
            assertEquals(words.map(single::word), privatizer(base = base).words(words))
        }
    }

    /**
     * Whatever was typed: the next word depends on what came out. Of the draws about 17% would differ after what
     * was typed: that none of 180 does, with bytes of their own, has a probability below 1e-14.
     */
    @Test
    fun theHistoryIsWhatWasReleased() {
        var different = 0
        for ((seed, typed) in (words + words + words).withIndex()) {
            val random = bytes(seed = seed)
            val stream = privatizer(random).stream()
            val first = stream.word(typed)!!
            val taken = 60_000 - random.left
            val second = stream.word("the")
            assertEquals(after(first, privatizer(bytes(taken, seed))).word("the"), second)
            if (after(typed, privatizer(bytes(taken, seed))).word("the") != second) different++
        }
        assertTrue("$different", different > 0)
    }

    @Test
    fun aWordThatIsLeftOutChangesNothing() {
        for (memory in listOf(null, memory())) {
            val gaps = privatizer(oov = Oov.DROP, memory = memory).stream()
            val plain = privatizer(oov = Oov.DROP, memory = memory).stream()
            assertNull(gaps.word(UNKNOWN))
            for (word in words) {
                assertEquals(plain.word(word), gaps.word(word))
                assertNull(gaps.word(UNKNOWN))
            }
        }
    }

    @Test
    fun aWordThatIsRefusedChangesNothing() {
        val refusing = privatizer(oov = Oov.ERROR).stream()
        val plain = privatizer(oov = Oov.ERROR).stream()
        for (word in words) {
            assertThrows(OutOfVocabularyException::class.java) { refusing.word(UNKNOWN) }
            assertEquals(plain.word(word), refusing.word(word))
        }
    }

    /** A first draw is that of a text's first word. The second draw depends on the previously released word. */
    @Test
    fun withAMemoryOnlySecondDrawsHaveAHistory() {
        val memory = memory()
        val key = memory.key()
        val mechanism = Mechanism.exponential(base = Base.BIGRAM)
        val (first, second) = listOf(0.5, 1.0).map {
            mechanism.sampler(Ingredients(bundle, it, KotlinRandomizer))
        }
        val stream = privatizer(memory = memory).stream()
        val random = bytes()
        var before = Masses.NONE
        for (word in words) {
            val draw = key.draw(bundle.digest, first.setting, word)
            val code = bundle.codes[bundle.vocabulary.find(word)]
            val middle = first.release(listOf(code), draw, Masses.NONE)[0]
            before = second.release(listOf(bundle.codes[middle]), random, before)[0]
            assertEquals(bundle.vocabulary.word(before), stream.word(word))
        }
        val text = privatizer(memory = memory).words(words)
        val again = privatizer(memory = memory).stream()
        assertEquals(text, words.map(again::word))
    }

    private fun memory() =
        Memory(Duration.ofDays(1), File(temporary.newFolder(), "key"))
}
