"""Factories of ADePT's variants, to audit them.

``brr audit --metric any --factory research.adept.subjects:codes``
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.quantizer import Quantizer, fit_quantizers
from brrkit_adept.release import Release
from brrkit_adept.sentence_codes import CodeRelease, make_code_release, response
from research.adept.lattice import GAUSSIAN, LAPLACE_L1, LAPLACE_L2, make_lattice_release
from research.adept.variants import check_privacy

Private = Callable[[str], NDArray[np.float32]]


_PUBLIC = 1_000  # vectors that codewords are fitted to


def codes(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Private:
    """Sentence codes, with the stages that epsilon is best divided into: one, in an audit."""
    release = make_code_release(epsilon, 2, public_quantizers(vectors.shape[1]))
    return _drawing(names, vectors, release)


def codes_in_stages(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Private:
    """Sentence codes of two symbols, each with half of epsilon."""
    quantizer = public_quantizers(vectors.shape[1])[0]
    responses = (response(2, Fraction(epsilon) / 2),) * 2
    return _drawing(names, vectors, CodeRelease(epsilon, 2, quantizer, responses))


@cache
def public_quantizers(dimensions: int) -> tuple[Quantizer, ...]:
    """Return quantizers of vectors that point anywhere, always the same."""
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((_PUBLIC, dimensions)).astype(np.float32)
    return fit_quantizers(9 * vectors, 2, 0, progress=False)


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
    check_privacy(variant, epsilon, delta or None)
    release = make_lattice_release(variant, epsilon, delta, vectors.shape[1])
    return _drawing(names, vectors, release)


def _drawing(names: Sequence[str], vectors: NDArray[np.float32], release: Release) -> Private:
    rows = {name: vectors[i : i + 1] for i, name in enumerate(names)}
    return lambda name: release(rows[name], os.urandom)[0]
