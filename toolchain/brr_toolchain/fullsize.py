"""The full-size mechanism that a bundle is measured against (Madlib; BRR, Algorithm 1).

For experiments on float vectors, never for release: its noise is floating point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BATCH = 4_096


def laplace_noise(
    shape: tuple[int, int], epsilon: float, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Return float32[m, d] noise with density proportional to exp(-epsilon * ||z||_2).

    The direction of a Gaussian vector, times a radius from Gamma(d, 1 / epsilon).
    """
    directions = generator.standard_normal(shape, np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = generator.gamma(shape[1], 1 / epsilon, shape[0])
    return directions * radii[:, None].astype(np.float32)


class Laplace:
    """Multivariate Laplace noise on the word vector, then the nearest word by L2 distance."""

    def __init__(
        self, vectors: NDArray[np.float32], epsilon: float, generator: np.random.Generator
    ) -> None:
        """Index ``vectors`` float32[n, d] with faiss IndexFlatL2; ``epsilon`` is per unit of L2."""
        import faiss

        self.vectors = np.ascontiguousarray(vectors, np.float32)
        self.epsilon = epsilon
        self._generator = generator
        self._index = faiss.IndexFlatL2(vectors.shape[1])
        self._index.add(self.vectors)

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        released = np.empty(len(ids), np.int64)
        for start in range(0, len(ids), _BATCH):
            part = self.vectors[ids[start : start + _BATCH]]
            noised = part + laplace_noise(part.shape, self.epsilon, self._generator)
            _, nearest = self._index.search(noised, 1)
            released[start : start + len(part)] = nearest[:, 0]
        return released
