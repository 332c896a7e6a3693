"""What comes out of a mechanism with known weights: computed from its distribution, not drawn.

    Pr[y | x] = m(y) W[d(x, y)] / N(x), N(x) being the sum of m(.) W[d(x, .)] over the vocabulary,

depends on distances and the base measure m only. So one scan of the codes for each word, which sums
the measure of the outputs at every distance, answers for every epsilon and parameter. Weights are
int64[bits + 1], by distance; results are floats. Exact fractions are in
``brrkit.Privatizer.distribution``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex
from brrkit_toolchain.codes.histograms import all_histograms
from brrkit_toolchain.codes.packing import unpack

_COLUMNS = 1_024


@dataclass(frozen=True)
class Surroundings:
    """What surrounds some words of a vocabulary.

    Attributes:
        codes: uint64[n, bits / 64], of all words.
        words: ids [m] of those that go in.
        measure: m int64[n], the base measure; by default all words count 1.
        progress: show a bar on standard error while they are scanned.
    """

    codes: NDArray[np.uint64]
    words: NDArray[np.intp]
    measure: NDArray[np.int64] = None  # type: ignore[assignment]
    progress: bool = False

    def __post_init__(self) -> None:
        if self.measure is None:
            object.__setattr__(self, "measure", np.ones(len(self.codes), np.int64))

    @property
    def bits(self) -> int:
        """Length of a code."""
        return 64 * int(self.codes.shape[1])

    @cached_property
    def masses(self) -> NDArray[np.int64]:
        """The measure [m, bits + 1] of the words at each distance from each."""
        return all_histograms(self.codes, self.words, self.measure, progress=self.progress)

    def losses(self, loss: Callable[..., NDArray[Any]]) -> NDArray[np.float64]:
        """Return the sum [m, bits + 1] of m(y) times the loss of y, at each distance."""
        everything = np.arange(len(self.codes))
        sums = np.empty(self.masses.shape)
        index = HammingIndex(self.codes)
        for row, word in enumerate(self.words):
            costs = self.measure * np.asarray(loss(np.array([word]), everything), np.float64)
            sums[row] = np.bincount(index.distances(self.codes[word]), costs, self.bits + 1)
        return sums

    def totals(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return N [m], exact: below 2^63 by the choice of W[0]."""
        return self.masses @ weights

    def probabilities(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return Pr[M(x) = y] / m(y) [m, bits + 1], by the distance of y to x."""
        return weights / self.totals(weights)[:, None]

    def unchanged(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return N_w [m]."""
        unchanged: NDArray[np.float64] = (
            self.measure[self.words] * self.probabilities(weights)[:, 0]
        )
        return unchanged

    def agreement(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probability [m] that two releases of a word agree."""
        return self._sums(weights, np.square)

    def distinct(self, weights: NDArray[np.int64], draws: int) -> NDArray[np.float64]:
        """Return the expected number [m] of different outputs in so many draws."""
        return self._sums(weights, lambda block: 1 - (1 - block).clip(0) ** draws)

    def distance(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected Hamming distance [m] from a word to its output, in bits."""
        expected: NDArray[np.float64] = (self.masses * self.probabilities(weights)) @ np.arange(
            self.bits + 1
        )
        return expected

    def columns(self, weights: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        """Yield Pr[M(x) = y] [m, b], for blocks of b outputs y."""
        return map(self._columns(weights), range(0, len(self.codes), _COLUMNS))

    def _columns(self, weights: NDArray[np.int64]) -> Callable[[int], NDArray[np.float64]]:
        """Return what gives the block that begins with an output."""
        probabilities = self.probabilities(weights)
        rows = np.arange(len(self.words))[:, None]
        signs = _signs(self.codes[self.words])

        def block(start: int) -> NDArray[np.float64]:
            part = slice(start, start + _COLUMNS)
            # Whole numbers below 2^24: exact in float32.
            distances = (self.bits - signs @ _signs(self.codes[part]).T) / 2
            result: NDArray[np.float64] = probabilities[rows, distances.astype(np.intp)]
            return result * self.measure[part]

        return block

    def _sums(
        self,
        weights: NDArray[np.int64],
        of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return the sum [m], over all outputs, ``of`` the probabilities; one thread a core."""
        block = self._columns(weights)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            starts = range(0, len(self.codes), _COLUMNS)
            parts = pool.map(lambda start: of(block(start)).sum(axis=1), starts)
            return sum(parts, np.zeros(len(self.words)))  # in the order of the outputs


def _signs(codes: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return codes as +-1, float32[m, bits]: d = (bits - dot product) / 2."""
    return 1 - 2 * unpack(codes).astype(np.float32)
