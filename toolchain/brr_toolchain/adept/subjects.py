"""Factories of ADePT's variants, to audit them.

``brr audit --metric any --factory brr_toolchain.adept.subjects:laplace_l1``
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from brr_toolchain.adept.lattice import GAUSSIAN, LAPLACE_L1, LAPLACE_L2, make_lattice_release

Private = Callable[[str], NDArray[np.float32]]


def laplace_l1(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, delta: float
) -> Private:
    """L1 clip, discrete Laplace noise."""
    return _private(LAPLACE_L1, names, vectors, epsilon, delta)


def laplace_l2(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, delta: float
) -> Private:
    """L2 clip, discrete Laplace noise."""
    return _private(LAPLACE_L2, names, vectors, epsilon, delta)


def gaussian(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, delta: float
) -> Private:
    """L2 clip, discrete Gaussian noise; delta isn't 0."""
    return _private(GAUSSIAN, names, vectors, epsilon, delta)


def _private(
    variant: str,
    names: Sequence[str],
    vectors: NDArray[np.float32],
    epsilon: float,
    delta: float,
) -> Private:
    release = make_lattice_release(variant, epsilon, delta, vectors.shape[1])
    rows = {name: vectors[i : i + 1] for i, name in enumerate(names)}
    return lambda name: release(rows[name], os.urandom)[0]
