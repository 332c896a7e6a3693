"""Codes to compare with: random hyperplanes, which learn nothing, and a learned rotation.

``add_baselines`` makes them ordinary methods: ``make_codes(..., method="lsh")``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from tqdm import trange

from brrkit.errors import ParameterError
from brrkit_toolchain.codes import METHODS, Settings
from brrkit_toolchain.codes.vectors import centered_directions

ITERATIONS = 50  # as in the paper


def lsh(
    vectors: npt.NDArray[np.float32],
    bits: int,
    seed: int,
    progress: bool,  # noqa: ARG001 - too quick for a progress bar
    effort: float,  # noqa: ARG001 - there is nothing to train
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Return bool[n, bits]: the side of each of ``bits`` random hyperplanes a vector is on.

    Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, section 3.
    """
    normals = np.random.default_rng(seed).standard_normal((vectors.shape[1], bits))
    return centered_directions(vectors) @ normals.astype(np.float32) >= 0, {}


def itq(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Return bool[n, bits]: the signs of the first ``bits`` principal components, rotated.

    Gong, Lazebnik, "Iterative Quantization: A Procrustean Approach to Learning Binary Codes",
    CVPR 2011, section 2. ``effort`` multiplies the number of iterations.

    Raises:
        ParameterError: there are fewer components than bits.
    """
    dimensions = vectors.shape[1]
    if bits > dimensions:
        raise ParameterError(
            f"bits: itq makes at most as many bits as dimensions, and {bits} > {dimensions}"
        )
    centered = centered_directions(vectors)
    _, axes = np.linalg.eigh(centered.T @ centered)  # ascending eigenvalues
    components = centered @ axes[:, -bits:]
    square = np.random.default_rng(seed).standard_normal((bits, bits))
    rotation = np.linalg.qr(square)[0].astype(np.float32)
    iterations = max(1, round(ITERATIONS * effort))
    for _ in trange(iterations, desc="itq", disable=None if progress else True):
        signs = np.where(components @ rotation >= 0, np.float32(1), np.float32(-1))
        left, _, right = np.linalg.svd(components.T @ signs)  # the Procrustes problem
        rotation = left @ right
    return components @ rotation >= 0, {"iterations": iterations}


def add_baselines() -> None:
    """Add them to the toolchain's methods, for this process."""
    METHODS.update(itq=itq, lsh=lsh)
