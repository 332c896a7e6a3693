package org.brrkit

import java.io.File
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.StandardCopyOption
import java.util.Collections
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class BundleTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Work.bundle64

    @Test
    fun neighborsAreTheNearestOtherWords() {
        val codes = List(bundle.size) { bundle.codes[it] }
        for (id in listOf(0, 7, bundle.size - 1)) {
            val ranked = (codes.indices - id).sortedBy { distance(codes[id], codes[it]) } // stable
            val expected =
                ranked.map { bundle.vocabulary.word(it) to distance(codes[id], codes[it]) }
            val word = bundle.vocabulary.word(id)
            fun nearest(word: String, k: Int) =
                bundle.neighbors(word, k).map { it.word to it.distance }
            assertEquals(expected.take(3), nearest(word.uppercase(), 3))
            assertEquals(expected, nearest(word, bundle.size - 1))
            assertEquals(10, bundle.neighbors(word).size)
        }
    }

    @Test
    fun neighborsTakesASensibleK() {
        for (k in listOf(0, -1, bundle.size, Int.MAX_VALUE)) {
            assertThrows(ParameterException::class.java) { bundle.neighbors("the", k) }
        }
        assertThrows(OutOfVocabularyException::class.java) { bundle.neighbors("qqqqzzzz", 3) }
    }

    @Test
    fun theManifestTellsTheDistances() {
        assertTrue(bundle.averageDistance!! in 20.0..40.0)
        assertTrue(bundle.maximumDistance!! in 40.0..64.0)
    }

    @Test
    fun aMissingDirectoryIsNamed() {
        val error = assertThrows(BundleException::class.java) { WordBundle.open(File("no/place")) }
        assertEquals("no/place: not a bundle directory; make one with 'brr build'", error.message)
    }

    @Test
    fun aFlippedBitOfAnyByteOfTheManifestIsRefused() {
        val content = Work.file("bundles/64/manifest.json").readBytes()
        assertEquals(64, readManifest("manifest.json", content, verifyHash = true).bits)
        val source = Random(1)
        for (at in content.indices) {
            val damaged = content.copyOf()
            damaged[at] = (damaged[at].toInt() xor (1 shl source.nextInt(8))).toByte()
            val error = assertThrows(BundleException::class.java) {
                readManifest("manifest.json", damaged, verifyHash = true)
            }
            assertTrue(error.message!!.startsWith("manifest.json: "))
        }
    }

    /** Without verified hashes, a damaged index is refused, or every word can be read. */
    @Test
    fun noDamageOfTheIndexLeadsAstray() {
        val folder = temporary.newFolder()
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
                val bundle = WordBundle.open(folder, verifyHashes = false)
                val words = List(bundle.size) { id -> bundle.vocabulary.word(id) }
                words.forEach(bundle.vocabulary::find)
                bundle.vocabulary.completions("s", 5)
                opened++
            } catch (error: BundleException) {
                assertTrue(error.message!!.startsWith(index.path))
            }
        }
        assertTrue("$opened", opened in 100..550) // letters for letters do no harm
    }

    /** Another thread hashes a large index. */
    @Test
    fun aChangedLargeIndexIsRefusedForItsHash() {
        val folder = temporary.newFolder()
        Work.file("large").copyRecursively(folder, overwrite = true)
        val index = File(folder, "index.safetensors")
        val content = index.readBytes()
        assertTrue(content.size > 1 shl 20)
        val codes = 8 + content.longAt(0).toInt()
        for (at in listOf(0, 8, codes, content.size - 1)) { // also where it damages the content
            val damaged = content.copyOf()
            damaged[at] = (damaged[at].toInt() xor 1).toByte()
            index.writeBytes(damaged)
            val error = assertThrows(BundleException::class.java) { WordBundle.open(folder) }
            val changed = "$index: changed since it was built (SHA-256); rebuild the bundle"
            assertEquals(changed, error.message)
        }
    }

    @Test
    fun anInterruptedThreadOpensALargeBundleAndStaysInterrupted() {
        val files = DirectoryFiles(Work.file("large"))
        val interrupting = object : BundleFiles by files {
            override fun map(name: String): ByteBuffer {
                Thread.interrupted() // it would close the file
                return files.map(name).also { Thread.currentThread().interrupt() }
            }
        }
        assertEquals(50_000, WordBundle.open(interrupting, true).size)
        assertTrue(Thread.interrupted())
    }

    @Test
    fun whatIsNotAFileIsRefusedAtOnce() {
        for (name in listOf("manifest.json", "index.safetensors", "randomizer.tflite")) {
            for (command in listOf("mkfifo", "mkdir", "ln -s /dev/zero", "ln -s $name")) {
                val folder = copyOf("64")
                File(folder, name).delete()
                val made = ProcessBuilder(command.split(" ") + name).directory(folder).start()
                assertEquals(0, made.waitFor())
                val error = assertThrows(BundleException::class.java) { WordBundle.open(folder) }
                assertTrue(error.message!!.startsWith("${File(folder, name)}: can't be read"))
            }
        }
    }

    @Test
    fun pathsThatCannotBeOpenedAreRefused() {
        for (path in listOf("n".repeat(300), "n/".repeat(3000), "nul\u0000", "lone\uD800")) {
            val error = assertThrows(BundleException::class.java) { WordBundle.open(File(path)) }
            assertTrue(error.message!!.length <= 400)
            assertTrue(error.message!!.endsWith("make one with 'brr build'"))
        }
    }

    @Test
    fun messagesAreShortAndPrintable() {
        val odd = "bell\u0007\nline\u001B[2J\u202E\u2028\u0085\uDC80"
        val long = File("start", odd + "👍".repeat(400))
        val message = assertThrows(BundleException::class.java) { WordBundle.open(long) }.message!!
        assertEquals(400, message.codePointCount(0, message.length))
        val escaped = "bell\\u0007\\u000aline\\u001b[2J\\u202e\\u2028\\u0085\\udc80👍"
        assertTrue(message, message.startsWith("start/$escaped"))
        assertTrue(message, message.endsWith("👍: not a bundle directory; make one with 'brr build'"))
        assertTrue(message.codePoints().noneMatch { it in 0xD800..0xDFFF })
    }

    /** No mixture and no error: at any time, one of the two is there, complete. */
    @Test
    fun aBundleThatIsReplacedIsOpenedOldOrNew() {
        val folder = temporary.newFolder()
        val current = File(folder, "current").toPath()
        val next = File(folder, "next").toPath()
        val builds = List(150) { build(File(folder, "$it"), if (it % 2 == 0) "64" else "256", it) }
        Files.createSymbolicLink(current, builds[0].toPath())
        val opened = Collections.synchronizedList(ArrayList<Int>())
        val enough = AtomicBoolean()
        val thread = Thread {
            var number = 0
            while (!enough.get()) {
                // Four while a bundle may be opened; then none, even on a busy machine. Two rounds may
                // fall into one opening, which is tried ten times.
                val before = opened.size
                repeat(4) {
                    Files.createSymbolicLink(next, builds[++number % builds.size].toPath())
                    Files.move(next, current, StandardCopyOption.ATOMIC_MOVE)
                    Thread.sleep(1L shl it)
                }
                while (opened.size == before && !enough.get()) Thread.sleep(1)
            }
        }
        thread.start()
        try {
            while (opened.size < 50 || listOf(64, 256).any { bits -> opened.count { it == bits } < 6 }) {
                opened += WordBundle.open(current.toFile(), verifyHashes = opened.size % 2 == 0).bits
            }
        } finally {
            enough.set(true)
            thread.join()
        }
    }

    /** Copies a bundle; no other has the same manifest, which ends with a [number] of spaces. */
    private fun build(folder: File, name: String, number: Int): File {
        Work.file("bundles/$name").copyRecursively(folder)
        val manifest = File(folder, "manifest.json")
        val text = manifest.readText() + " ".repeat(number)
        val digest = Regex("[0-9a-f]{64}").findAll(text).last().value
        val fitting = manifestDigest(text.toByteArray(), digest)
        manifest.writeText(text.replace(digest, fitting))
        return folder
    }

    @Test
    fun aBundleThatIsReplacedWithoutEndIsRefused() {
        val changing = object : BundleFiles {
            var reads = 0
            override fun path(name: String) = name
            override fun read(name: String, limit: Int) = byteArrayOf(reads++.toByte())
            override fun map(name: String) = throw UnsupportedOperationException()
        }
        val error = assertThrows(BundleException::class.java) { WordBundle.open(changing, true) }
        assertTrue(error.message!!.startsWith("manifest.json: replaced again and again"))
    }

    private fun copyOf(name: String): File {
        val folder = temporary.newFolder()
        Work.file("bundles/$name").copyRecursively(folder, overwrite = true)
        return folder
    }

    private fun distance(a: LongArray, b: LongArray) =
        a.indices.sumOf { java.lang.Long.bitCount(a[it] xor b[it]) }
}
