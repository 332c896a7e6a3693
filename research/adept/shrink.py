"""Noised vectors moved to where public sentences are: post-processing, for experiments.

The best linear estimate of a vector, given its noised one: Wiener's filter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.network import Array


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """A linear filter that estimates vectors from noised ones, fitted on public vectors.

    Attributes:
        mean: float64[n], mean of public vectors.
        filter: float64[n, n], factor of deviations from it.
    """

    mean: NDArray[np.float64]
    filter: NDArray[np.float64]

    def __call__(self, released: Array) -> Array:
        """Return estimates float32[m, n] of the true vectors, from ``released`` [m, n]."""
        return (self.mean + (released - self.mean) @ self.filter).astype(np.float32)


def make_shrinkage(vectors: NDArray[np.float64], variance: float) -> Shrinkage:
    """Return the filter for noise of a ``variance`` in every coordinate.

    Args:
        vectors: float64[m, n], clipped vectors of public sentences.
        variance: variance of the noise.
    """
    covariance = np.cov(vectors, rowvar=False, bias=True).reshape(vectors.shape[1], -1)
    noised = covariance + variance * np.eye(len(covariance))
    found = np.linalg.solve(noised, covariance).astype(np.float64)
    return Shrinkage(vectors.mean(axis=0), found)
