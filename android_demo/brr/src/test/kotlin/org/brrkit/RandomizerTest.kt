package org.brrkit

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.tensorflow.lite.InterpreterApi

/** The two implementations of the randomizer. TFLite itself runs the bundle's graph. */
class RandomizerTest {
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
    fun tfLiteReleasesTheGoldenWords() {
        for ((bundle, cases) in Vectors.cases("cases").groupBy({ it.first }, { it.second })) {
            TfLiteRandomizer(bundle, ::NativeInterpreter).use { graph ->
                for (case in cases) {
                    val privatizer = Privatizer(
                        bundle,
                        (case["epsilon"] as Number).toDouble(),
                        case["mechanism"] as String,
                        random = Replay(bytesOf(case["random"] as String)),
                        parameters = case.parameters(),
                        randomizer = graph,
                    )
                    assertEquals(case["output"], privatizer.released(bundle, case))
                }
            }
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

    /** Interpreters that compute something else, and their results for a code and a noised code. */
    @Test
    fun anInterpreterThatComputesSomethingElseIsRefused() {
        val changes = mapOf<String, (LongArray, LongArray) -> Unit>(
            "no noise" to { code, noised -> code.copyInto(noised) },
            "no code" to { code, noised ->
                for (i in code.indices) noised[i] = noised[i] xor code[i]
            },
            "zeros" to { _, noised -> noised.fill(0) },
            "a bit that always flips" to { _, noised ->
                noised[0] = noised[0] xor (1L shl 49)
            },
            "a bit that never flips" to { code, noised ->
                val kept = 1L shl 62
                noised[0] = noised[0] and kept.inv() or (code[0] and kept)
            },
            "other bits" to { code, noised ->
                noised[0] = code[0] xor java.lang.Long.reverse(code[0] xor noised[0])
            },
            "refuses" to { _, _ -> throw IllegalArgumentException() },
            "isn't prepared" to { _, _ -> throw IllegalStateException() },
        )
        for (bundle in Work.bundles.values) {
            for ((name, change) in changes) {
                val made = ArrayList<WrongInterpreter>()
                val error = assertThrows(name, ParameterException::class.java) {
                    TfLiteRandomizer(bundle) { WrongInterpreter(it, change = change).also(made::add) }
                }
                assertTrue(error.message, "doesn't run randomizer.tflite" in error.message!!)
                assertTrue(made.single().closed)
            }
            TfLiteRandomizer(bundle) { WrongInterpreter(it) { _, _ -> } }.close()
        }
    }

    /** Threads can't share an interpreter. This one detects a second thread. */
    @Test
    fun threadsTakeTurnsWithTheInterpreter() {
        val bundle = Work.bundle64
        val inside = AtomicInteger()
        var together = 0
        val graph = TfLiteRandomizer(bundle) {
            WrongInterpreter(it) { _, _ ->
                if (inside.incrementAndGet() > 1) together++
                Thread.sleep(1)
                inside.decrementAndGet()
            }
        }
        inThreads {
            val source = Random(Thread.currentThread().id)
            repeat(20) {
                val code = longArrayOf(source.nextLong())
                val random = source.nextBytes(4 * 64)
                val expected = code.copyOf().also { KotlinRandomizer.flip(it, random, 0) }
                graph.flip(code, random, 0)
                assertArrayEquals(expected, code) // the buffers are shared, too
            }
        }
        assertEquals(0, together)
    }

    private class WrongInterpreter(
        graph: ByteBuffer,
        private val native: NativeInterpreter = NativeInterpreter(graph),
        private val change: (code: LongArray, noised: LongArray) -> Unit,
    ) : InterpreterApi by native {
        var closed = false

        override fun runForMultipleInputsOutputs(inputs: Array<Any>, outputs: Map<Int, Any>) {
            val result = (outputs.getValue(0) as ByteBuffer).duplicate()
            val code = (inputs.map { it as ByteBuffer }.single { it.capacity() == result.capacity() })
                .duplicate().order(ByteOrder.nativeOrder()).asLongBuffer()
            val before = LongArray(code.remaining()).also(code::get)
            native.runForMultipleInputsOutputs(inputs, outputs)
            val longs = result.order(ByteOrder.nativeOrder()).asLongBuffer()
            val noised = LongArray(before.size) { longs.get(it) }
            change(before, noised)
            longs.put(noised)
        }

        override fun close() {
            closed = true
            native.close()
        }
    }

    private fun forEachGraph(check: (WordBundle, TfLiteRandomizer) -> Unit) {
        for (bundle in Work.bundles.values) {
            TfLiteRandomizer(bundle, ::NativeInterpreter).use { check(bundle, it) }
        }
    }
}

/** Runs [work] in 8 threads at once. Fails if one of them does. */
fun inThreads(work: () -> Unit) {
    val failures = java.util.concurrent.ConcurrentLinkedQueue<Throwable>()
    val threads = List(8) { Thread { runCatching(work).onFailure(failures::add) } }
    threads.forEach(Thread::start)
    threads.forEach(Thread::join)
    failures.firstOrNull()?.let { throw AssertionError("in a thread", it) }
}
