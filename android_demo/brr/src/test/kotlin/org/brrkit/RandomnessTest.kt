package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertSame
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File
import java.security.ProviderException
import java.security.SecureRandom
import java.util.concurrent.TimeUnit

private const val BLOCK = 8

/** In production, randomness is the system's, new in every process, and each byte is used once. */
class RandomnessTest {
    private val mechanisms = listOf("brr", "vickrey", "exponential")

    @Test
    fun theSourceIsTheSystems() {
        val source: Any = SystemRandom.source
        assertEquals(SecureRandom::class.java, source.javaClass)
        // On Linux the default reads /dev/urandom; a seeded "SHA1PRNG" would be predictable.
        assertEquals(SecureRandom().algorithm, (source as SecureRandom).algorithm)
        assertEquals(SecureRandom().provider, source.provider)
    }

    @Test
    fun itIsWhatAPrivatizerUses() {
        val privatizer = Privatizer(Work.bundle64, 1.0)
        val source = Privatizer::class.java.getDeclaredField("random")
        source.isAccessible = true
        assertSame(SystemRandom, source.get(privatizer))
    }

    @Test
    fun aSystemWithoutRandomBytesIsALibrarysError() {
        val none = object : SecureRandom() {
            override fun nextBytes(bytes: ByteArray): Unit = throw ProviderException("secret")
        }
        val error = assertThrows(RandomnessException::class.java) {
            SystemRandom.fill(ByteArray(BLOCK), none)
        }
        assertEquals("the system provides no random bytes; nothing was released", error.message)
    }

    /** False alarm: 1e-70. */
    @Test
    fun everyProcessHasOtherBytes() {
        val drawn = listOf(bytesOfANewProcess(), bytesOfANewProcess(), bytesOfThisProcess())
        assertEquals("$drawn", 3, drawn.toSet().size)
        for (bytes in drawn) assertEquals(2 * FIRST_BYTES, bytes.length)
    }

    /** False alarm: 1e-9, of 100,000 blocks of which two are equal. */
    @Test
    fun noBlockComesTwice() {
        val bytes = ByteArray(100_000 * BLOCK).also(SystemRandom::fill)
        assertEquals(100_000, blocks(bytes).toSet().size)
    }

    /** False alarm: 1e-9, of 13,000 blocks at most of which two are equal. */
    @Test
    fun everyWordTakesItsOwnBytes() = mechanisms.forEach { mechanism ->
        val single = List(200) { taken(mechanism, 1) }
        val together = taken(mechanism, 200)
        val least = single.minOf { it.size }
        assertTrue("$mechanism: $least bytes", least >= 2 * BLOCK)
        assertTrue("$mechanism: ${together.size} bytes", together.size >= 200 * least)
        if (mechanism == "brr") assertEquals(200 * 64 * Int.SIZE_BYTES, together.size)
        val all = single.flatMap(::blocks) + blocks(together)
        assertEquals(mechanism, all.size, all.toSet().size)
    }

    @Test
    fun everyByteOfTheNoiseCounts() {
        // The output with all bits flipped differs from that with none, so the bytes decide, not the mechanism.
        val bundle = Work.bundle64
        val word = bundle.vocabulary.word(0)
        fun released(byte: Int): String {
            val bytes = ByteArray(64 * Int.SIZE_BYTES) { byte.toByte() }
            return Privatizer(bundle, 1.0, "brr", random = Replay(bytes)).word(word)!!
        }
        assertEquals(word, released(0))
        assertNotEquals(word, released(0x80))
    }

    /** Returns the number of bytes that a call with a number of words takes. */
    private fun taken(mechanism: String, words: Int): ByteArray {
        var taken = ByteArray(0)
        val recording = RandomSource { bytes ->
            SystemRandom.fill(bytes)
            taken += bytes
        }
        Privatizer(Work.bundle64, 0.5, mechanism, random = recording).words(List(words) { "the" })
        return taken
    }

    private fun blocks(bytes: ByteArray): List<Long> =
        (0..bytes.size - BLOCK step BLOCK).map(bytes::longAt)

    private fun bytesOfANewProcess(): String {
        val java = File(System.getProperty("java.home"), "bin/java").path
        val classes = System.getProperty("java.class.path")
        val process = ProcessBuilder(java, "-cp", classes, "org.brrkit.FirstBytes")
            .redirectErrorStream(true).start()
        process.outputStream.close()
        val output = process.inputStream.bufferedReader().readText().trim()
        assertTrue("a new process goes on", process.waitFor(10, TimeUnit.MINUTES))
        assertEquals(output, 0, process.exitValue())
        return output
    }
}

private const val FIRST_BYTES = 32

private fun bytesOfThisProcess(): String =
    hexadecimal(ByteArray(FIRST_BYTES).also(SystemRandom::fill))

/** A program that prints the first random bytes of its process. */
object FirstBytes {
    @JvmStatic
    fun main(arguments: Array<String>) {
        check(arguments.isEmpty())
        println(bytesOfThisProcess())
    }
}
