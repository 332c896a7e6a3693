"""The randomizer: randomized response on every bit of a code, run by the bundle's TFLite graph."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime.errors import BrrError
from brr_runtime.randomness import RandomSource

_BATCH = 64  # words per invocation: 64 KB of random numbers at 256 bits


def _load_interpreter(graph: bytes) -> Any:
    try:
        from ai_edge_litert import interpreter as library
    except ImportError:
        try:
            import tflite_runtime.interpreter as library
        except ImportError:
            try:
                from tensorflow import lite as library
            except ImportError:
                raise BrrError(
                    "no TFLite interpreter is installed: run 'pip install ai-edge-litert'"
                ) from None
    # Six integer operations: a delegate has nothing to speed up, and costs memory.
    resolver = getattr(library, "OpResolverType", None) or library.experimental.OpResolverType
    return library.Interpreter(
        model_content=graph,
        num_threads=1,
        experimental_op_resolver_type=resolver.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )


class Randomizer:
    """Flips each bit of a code with probability T / 2^32 (BRR, Algorithm 2).

    An interpreter can't be shared between threads, so every thread gets its own, made when it
    first needs one. Randomness is never buffered: a forked child can't repeat its parent's.
    """

    def __init__(self, graph: bytes, bits: int, threshold: int) -> None:
        """Prepare the graph.

        Args:
            graph: content of ``randomizer.tflite``.
            bits: length of a code.
            threshold: T, from ``exact.flip_threshold``.

        """
        self.bits = bits
        self.bytes_per_word = 4 * bits
        self._graph = graph
        # The graph compares signed numbers: T moves with the range of a uniform int32.
        self._threshold = np.int32(threshold - 2**31)
        self._local = threading.local()

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.uint64]:
        """Return noised copies of ``codes`` uint64[m, bits / 64].

        Draws 4 * bits bytes per code, in order: bit i flips when the i-th little-endian signed
        32-bit integer is below T - 2^31.
        """
        noised = np.empty(codes.shape, np.uint64)
        for start in range(0, len(codes), _BATCH):
            part = np.ascontiguousarray(codes[start : start + _BATCH])
            numbers = np.frombuffer(random(len(part) * self.bytes_per_word), "<i4")
            flipped = self._run(part.view(np.int32), numbers.reshape(len(part), self.bits))
            noised[start : start + len(part)] = flipped.view(np.uint64)
        return noised

    def _run(self, code: NDArray[np.int32], random: NDArray[np.int32]) -> NDArray[np.int32]:
        local = self._local
        if not hasattr(local, "interpreter"):
            local.interpreter = _load_interpreter(self._graph)
            local.inputs = _inputs(local.interpreter)
            local.output = local.interpreter.get_output_details()[0]["index"]
            local.rows = 0
        interpreter = local.interpreter
        if local.rows != len(code):
            interpreter.resize_tensor_input(local.inputs["code"], code.shape)
            interpreter.resize_tensor_input(local.inputs["random"], random.shape)
            interpreter.allocate_tensors()
            local.rows = len(code)
        interpreter.set_tensor(local.inputs["code"], code)
        interpreter.set_tensor(local.inputs["random"], random)
        interpreter.set_tensor(local.inputs["threshold"], self._threshold)
        interpreter.invoke()
        result: NDArray[np.int32] = interpreter.get_tensor(local.output)
        return result


def _inputs(interpreter: Any) -> dict[str, int]:
    """Return the tensor index of each input, by its name in the specification."""
    # The converter decorates names: "serving_default_code:0".
    return {
        name: detail["index"]
        for detail in interpreter.get_input_details()
        for name in ("code", "random", "threshold")
        if name in detail["name"]
    }
