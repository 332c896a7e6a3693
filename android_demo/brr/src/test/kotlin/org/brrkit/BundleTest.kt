package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File
import java.nio.ByteBuffer
import java.nio.file.Files
import kotlin.random.Random

class BundleTest {
    private val bundle = Work.bundle64

    @Test
    fun neighborsAreTheNearestOtherWords() {
        val codes = List(bundle.size) { bundle.codes[it] }
        for (id in listOf(0, 7, bundle.size - 1)) {
            val ranked = (codes.indices - id).sortedBy { distance(codes[id], codes[it]) } // stable
            val expected = ranked.map(bundle.vocabulary::word)
            val word = bundle.vocabulary.word(id)
            assertEquals(expected.take(10), bundle.neighbors(word.uppercase(), 10))
            assertEquals(expected, bundle.neighbors(word, bundle.size - 1))
        }
    }

    @Test
    fun neighborsTakesASensibleK() {
        for (k in listOf(0, -1, bundle.size, Int.MAX_VALUE)) {
            assertThrows(ParameterException::class.java) { bundle.neighbors("the", k) }
        }
        assertEquals(emptyList<String>(), bundle.neighbors("qqqqzzzz", 3))
    }

    @Test
    fun theManifestTellsTheDistances() {
        assertTrue(bundle.manifest.averageDistance!! in 20.0..40.0)
        assertTrue(bundle.manifest.maximumDistance!! in 40.0..64.0)
    }

    @Test
    fun aMissingDirectoryIsNamed() {
        val error = assertThrows(BundleException::class.java) { Bundle.open(File("no/place")) }
        assertEquals("no/place: not a bundle directory; make one with 'brr build'", error.message)
    }

    @Test
    fun anyFlippedBitOfTheManifestIsRefused() {
        val content = Work.file("bundles/64/manifest.json").readBytes()
        assertEquals(64, readManifest(Content(content), verifyHash = true).bits)
        for (bit in content.indices.flatMap { at -> List(8) { 8 * at + it } }) {
            val damaged = content.copyOf()
            damaged[bit / 8] = (damaged[bit / 8].toInt() xor (1 shl bit % 8)).toByte()
            val error = assertThrows(BundleException::class.java) {
                readManifest(Content(damaged), verifyHash = true)
            }
            assertTrue(error.message!!.startsWith("manifest.json: "))
        }
    }

    /** Where hashes aren't verified, a damaged index is refused, or every word can be read. */
    @Test
    fun noDamageOfTheIndexLeadsAstray() {
        val folder = Files.createTempDirectory("brr").toFile()
        Work.file("bundles/64").copyRecursively(folder, overwrite = true)
        val index = File(folder, "index.safetensors")
        val content = index.readBytes()
        val codes = 8 + content.longAt(0).toInt() + 8 * bundle.size
        val source = Random(1)
        var opened = 0
        repeat(600) {
            val damaged = content.copyOf()
            // Not in the codes: any bits are a code.
            val at = if (it % 6 == 0) source.nextInt(400) else source.nextInt(codes, content.size)
            damaged[at] = source.nextInt().toByte()
            index.writeBytes(damaged)
            try {
                val bundle = Bundle.open(folder, verifyHashes = false)
                val words = List(bundle.size) { id -> bundle.vocabulary.word(id) }
                words.forEach(bundle.vocabulary::find)
                bundle.vocabulary.completions("s", 5)
                opened++
            } catch (error: BundleException) {
                assertTrue(error.message!!.startsWith(index.path))
            }
        }
        assertTrue("$opened", opened in 100..550) // letters for letters do no harm
        folder.deleteRecursively()
    }

    private fun distance(a: LongArray, b: LongArray) =
        a.indices.sumOf { java.lang.Long.bitCount(a[it] xor b[it]) }

    private class Content(private val manifest: ByteArray) : BundleFiles {
        override fun path(name: String) = name
        override fun read(name: String, limit: Int) = manifest
        override fun map(name: String): ByteBuffer = throw UnsupportedOperationException()
    }
}
