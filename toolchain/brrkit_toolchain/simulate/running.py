"""Any mechanism of the runtime as it runs, from a seeded generator: slow, but always there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.hamming import HammingIndex
from brrkit.mechanisms import create_mechanism
from brrkit_toolchain.graph import read_randomizer
from brrkit_toolchain.simulate.mechanism import BatchedMechanism, OnCodes


class Running:
    """The runtime's own code, of which nothing is known but that it runs."""

    def __init__(
        self,
        name: str,
        codes: NDArray[np.uint64],
        epsilon: float,
        generator: np.random.Generator,
        parameters: dict[str, Any],
    ) -> None:
        """Make the mechanism ``name`` on ``codes`` uint64[n, bits / 64].

        Raises:
            ParameterError: epsilon or a parameter isn't one that it takes.
        """
        bits = codes.shape[1] * 64
        words: Any = range(len(codes))  # a mechanism asks for their number only
        index, graph = HammingIndex(codes), read_randomizer(bits)
        bundle = WordBundle(Path(), {"bits": bits}, codes, words, index, graph)
        self.epsilon = epsilon
        self._mechanism = create_mechanism(name, bundle, epsilon, parameters)
        self._codes = codes
        self._generator = generator

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return self._mechanism(self._codes[ids], self._generator.bytes).astype(np.int64)


def running(name: str) -> OnCodes:
    """Return what is known of a mechanism that says nothing of itself."""

    def batches(
        codes: NDArray[np.uint64],
        epsilon: float,
        generator: np.random.Generator,
        **parameters: Any,
    ) -> BatchedMechanism:
        return Running(name, codes, epsilon, generator, parameters)

    made: Callable[..., BatchedMechanism] = batches
    return OnCodes(made)
