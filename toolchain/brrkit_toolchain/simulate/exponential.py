"""The exponential mechanism in batches, with the runtime's table of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.exact import weight_table
from brrkit.hamming import HammingIndex
from brrkit.mechanisms.exponential import check_radius
from brrkit_toolchain.simulate.mechanism import OnCodes


def weights(
    epsilon: float, bits: int, vocabulary_size: int, radius: int | None = None
) -> list[int]:
    """Return the integers W[0 ... bits]; ``radius`` as in the runtime's.

    Raises:
        ParameterError: epsilon or the radius is out of range.
    """
    return weight_table(epsilon, bits, vocabulary_size, check_radius(radius, bits))


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
        self.epsilon = epsilon
        self.weights = np.array(weights(epsilon, codes.shape[1] * 64, len(codes), radius), np.int64)
        self._codes = codes
        self._index = HammingIndex(codes)
        self._generator = generator

    def distribution(self, word_id: int) -> NDArray[np.float64]:
        """Return the probability [n] of every word for the input ``word_id``; rounded, not drawn.

        Exact fractions are in ``brrkit.Privatizer.distribution``.
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


def _default(bits: int) -> dict[str, Any]:
    return {"radius": check_radius(None, bits)}


MECHANISM = OnCodes(
    Exponential,
    defaults=_default,
    chosen="radius",
    weights=weights,
    certified=True,
    experiments={"radius": 0},
)
