"""Regularized Mahalanobis mechanism (Xu et al. 2020, PrivateNLP; a baseline of Vickrey, section 4).

Metric DP for d(x, y) = ||S^(-1/2) (x - y)||_2 with S = lambda * C + (1 - lambda) * I and C the
sample covariance of the vectors, scaled to trace d: noise in proportion to how the words spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.simulate.faiss_search import VectorSearch, in_batches, most_probable
from brrkit_toolchain.simulate.laplace import laplace_noise


class Mahalanobis:
    """Elliptical noise on the word vector, then the nearest word by L2 distance."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        epsilon: float,
        generator: np.random.Generator,
        lambda_: float = 1.0,
    ) -> None:
        """Index the vectors and compute the metric.

        Args:
            vectors: float32[n, d].
            epsilon: per unit of the regularized Mahalanobis distance.
            generator: source of the noise.
            lambda_: in [0, 1]; 0 is the Laplace mechanism, 1 takes the covariance as it is.

        Raises:
            ParameterError: lambda is out of range.
        """
        if not 0 <= lambda_ <= 1:
            raise ParameterError(f"lambda must be a number from 0 to 1, not {lambda_:g}")
        self.epsilon = epsilon
        self._search = VectorSearch(vectors)
        self._generator = generator
        dimensions = vectors.shape[1]
        covariance = np.atleast_2d(np.cov(vectors, rowvar=False, dtype=np.float64))
        covariance *= dimensions / np.trace(covariance)
        shape = lambda_ * covariance + (1 - lambda_) * np.eye(dimensions)
        values, axes = np.linalg.eigh(shape)
        # The floor keeps the metric finite when the vectors lie in a subspace.
        self._scales = np.sqrt(np.maximum(values, 1e-6))
        self._axes = axes
        self._root = ((axes * self._scales) @ axes.T).astype(np.float32)

    def distances(
        self, left: NDArray[np.float32], right: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the metric's distance [m] of each row of ``left`` to that of ``right``."""
        whitened = (left - right).astype(np.float64) @ (self._axes / self._scales)
        result: NDArray[np.float64] = np.linalg.norm(whitened, axis=1)
        return result

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the noised vectors float32[m, d] of the words ``ids`` [m]."""
        vectors = self._search.vectors[ids]
        noise = laplace_noise(vectors.shape, self.epsilon, self._generator)
        noised: NDArray[np.float32] = vectors + noise @ self._root
        return noised

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, lambda part: self._search.nearest(self.noised(part))[0][:, 0])

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised vector, for each of ``ids``."""
        whitening = (self._axes / self._scales).astype(np.float32)
        whitened = self._search.vectors @ whitening
        return in_batches(
            ids,
            lambda part: most_probable(
                self.noised(part) @ whitening, whitened, self.epsilon, prior
            ),
        )
