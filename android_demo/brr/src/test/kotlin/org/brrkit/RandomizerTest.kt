package org.brrkit

import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import java.io.File
import java.nio.ByteBuffer
import kotlin.random.Random

/** The two forms of the randomizer; the bundle's graph is run by TFLite itself. */
class RandomizerTest {
    @get:Rule
    val temporary = TemporaryFolder()

    @Test
    fun flipsFollowTheSpecification() {
        val threshold = 5 + Int.MIN_VALUE
        val random = ByteArray(4 * 64) { if (it % 4 == 3) 0x7F else -1 }
        fun set(bit: Int, number: Int) =
            repeat(4) { random[4 * bit + it] = (number ushr 8 * it).toByte() }
        set(0, Int.MIN_VALUE)
        set(9, threshold - 1)
        set(63, threshold)
        val code = longArrayOf(0)
        KotlinRandomizer.flip(code, random, threshold)
        assertEquals(0x201L, code[0])
        KotlinRandomizer.flip(code, random, threshold)
        assertEquals(0L, code[0])
    }

    @Test
    fun tfLiteGivesTheSameBits() = forEachGraph { bundle, graph ->
        val source = Random(bundle.bits)
        val thresholds = listOf(1L, 2, 1L shl 31, flipThreshold(0.01), flipThreshold(22.18)) +
            List(100) { flipThreshold(source.nextDouble(0.001, 8.0)) }
        for (threshold in thresholds.map { (it + Int.MIN_VALUE).toInt() }) {
            val code = LongArray(bundle.bits / 64) { source.nextLong() }
            val random = source.nextBytes(4 * bundle.bits)
            val border = source.nextInt(bundle.bits) // there, the number is T or T - 1
            val number = threshold - source.nextInt(2)
            repeat(4) { random[4 * border + it] = (number ushr 8 * it).toByte() }
            val expected = code.copyOf()
            KotlinRandomizer.flip(expected, random, threshold)
            graph.flip(code, random, threshold)
            assertArrayEquals(expected, code)
        }
    }

    @Test
    fun tfLiteReleasesTheGoldenWords() = forEachGraph { bundle, graph ->
        val content = Work.file("bundles/${bundle.bits}/parity.json").readBytes()
        for (case in (parseJson(content) as Map<*, *>)["cases"] as List<*>) {
            case as Map<*, *>
            val privatizer = Privatizer(
                bundle,
                (case["epsilon"] as Number).toDouble(),
                case["mechanism"] as String,
                random = Replay(bytesOf(case["random"] as String)),
                parameters = case.parameters(),
                randomizer = graph,
            )
            assertEquals(case["output"], privatizer.word(case["word"] as String))
        }
    }

    @Test
    fun tfLiteIsSharedByThreads() = forEachGraph { bundle, graph ->
        val random = Random(1).nextBytes(4 * bundle.bits)
        val expected = LongArray(bundle.bits / 64).also { KotlinRandomizer.flip(it, random, 0) }
        inThreads {
            repeat(50) {
                val code = LongArray(bundle.bits / 64)
                graph.flip(code, random, 0)
                assertArrayEquals(expected, code)
            }
        }
    }

    @Test
    fun anotherGraphIsRefused() {
        val other = Work.file("bundles/256/randomizer.tflite").readBytes()
        val short = other.copyOf(4)
        val claims = ByteArray(100).also { "TFL3".toByteArray().copyInto(it, 4) }
        val zeros = ByteArray(100)
        for (graph in listOf(other, short, claims, zeros, ByteArray(3000) { -1 })) {
            // Nothing is started for what isn't TFLite: some interpreters crash.
            val create: (ByteBuffer) -> NativeInterpreter = {
                assertTrue(graph === other || graph === claims)
                require(graph !== claims) // TFLite itself crashes on it; its Java classes refuse it
                NativeInterpreter(it)
            }
            val bundle = bundleWith(graph)
            val error = assertThrows(BundleException::class.java) {
                TfLiteRandomizer(bundle, create)
            }
            assertTrue(error.message, "randomizer.tflite isn't a randomizer" in error.message!!)
        }
    }

    private fun forEachGraph(check: (Bundle, TfLiteRandomizer) -> Unit) {
        for (bundle in Work.bundles.values) {
            TfLiteRandomizer(bundle, ::NativeInterpreter).use { check(bundle, it) }
        }
    }

    private fun bundleWith(graph: ByteArray): Bundle {
        val folder = temporary.newFolder()
        Work.file("bundles/64").copyRecursively(folder, overwrite = true)
        File(folder, "randomizer.tflite").writeBytes(graph)
        val manifest = File(folder, "manifest.json")
        val size = "\"size\": ${Work.file("bundles/64/randomizer.tflite").length()}"
        manifest.writeText(manifest.readText().replace(size, "\"size\": ${graph.size}"))
        return Bundle.open(folder, verifyHashes = false)
    }
}

/** Runs [work] in 8 threads at once; fails when one of them does. */
fun inThreads(work: () -> Unit) {
    val failures = java.util.concurrent.ConcurrentLinkedQueue<Throwable>()
    val threads = List(8) { Thread { runCatching(work).onFailure(failures::add) } }
    threads.forEach(Thread::start)
    threads.forEach(Thread::join)
    failures.firstOrNull()?.let { throw AssertionError("in a thread", it) }
}
