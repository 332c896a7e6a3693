"""The randomizer: randomized response on every bit of a code, run by the bundle's TFLite graph."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import BrrError
from brrkit.randomness import RandomSource, draw

_WORDS_PER_INVOCATION = 64  # words for which random numbers take 64 KB at 256 bits


class Randomizer:
    """Flips each bit of a code with probability T / 2^32 (BRR, Algorithm 2).

    Proof: ``docs/explanation/proofs.md``, "The randomizer".

    An interpreter can't be shared between threads, so every thread gets its own, made when it
    first needs one. Randomness is never buffered: a forked child can't repeat its parent's.
    """

    def __init__(self, graph: bytes, bits: int, threshold: int) -> None:
        """Prepare the graph.

        Args:
            graph: content of ``randomizer.tflite``, as ``WordBundle.open`` accepts it.
            bits: length of a code.
            threshold: T, from ``exact.flip_threshold``.
        """
        self.bits = bits
        self._content = graph
        # The graph compares signed numbers: T moves with the range of a uniform int32.
        self._threshold = np.int32(threshold - 2**31)
        self._local = threading.local()

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.uint64]:
        """Return noised copies of ``codes`` uint64[m, bits / 64].

        Draws 4 * bits bytes per code, in order: bit i flips when the i-th little-endian signed
        32-bit integer is below T - 2^31.

        Raises:
            BrrError: no interpreter is installed, or it computes something else.
        """
        if not hasattr(self._local, "graph"):
            self._local.graph = _Graph(self._content, self.bits)
        noised = np.empty(codes.shape, np.uint64)
        for start in range(0, len(codes), _WORDS_PER_INVOCATION):
            part = np.ascontiguousarray(codes[start : start + _WORDS_PER_INVOCATION]).view(np.int32)
            numbers = np.frombuffer(draw(4 * self.bits * len(part), random), "<i4")
            flipped = self._local.graph.run(
                part, numbers.reshape(len(part), self.bits), self._threshold
            )
            noised[start : start + len(part)] = flipped.view(np.uint64)
        return noised


class _Graph:
    """The bundle's graph in an interpreter, for one thread."""

    def __init__(self, content: bytes, bits: int) -> None:
        self._rows = 0
        try:
            self._interpreter = load_interpreter(content)
            self._inputs = {
                name: detail["index"]
                for name in ("code", "random", "threshold")
                for detail in self._interpreter.get_input_details()
                # The converter decorates names: "serving_default_code:0".
                if name in detail["name"]
            }
            self._output = self._interpreter.get_output_details()[0]["index"]
            right = self._flips_right(bits)
        except (ValueError, RuntimeError):
            right = False
        if not right:
            raise BrrError(
                "the installed TFLite interpreter doesn't run randomizer.tflite as it should; "
                "update it; run: pip install --upgrade 'brrkit[tflite]'"
            )

    def run(
        self, code: NDArray[np.int32], random: NDArray[np.int32], threshold: np.int32
    ) -> NDArray[np.int32]:
        """Return the noised codes int32[m, bits / 32]."""
        interpreter, inputs = self._interpreter, self._inputs
        if self._rows != len(code):
            interpreter.resize_tensor_input(inputs["code"], code.shape)
            interpreter.resize_tensor_input(inputs["random"], random.shape)
            interpreter.allocate_tensors()
            self._rows = len(code)
        interpreter.set_tensor(inputs["code"], code)
        interpreter.set_tensor(inputs["random"], random)
        interpreter.set_tensor(inputs["threshold"], threshold)
        interpreter.invoke()
        result: NDArray[np.int32] = interpreter.get_tensor(self._output)
        return result

    def _flips_right(self, bits: int) -> bool:
        """Return whether the interpreter agrees with NumPy on a few codes.

        The graph's digest was already checked. But any interpreter may be installed, and one that
        adds no noise would release typed words.
        """
        return all(
            np.array_equal(self.run(code, numbers, threshold), flipped)
            for code, numbers, threshold, flipped in _few_codes(bits)
        )


@cache
def _few_codes(
    bits: int,
) -> list[tuple[NDArray[np.int32], NDArray[np.int32], np.int32, NDArray[np.int32]]]:
    """Return the inputs of the graph for a few codes, and the correct outputs."""
    found = []
    generator = np.random.default_rng(0)  # any codes will do
    for threshold in (0, -(2**31) + 1, int(generator.integers(-(2**31), 0))):
        code = generator.integers(-(2**31), 2**31, (1, bits // 32), np.int32)
        numbers = generator.integers(-(2**31), 2**31, (1, bits), np.int32)
        # The number for every second bit is next to the threshold.
        numbers[:, ::2] = threshold - generator.integers(0, 2, bits // 2)
        flips = np.packbits(numbers < threshold, bitorder="little").view(np.int32)
        found.append((code, numbers, np.int32(threshold), code ^ flips))
    return found


def load_interpreter(graph: bytes) -> Any:
    """Return an interpreter of a TFLite graph, from the first installed library.

    Raises:
        BrrError: no such library is installed.
    """
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
                    "a TFLite interpreter is missing; run: pip install 'brrkit[tflite]'"
                ) from None
    # For small graphs, a delegate saves no time, and takes memory.
    resolver = getattr(library, "OpResolverType", None) or library.experimental.OpResolverType
    return library.Interpreter(
        model_content=graph,
        num_threads=1,
        experimental_op_resolver_type=resolver.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
