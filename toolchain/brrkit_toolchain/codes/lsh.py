"""Locality-sensitive hashing with random hyperplanes, a baseline that learns nothing.

Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .vectors import centred_directions

if TYPE_CHECKING:
    from . import Settings


def encode(
    vectors: npt.NDArray[np.float32],
    bits: int,
    seed: int,
    progress: bool,  # noqa: ARG001 - too quick for a progress bar
    effort: float,  # noqa: ARG001 - there is nothing to train
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Return bool[n, bits]: the side of each of ``bits`` random hyperplanes a vector is on."""
    normals = np.random.default_rng(seed).standard_normal((vectors.shape[1], bits))
    return centred_directions(vectors) @ normals.astype(np.float32) >= 0, {}
