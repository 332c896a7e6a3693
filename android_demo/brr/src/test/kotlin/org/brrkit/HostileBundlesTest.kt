package org.brrkit

import java.nio.ByteBuffer
import java.security.MessageDigest
import java.util.Base64
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Assume.assumeTrue
import org.junit.Test

/**
 * The bundles that the Python runtime's tests open: those that it refuses are refused here, for the same file and
 * the same field (`tests/phones/hostile.py`).
 */
class HostileBundlesTest {
    private val cases = Work.cases("hostile/cases.jsonl")

    private fun open(case: Map<*, *>): WordBundle =
        WordBundle.open(folder(case), case["verify_hashes"] as Boolean)

    private fun folder(case: Map<*, *>) = Work.file("hostile/${case["bundle"]}")

    @Test
    fun whatPythonOpensIsOpened() {
        val good = cases.filter { it["error"] == null }
        assertTrue(good.size >= 10)
        for (case in good) assertTrue("$case", open(case).size >= 2)
    }

    @Test
    fun whatPythonRefusesIsRefused() {
        val hostile = cases.filter { it["error"] != null }
        assertTrue(hostile.size >= 400)
        for (case in hostile) {
            val error = assertThrows("$case", BundleException::class.java) { open(case) }
            val message = error.message!!.replace(folder(case).path, "BUNDLE")
            assertTrue(message, message.length <= 400 && '\n' !in message)
            assertNull(message, error.cause)
            val expected = case["error"] as String
            assertEquals(expected, fileIn(expected), fileIn(message))
            assertEquals(expected, quotedIn(expected), quotedIn(message))
        }
    }

    /**
     * Bundles in memory, new ones in the nightly tests: both runtimes open them and find the same words, or both
     * refuse them. Earlier findings are among the others.
     */
    @Test
    fun theVerdictOnMutantsIsPythonS() {
        assumeTrue("there are mutants each night", Work.file("mutants.jsonl").exists())
        val mutants = Work.cases("mutants.jsonl")
        val base = mutants[0]["base"] as Map<*, *>
        val differing = mutants.drop(1).filter { verdict(Mutant(base, it)) != it["verdict"] }
        assertEquals("${differing.take(3)}", 0, differing.size)
        val opened = mutants.count { (it["verdict"] as? String)?.startsWith("opened") == true }
        assertTrue("$opened of ${mutants.size}", 10 * opened > mutants.size)
    }

    private fun verdict(mutant: Mutant): String {
        val bundle = try {
            WordBundle.open(mutant, mutant.verifyHashes)
        } catch (error: BundleException) {
            assertTrue(error.message!!.codePoints().count() <= 400)
            return "refused"
        }
        val words = List(bundle.size, bundle.vocabulary::word)
        for (word in words) {
            val found = bundle.vocabulary.find(word)
            assertTrue(found < 0 || words[found] == word)
        }
        bundle.tokenize(words.joinToString(" "))
        assertTrue(Counts(bundle, CountsSetting(1.0)).word(words[0]) in words + Counts.UNKNOWN)
        for (name in if (bundle.listOf == null) listOf("brr", "vickrey", "exponential") else emptyList()) {
            assertTrue(Privatizer(bundle, 1.0, name).word(words[0]) in words)
        }
        val setting = try {
            Privatizer(bundle)
            "recommended"
        } catch (_: BundleException) {
            "recommended, unknown"
        } catch (_: ParameterException) {
            "none recommended"
        }
        val sha256 = MessageDigest.getInstance("SHA-256")
        for (word in words) sha256.update("$word\n".toByteArray())
        return "opened: ${bundle.bits} bits, $setting, ${sha256.hexadecimal()}"
    }

    /** The files of a mutant, which names its differences from the base. */
    private class Mutant(base: Map<*, *>, case: Map<*, *>) : BundleFiles {
        private val files = base + case["files"] as Map<*, *>
        val verifyHashes = case["verify_hashes"] as Boolean

        override fun path(name: String) = "mutant/$name"

        override fun read(name: String, limit: Int): ByteArray {
            val content = files[name] as String? ?: throw BundleException("$name: missing")
            return Base64.getDecoder().decode(content).let { it.copyOf(minOf(it.size, limit + 1)) }
        }

        override fun map(name: String): ByteBuffer {
            val content = read(name, Int.MAX_VALUE - 1)
            if (content.isEmpty()) throw BundleException("$name: empty")
            return ByteBuffer.wrap(content).asReadOnlyBuffer()
        }
    }

    private fun fileIn(message: String) = message.substringBefore(": ")

    /** Returns the names of fields and tensors in a message. */
    private fun quotedIn(message: String) =
        Regex("'([^']*)'").findAll(message).map { it.value }.toList()
}
