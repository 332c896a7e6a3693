package org.brrkit

import org.bytedeco.javacpp.BytePointer
import org.bytedeco.tensorflowlite.TfLiteIntArray
import org.bytedeco.tensorflowlite.TfLiteInterpreterOptions
import org.bytedeco.tensorflowlite.TfLiteTensor
import org.bytedeco.tensorflowlite.global.tensorflowlite.*
import org.tensorflow.lite.DataType
import org.tensorflow.lite.InterpreterApi
import org.tensorflow.lite.Tensor
import java.nio.ByteBuffer

/**
 * TFLite's interpreter for this machine, through its C functions, behind TFLite's Java interface:
 * the library that TFLite's own Java classes load exists for Android only.
 */
class NativeInterpreter(graph: ByteBuffer) : InterpreterApi {
    // The interpreter reads the graph as long as it lives.
    private val content = BytePointer(graph.limit().toLong()).apply {
        put(*ByteArray(graph.limit()) { graph[it] })
    }
    private val model = TfLiteModelCreate(content, content.capacity())
    private val options: TfLiteInterpreterOptions = TfLiteInterpreterOptionsCreate()
    private val interpreter = run {
        require(model != null && !model.isNull) { "no model" }
        TfLiteInterpreterCreate(model, options)
    }

    init {
        require(interpreter != null && !interpreter.isNull) { "no interpreter" }
    }

    override fun runForMultipleInputsOutputs(inputs: Array<Any>, outputs: Map<Int, Any>) {
        inputs.forEachIndexed { index, buffer ->
            val pointer = BytePointer(buffer as ByteBuffer)
            val tensor = TfLiteInterpreterGetInputTensor(interpreter, index)
            expect(TfLiteTensorCopyFromBuffer(tensor, pointer, buffer.remaining().toLong()))
        }
        expect(TfLiteInterpreterInvoke(interpreter))
        for ((index, buffer) in outputs) {
            val pointer = BytePointer(buffer as ByteBuffer)
            val tensor = TfLiteInterpreterGetOutputTensor(interpreter, index)
            expect(TfLiteTensorCopyToBuffer(tensor, pointer, buffer.remaining().toLong()))
        }
    }

    override fun allocateTensors() = expect(TfLiteInterpreterAllocateTensors(interpreter))

    override fun resizeInput(index: Int, shape: IntArray) =
        expect(TfLiteInterpreterResizeInputTensor(interpreter, index, shape, shape.size))

    override fun getInputTensorCount() = TfLiteInterpreterGetInputTensorCount(interpreter)

    override fun getInputTensor(index: Int): Tensor =
        NativeTensor(TfLiteInterpreterGetInputTensor(interpreter, index))

    override fun close() {
        TfLiteInterpreterDelete(interpreter)
        TfLiteInterpreterOptionsDelete(options)
        TfLiteModelDelete(model)
        content.close()
    }

    private fun expect(status: Int) = require(status == kTfLiteOk) { "TFLite says $status" }

    override fun run(input: Any, output: Any) = unused()
    override fun resizeInput(index: Int, shape: IntArray, strict: Boolean) = unused()
    override fun getInputIndex(name: String) = unused()
    override fun getOutputTensorCount() = unused()
    override fun getOutputIndex(name: String) = unused()
    override fun getOutputTensor(index: Int) = unused()
    override fun getLastNativeInferenceDurationNanoseconds() = unused()
}

private class NativeTensor(private val tensor: TfLiteTensor) : Tensor {
    override fun name(): String = tensor.name().string
    override fun shapeSignature(): IntArray = numbers(tensor.dims_signature()) ?: shape()
    override fun shape(): IntArray = numbers(tensor.dims()) ?: intArrayOf()
    override fun dataType(): DataType =
        if (tensor.type() == kTfLiteInt32) DataType.INT32 else DataType.FLOAT32

    override fun numDimensions() = unused()
    override fun numBytes() = unused()
    override fun numElements() = unused()
    override fun index() = unused()
    override fun quantizationParams() = unused()
    override fun asReadOnlyBuffer() = unused()

    private fun numbers(array: TfLiteIntArray?): IntArray? =
        if (array == null || array.size() == 0) {
            null
        } else {
            IntArray(array.size()) { array.data(it) }
        }
}

private fun unused(): Nothing = throw UnsupportedOperationException("the randomizer needs it not")
