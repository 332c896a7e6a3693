"""Vickrey: Laplace noise, then one of the nearest words at random (Vickrey, Algorithms 1 and 3).

As on the device, the candidates are the whole vocabulary: leaving the input word out, as the
printed algorithms do, would break the guarantee (``docs/privacy.md``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brr_toolchain.mechanisms.laplace import Laplace
from brr_toolchain.mechanisms.search import in_batches


def choose(
    distances: NDArray[np.floating] | NDArray[np.integer],
    t: float | Sequence[float],
    generator: np.random.Generator,
) -> NDArray[np.intp]:
    """Return the rank [m] of the chosen candidate.

    Args:
        distances: [m, k] from the noised input to its nearest words, ascending.
        t: a number in [0, 1] with k = 2 (Algorithm 1), or t_1 ... t_k (Algorithm 3).
        generator: makes the choice.
    """
    d = distances.astype(np.float64)
    if isinstance(t, Sequence):
        exponents = d * np.array(t)
        weights = np.exp(exponents.min(axis=1, keepdims=True) - exponents)
    else:
        weights = np.stack([(1 - t) * d[:, 1], t * d[:, 0]], axis=1)
        weights[weights.sum(axis=1) == 0] = (1 - t, t)  # the nearest is the noised input itself
    cumulative = weights.cumsum(axis=1)
    numbers = generator.random(len(d)) * cumulative[:, -1]
    chosen: NDArray[np.intp] = (numbers[:, None] >= cumulative).sum(axis=1)
    # A product can round up to the total: the last candidate with a weight, then.
    last: NDArray[np.intp] = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)
    return np.minimum(chosen, last)


class VectorVickrey:
    """Full-size Vickrey mechanism; t = 0 is Laplace."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        epsilon: float,
        generator: np.random.Generator,
        t: float | Sequence[float] = 0.5,
    ) -> None:
        """Index ``vectors`` float32[n, d]; epsilon is per unit of L2; t is as in ``choose``."""
        self.epsilon = epsilon
        self._t = t
        self._k = len(t) if isinstance(t, Sequence) else 2
        self._laplace = Laplace(vectors, epsilon, generator)
        self._search = self._laplace.search
        self._generator = generator

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, self._release)

    def _release(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        near, distances = self._search.nearest(self._laplace.noised(ids), self._k)
        return near[np.arange(len(ids)), choose(distances, self._t, self._generator)]
