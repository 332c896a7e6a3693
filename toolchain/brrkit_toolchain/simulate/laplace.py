"""Madlib: multivariate Laplace noise on the word vector (BRR, Algorithm 1)."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.simulate.faiss_search import VectorSearch, in_batches, most_probable


def laplace_noise(
    shape: tuple[int, int], epsilon: float, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Return float32[m, d] noise with density proportional to exp(-epsilon * ||z||_2).

    The direction of a Gaussian vector, times a radius from Gamma(d, 1 / epsilon).

    Raises:
        ParameterError: epsilon isn't a positive number.
    """
    if not 0 < epsilon < inf:
        raise ParameterError(f"epsilon must be a positive number, not {epsilon:g}")
    directions = generator.standard_normal(shape, np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = generator.gamma(shape[1], 1 / epsilon, shape[0])
    return directions * radii[:, None].astype(np.float32)


class Laplace:
    """Multivariate Laplace noise on the word vector, then the nearest word by L2 distance."""

    def __init__(
        self, vectors: NDArray[np.float32], epsilon: float, generator: np.random.Generator
    ) -> None:
        """Index ``vectors`` float32[n, d]; ``epsilon`` is per unit of L2 distance."""
        self.epsilon = epsilon
        self.search = VectorSearch(vectors)
        self._generator = generator

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the noised vectors float32[m, d] of the words ``ids`` [m]."""
        vectors = self.search.vectors[ids]
        return vectors + laplace_noise(vectors.shape, self.epsilon, self._generator)

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, lambda part: self.search.nearest(self.noised(part))[0][:, 0])

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised vector, for each of ``ids``."""
        return in_batches(
            ids,
            lambda part: most_probable(self.noised(part), self.search.vectors, self.epsilon, prior),
        )
