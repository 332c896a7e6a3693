"""Measures of a mechanism with known weights, computed from its distribution instead of drawn.

Its probabilities depend on distances only. So one scan of the codes for each word, which counts the
outputs at every distance and adds up their losses, answers for every epsilon and parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.measure.losses import Loss

_COLUMNS = 1_024


class WeightedDistribution:
    """Probabilities of a mechanism for some input words, at any epsilon and parameters.

    Numbers are floats; exact fractions are in ``brrkit.Privatizer.distribution``.
    """

    def __init__(
        self,
        weights: Callable[..., list[int]],
        codes: NDArray[np.uint64],
        words: NDArray[np.intp],
        loss: Loss,
    ) -> None:
        """Scan the codes for each of some words.

        Args:
            weights: of the mechanism, as in ``OnCodes``.
            codes: uint64[n, bits / 64].
            words: ids [m].
            loss: d_L.
        """
        self._table = weights
        self.words = words
        self._codes = codes
        self._bits = codes.shape[1] * 64
        self._counts = np.empty((len(words), self._bits + 1))
        self._losses = np.empty_like(self._counts)
        index = HammingIndex(codes)
        everything = np.arange(len(codes))
        for row, word in enumerate(words):
            distances = index.distances(codes[word])
            costs = np.asarray(loss(np.array([word]), everything), np.float64)
            self._counts[row] = np.bincount(distances, minlength=self._bits + 1)
            self._losses[row] = np.bincount(distances, costs, minlength=self._bits + 1)

    def weights(self, epsilon: float, **parameters: Any) -> NDArray[np.float64]:
        """Return W [bits + 1], by the distance of the output to the input."""
        table = self._table(epsilon, self._bits, len(self._codes), **parameters)
        return np.array(table, np.float64)

    def _probabilities(self, epsilon: float, **parameters: Any) -> NDArray[np.float64]:
        """Return Pr[M(w) = y] [m, bits + 1], by the distance of y to w."""
        weights = self.weights(epsilon, **parameters)
        return weights / (self._counts @ weights)[:, None]

    def unchanged(self, epsilon: float, **parameters: Any) -> NDArray[np.float64]:
        """Return N_w [m]."""
        return self._probabilities(epsilon, **parameters)[:, 0]

    def agreement(self, epsilon: float, **parameters: Any) -> NDArray[np.float64]:
        """Return the probability [m] that two releases of a word agree."""
        agreement: NDArray[np.float64] = (
            self._counts * self._probabilities(epsilon, **parameters) ** 2
        ).sum(axis=1)
        return agreement

    def distinct(self, epsilon: float, draws: int, **parameters: Any) -> NDArray[np.float64]:
        """Return the expected number [m] of different outputs in so many draws."""
        never = (1 - self._probabilities(epsilon, **parameters)).clip(0) ** draws
        expected: NDArray[np.float64] = (self._counts * (1 - never)).sum(axis=1)
        return expected

    def utility_loss(self, epsilon: float, **parameters: Any) -> NDArray[np.float64]:
        """Return the expected loss [m] of each word: L_M is its mean under the prior."""
        losses: NDArray[np.float64] = (
            self._losses * self._probabilities(epsilon, **parameters)
        ).sum(axis=1)
        return losses

    def columns(self, epsilon: float, **parameters: Any) -> Iterator[NDArray[np.float64]]:
        """Yield f, for ``adversary``, in blocks of outputs."""
        weights = self.weights(epsilon, **parameters)
        totals = (self._counts @ weights)[:, None]
        signs = _signs(self._codes[self.words])
        for start in range(0, len(self._codes), _COLUMNS):
            block = self._codes[start : start + _COLUMNS]
            # Whole numbers below 2^24: exact in float32.
            distances = (self._bits - signs @ _signs(block).T) / 2
            yield weights.take(distances.astype(np.intp)) / totals


def _signs(codes: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return codes as +-1, float32[m, bits]: d = (bits - dot product) / 2."""
    return 1 - 2 * unpack(codes).astype(np.float32)
