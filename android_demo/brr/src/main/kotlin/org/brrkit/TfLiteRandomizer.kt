package org.brrkit

import org.tensorflow.lite.DataType
import org.tensorflow.lite.InterpreterApi
import java.io.Closeable
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * The randomizer as the bundle's TFLite graph, for apps that carry TFLite (LiteRT) anyway.
 *
 * It has one interpreter, which threads take in turns.
 *
 * @param bundle an opened bundle.
 * @param create makes an interpreter of a graph; by default TFLite's own, on one thread and without
 *   delegates, which have nothing to speed up in six integer operations.
 * @throws BundleException `randomizer.tflite` isn't the graph of a randomizer for this bundle.
 */
public class TfLiteRandomizer @JvmOverloads constructor(
    bundle: Bundle,
    create: (ByteBuffer) -> InterpreterApi = ::createInterpreter,
) : Randomizer, Closeable {
    private val bits = bundle.bits
    private val code = direct(bits / Byte.SIZE_BITS)
    private val random = direct(bits * Int.SIZE_BYTES)
    private val threshold = direct(Int.SIZE_BYTES)
    private val result = direct(bits / Byte.SIZE_BITS)
    private val interpreter: InterpreterApi
    private val inputs: Array<Any>

    init {
        val graph = bundle.graph.duplicate().order(ByteOrder.nativeOrder())
        try {
            require(isTfLite(graph)) // an interpreter may crash on anything else
            interpreter = create(graph)
        } catch (_: IllegalArgumentException) {
            throw wrongGraph()
        }
        try {
            inputs = prepare()
            if (!flipsRight()) throw wrongGraph()
        } catch (error: RuntimeException) {
            interpreter.close()
            throw if (error is IllegalArgumentException || error is IllegalStateException) {
                wrongGraph()
            } else {
                error
            }
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

    /** Gives the graph its shapes; returns the buffers in the order of its inputs. */
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
            // The converter decorates names: "serving_default_code:0".
            name in tensor.name() && tensor.shapeSignature().contentEquals(shape) &&
                tensor.dataType() == DataType.INT32
        }
        return requireNotNull(index)
    }

    /** Tells whether every bit flips below the threshold, and none at it. */
    private fun flipsRight(): Boolean {
        val below = LongArray(bits / Long.SIZE_BITS)
        flip(below, ByteArray(random.capacity()) { -1 }, 0)
        val at = LongArray(bits / Long.SIZE_BITS)
        flip(at, ByteArray(random.capacity()), 0)
        return below.all { it == -1L } && at.all { it == 0L }
    }
}

private fun createInterpreter(graph: ByteBuffer): InterpreterApi =
    InterpreterApi.create(graph, InterpreterApi.Options().setNumThreads(1).setUseXNNPACK(false))

private fun direct(size: Int) = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder())

private fun isTfLite(graph: ByteBuffer) =
    graph.limit() >= 8 && (0 until 4).all { graph[4 + it].toInt() == "TFL3"[it].code }

private fun wrongGraph() = BundleException(
    "randomizer.tflite isn't a randomizer of this bundle's codes; rebuild the bundle",
)
