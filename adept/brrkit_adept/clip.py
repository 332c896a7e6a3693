"""The clip of latent vectors, in floating point: it decides nothing about privacy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def vectors_clipped(vectors: NDArray[np.floating], norm: int) -> NDArray[np.float64]:
    """Return ``vectors`` [m, n], those whose norm is above 1 scaled to 1, about; NaN is 0."""
    finite = vectors.astype(np.float64)
    if not np.isfinite(finite).all():
        finite = np.nan_to_num(finite, posinf=1e300, neginf=-1e300)
    # Twice, because the squares of huge numbers are infinite.
    finite /= np.maximum(np.abs(finite).max(axis=1, keepdims=True), 1)
    norms = np.linalg.norm(finite, norm, axis=1, keepdims=True)
    result: NDArray[np.float64] = finite / np.maximum(norms, 1)
    return result
