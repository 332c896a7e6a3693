"""PCA and iterative quantization, a baseline that learns a rotation.

Gong, Lazebnik, "Iterative Quantization: A Procrustean Approach to Learning Binary Codes",
CVPR 2011, section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from tqdm import trange

from brrkit.errors import ParameterError

from .vectors import centred_directions

if TYPE_CHECKING:
    from . import Settings

ITERATIONS = 50  # as in the paper


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Return bool[n, bits]: the signs of the first ``bits`` principal components, rotated.

    ``effort`` multiplies the number of iterations.

    Raises:
        ParameterError: there are fewer components than bits.
    """
    dimensions = vectors.shape[1]
    if bits > dimensions:
        raise ParameterError(
            f"bits: itq makes at most as many bits as dimensions, and {bits} > {dimensions}"
        )
    centred = centred_directions(vectors)
    _, axes = np.linalg.eigh(centred.T @ centred)  # ascending eigenvalues
    components = centred @ axes[:, -bits:]
    square = np.random.default_rng(seed).standard_normal((bits, bits))
    rotation = np.linalg.qr(square)[0].astype(np.float32)
    iterations = max(1, round(ITERATIONS * effort))
    for _ in trange(iterations, desc="itq", disable=None if progress else True):
        signs = np.where(components @ rotation >= 0, np.float32(1), np.float32(-1))
        left, _, right = np.linalg.svd(components.T @ signs)  # the Procrustes problem
        rotation = left @ right
    return components @ rotation >= 0, {"iterations": iterations}
