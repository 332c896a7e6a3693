"""The device's mechanisms in batches, with the same flip thresholds and weights as the runtime.

What the runtime draws from the CSPRNG in integers is drawn here from a seeded generator, which is
what makes them fast; the probabilities are the same (a test holds them against the runtime).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from brr_runtime.exact import check_epsilon, flip_threshold, threshold_epsilon, weight_table
from brr_runtime.hamming import HammingIndex
from brr_runtime.mechanisms.exponential import check_radius
from brr_runtime.mechanisms.vickrey import DEFAULT_T
from brr_toolchain.codes.packing import pack
from brr_toolchain.simulate.faiss_search import CodeSearch, in_batches
from brr_toolchain.simulate.vickrey import candidates, choose


class BRR:
    """Randomized response on the code, then the nearest word (BRR, Algorithm 3)."""

    def __init__(
        self, codes: NDArray[np.uint64], epsilon: float, generator: np.random.Generator
    ) -> None:
        """Index ``codes`` uint64[n, bits / 64]; ``epsilon`` is per bit of Hamming distance."""
        self.epsilon = epsilon
        self.search = CodeSearch(codes)
        self._threshold = flip_threshold(epsilon)
        self._generator = generator

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Return the noised codes uint64[m, bits / 64] of the words ``ids`` [m]."""
        codes = self.search.codes[ids]
        shape = (len(ids), codes.shape[1] * 64)
        flips = self._generator.integers(1 << 32, size=shape, dtype=np.uint32) < self._threshold
        noised: NDArray[np.uint64] = codes ^ pack(flips)
        return noised

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, lambda part: self.search.nearest(self.noised(part))[0][:, 0])

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised code, for each of ``ids``."""
        from brr_toolchain.codes.pairs import most_probable

        bits = self.search.codes.shape[1] * 64
        table = np.exp(-threshold_epsilon(self._threshold) * np.arange(bits + 1))
        return most_probable(self.noised(ids), self.search.codes, table, prior)[1]


class CodeVickrey:
    """BRR, then one of the k nearest words at random; t = 0 is BRR."""

    def __init__(
        self,
        codes: NDArray[np.uint64],
        epsilon: float,
        generator: np.random.Generator,
        t: float | Sequence[float] = DEFAULT_T,
    ) -> None:
        """Index ``codes`` uint64[n, bits / 64]; ``t`` as in ``vickrey.choose``.

        Raises:
            ParameterError: epsilon or t is out of range.
        """
        self.epsilon = epsilon
        self._t = t
        self._k = candidates(t, len(codes))
        self._brr = BRR(codes, epsilon, generator)
        self._generator = generator

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, self._release)

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised code, for each of ``ids``."""
        return self._brr.suspects(ids, prior)

    def _release(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        near, distances = self._brr.search.nearest(self._brr.noised(ids), self._k)
        return near[np.arange(len(ids)), choose(distances, self._t, self._generator)]


class Exponential:
    """The exponential mechanism on Hamming distance; its distribution is known, not only drawn."""

    def __init__(
        self,
        codes: NDArray[np.uint64],
        epsilon: float,
        generator: np.random.Generator,
        radius: int | None = None,
    ) -> None:
        """Index ``codes`` uint64[n, bits / 64]; ``epsilon`` is per bit of Hamming distance.

        ``radius`` as in the runtime's.

        Raises:
            ParameterError: epsilon or the radius is out of range.
        """
        self.epsilon = check_epsilon(epsilon)
        bits = codes.shape[1] * 64
        slope = Fraction(self.epsilon) / 2
        weights = weight_table(slope, bits, len(codes), check_radius(radius, bits))
        self.weights = np.array(weights, np.int64)
        self._codes = codes
        self._index = HammingIndex(codes)
        self._generator = generator

    def distribution(self, word_id: int) -> NDArray[np.float64]:
        """Return the probability [n] of every word for the input ``word_id``; rounded, not drawn.

        Exact fractions are in ``brr_runtime.Privatizer.distribution``.
        """
        weights = self.weights[self._index.distances(self._codes[word_id])]
        return weights / float(weights.sum())

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently.

        One scan for each different word, however often it occurs.
        """
        released = np.empty(len(ids), np.int64)
        order = np.argsort(ids, kind="stable")
        words, counts = np.unique(ids, return_counts=True)
        places = np.split(order, np.cumsum(counts)[:-1])
        for word, where in zip(words, places, strict=True):
            distances = self._index.distances(self._codes[word])
            at = np.bincount(distances, minlength=len(self.weights))
            cumulative = np.cumsum(at * self.weights)
            numbers = self._generator.integers(cumulative[-1], size=len(where))
            drawn = np.searchsorted(cumulative, numbers, side="right")
            positions = self._generator.integers(at[drawn])
            for distance in np.unique(drawn):
                chosen = drawn == distance
                candidates = np.flatnonzero(distances == distance)
                released[where[chosen]] = candidates[positions[chosen]]
        return released
