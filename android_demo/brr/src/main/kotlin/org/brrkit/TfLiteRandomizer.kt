package org.brrkit

import java.io.Closeable
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.random.Random
import org.tensorflow.lite.DataType
import org.tensorflow.lite.InterpreterApi

/** Creates the interpreter that runs a bundle's graph. */
public fun interface InterpreterFactory {
    /** Returns an interpreter for a [graph], for this use only. */
    public fun create(graph: ByteBuffer): InterpreterApi
}

/**
 * The randomizer as the bundle's TFLite graph, for apps that already contain TFLite (LiteRT).
 *
 * It has one interpreter. Threads take turns.
 *
 * ```
 * Privatizer.Builder(bundle).epsilon(0.5).randomizer(TfLiteRandomizer(bundle)).build()
 * ```
 *
 * @param bundle an opened bundle.
 * @param create creates the interpreter; by default TFLite's own, on one thread, and without delegates, which
 *   can't speed up six integer operations.
 * @throws ParameterException the interpreter doesn't run the graph correctly, or the bundle is a list.
 */
public class TfLiteRandomizer @JvmOverloads constructor(
    bundle: WordBundle,
    create: InterpreterFactory = InterpreterFactory(::createInterpreter),
) : Randomizer, Closeable {
    private val bits = bundle.bits
    private val code = direct(bits / Byte.SIZE_BITS)
    private val random = direct(bits * Int.SIZE_BYTES)
    private val threshold = direct(Int.SIZE_BYTES)
    private val result = direct(bits / Byte.SIZE_BITS)
    private val interpreter: InterpreterApi
    private val inputs: Array<Any>

    init {
        checkCodes(bundle)
        val graph = checkNotNull(bundle.graph).duplicate().order(ByteOrder.nativeOrder())
        interpreter = orWrong { create.create(graph) }
        try {
            inputs = orWrong(::prepare)
            if (!orWrong(::flipsRight)) throw wrongInterpreter()
        } catch (error: RuntimeException) {
            interpreter.close()
            throw error
        }
    }

    override fun flip(code: LongArray, random: ByteArray, threshold: Int): Unit =
        synchronized(this) {
            for (buffer in arrayOf(this.code, this.random, this.threshold, result)) {
                buffer.restart()
            }
            this.code.asLongBuffer().put(code)
            this.random.duplicate().put(random)
            this.threshold.putInt(0, threshold)
            interpreter.runForMultipleInputsOutputs(inputs, mapOf(0 to result))
            result.restart()
            result.asLongBuffer().get(code)
        }

    /** Frees the interpreter. */
    override fun close(): Unit = synchronized(this) { interpreter.close() }

    /** Sets the graph's shapes. Returns the buffers in the order of its inputs. */
    private fun prepare(): Array<Any> {
        val indexes = listOf(
            input("code", bits / Int.SIZE_BITS),
            input("random", bits),
            input("threshold", null),
        )
        require(indexes.sorted() == (0 until interpreter.inputTensorCount).toList())
        interpreter.resizeInput(indexes[0], intArrayOf(1, bits / Int.SIZE_BITS))
        interpreter.resizeInput(indexes[1], intArrayOf(1, bits))
        interpreter.allocateTensors()
        val buffers = listOf<Any>(code, random, threshold)
        return Array(buffers.size) { buffers[indexes.indexOf(it)] }
    }

    /** Returns the index of an input for rows of [width] numbers, or for one number. */
    private fun input(name: String, width: Int?): Int {
        val shape = if (width == null) intArrayOf() else intArrayOf(-1, width)
        val index = (0 until interpreter.inputTensorCount).firstOrNull {
            val tensor = interpreter.getInputTensor(it)
            // The converter extends names, as in "serving_default_code:0".
            name in tensor.name() && tensor.shapeSignature().contentEquals(shape) &&
                tensor.dataType() == DataType.INT32
        }
        return requireNotNull(index)
    }

    /**
     * Tells whether the interpreter's result equals that of [KotlinRandomizer] for a few codes.
     *
     * [WordBundle.open] has checked the graph. This checks the interpreter, which can be any: one that adds no
     * noise would release the typed words.
     */
    private fun flipsRight(): Boolean {
        val source = Random(0) // any codes will do
        return listOf(0, Int.MIN_VALUE + 1, source.nextInt(Int.MIN_VALUE, 0)).all { threshold ->
            val code = LongArray(bits / Long.SIZE_BITS) { source.nextLong() }
            val numbers = ByteBuffer.wrap(source.nextBytes(random.capacity()))
                .order(ByteOrder.LITTLE_ENDIAN)
            // Every second random number is next to the threshold.
            for (bit in 0 until bits step 2) {
                numbers.putInt(Int.SIZE_BYTES * bit, threshold - source.nextInt(2))
            }
            val expected = code.copyOf()
            KotlinRandomizer.flip(expected, numbers.array(), threshold)
            flip(code, numbers.array(), threshold)
            code.contentEquals(expected)
        }
    }
}

/** Runs code in which TFLite's failures are an IllegalArgumentException or an IllegalStateException. */
private inline fun <T> orWrong(action: () -> T): T = try {
    action()
} catch (_: IllegalArgumentException) {
    throw wrongInterpreter()
} catch (_: IllegalStateException) {
    throw wrongInterpreter()
}

private fun createInterpreter(graph: ByteBuffer): InterpreterApi =
    InterpreterApi.create(graph, InterpreterApi.Options().setNumThreads(1).setUseXNNPACK(false))

private fun direct(size: Int) = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder())

private fun wrongInterpreter() = ParameterException(
    "the interpreter doesn't run randomizer.tflite as it should; use TFLite's own, or " +
        "KotlinRandomizer",
)
