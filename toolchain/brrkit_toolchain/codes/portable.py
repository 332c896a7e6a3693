"""Arithmetic that gives the same bits on every processor, with every BLAS and every NumPy.

IEEE 754 defines the results of addition, multiplication, division and square roots. So a loop of
them gives the same bits everywhere, if the compiler may not reorder them. That doesn't hold for
``exp``, ``log``, LAPACK, and sums of floats in NumPy or BLAS. This module writes them out, for the
few places where codes need them. A float32 matrix product is the same everywhere if its factors are
integers and no partial sum can exceed 2^24, since nothing is then rounded
(``vectors.integer_directions``).
"""

from __future__ import annotations

from math import frexp, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.io.compiled import compiled

Doubles = npt.NDArray[np.float64]

_LN2 = 0.6931471805599453
_LEAST_REST = 1e-9  # smallest remaining share of a vector's length; less is rounding error
_PARTIAL_SUMS = 512  # partial sums of each sum, in an order independent of the processor's vectors


class Draws:
    """Random numbers from a bit generator, whose stream NumPy promises not to change.

    The streams of ``Generator``'s methods may change with NumPy's version (NEP 19).
    """

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, limit: int, count: int) -> npt.NDArray[np.int64]:
        """Return ``count`` integers from 0 to ``limit`` - 1, below 2^31."""
        high = self._bits.random_raw(count) >> np.uint64(32)
        found: npt.NDArray[np.int64] = ((high * np.uint64(limit)) >> np.uint64(32)).astype(np.int64)
        return found

    def shares(self, *shape: int) -> Doubles:
        """Return multiples of 2^-53 from 0 to below 1."""
        raw = self._bits.random_raw(int(np.prod(shape))) >> np.uint64(11)
        found: Doubles = raw.astype(np.float64).reshape(shape) * 2.0**-53
        return found


def exponential(x: float) -> float:
    """Return e^x to 8 digits, for -40 <= x <= 40."""
    y = x / 1024
    power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))))
    for _ in range(10):
        power *= power
    return power


@compiled
def logarithm(x: float) -> float:
    """Return ln x to 15 digits, for x > 0."""
    fraction, exponent = frexp(x)  # from 1/2 to 1: exact
    z = (fraction - 1) / (fraction + 1)
    power, total = z, 0.0
    for odd in range(1, 60, 2):
        total += power / odd
        power *= z * z
    return 2 * total + exponent * _LN2


@compiled
def orthonormal(rows: Doubles) -> None:
    """Make ``rows`` float64[k, d] orthonormal in place; a row spanned by earlier rows becomes 0.

    It applies Gram-Schmidt twice, which is enough (Giraud, Langou, Rozložník 2005).
    """
    count, dimensions = rows.shape
    for i in range(count):
        before = 0.0
        for c in range(dimensions):
            before += rows[i, c] * rows[i, c]
        for _ in range(2):
            for j in range(i):
                product = 0.0
                for c in range(dimensions):
                    product += rows[j, c] * rows[i, c]
                for c in range(dimensions):
                    rows[i, c] -= product * rows[j, c]
        after = 0.0
        for c in range(dimensions):
            after += rows[i, c] * rows[i, c]
        length = sqrt(after)
        if length <= _LEAST_REST * sqrt(before):
            length = np.inf
        for c in range(dimensions):
            rows[i, c] /= length


@compiled
def _times(rows: Doubles, matrix: Doubles) -> Doubles:
    """Return rows @ matrix, summed in a fixed order."""
    result = np.zeros((len(rows), matrix.shape[1]))
    for i in range(len(rows)):
        for k in range(len(matrix)):
            factor = rows[i, k]
            for j in range(matrix.shape[1]):
                result[i, j] += factor * matrix[k, j]
    return result


def leading_axes(matrix: Doubles, start: Doubles, iterations: int) -> Doubles:
    """Return orthonormal rows that approximately span the leading eigenvectors.

    This is orthogonal iteration (Golub, Van Loan, *Matrix Computations*, section 8.2.4). The first
    rows don't depend on later ones.

    Args:
        matrix: float64[d, d], symmetric, without negative eigenvalues.
        start: float64[k, d], initial rows.
        iterations: number of iterations.
    """
    axes: Doubles = start.copy()
    orthonormal(axes)
    for _ in range(iterations):
        axes = _times(axes, matrix)
        orthonormal(axes)
    return axes


def exact_gram(integers: npt.NDArray[np.int16]) -> Doubles:
    """Return float64[d, d], the products of the columns of ``integers`` int16[n, d].

    They are exact if n * 2^24 is at most 2^53, and rows are at most 4,096 long.
    """
    gram = np.zeros((integers.shape[1], integers.shape[1]))
    for start in range(0, len(integers), 8_192):
        block = integers[start : start + 8_192].astype(np.float64)
        gram += block.T @ block
    return gram


@compiled
def mean_square(values: Any) -> float:
    """Return the mean square of ``values`` [n, k], summed in a fixed order."""
    total = 0.0
    for i in range(len(values)):
        for j in range(values.shape[1]):
            value = np.float64(values[i, j])
            total += value * value
    return float(total / (len(values) * values.shape[1]))


@compiled
def total(values: npt.NDArray[np.float32]) -> float:
    """Return the sum of ``values`` float32[n]."""
    parts = np.zeros(_PARTIAL_SUMS, np.float32)
    for start in range(0, len(values), _PARTIAL_SUMS):
        some = values[start : start + _PARTIAL_SUMS]
        for i in range(len(some)):
            parts[i] += some[i]
    summed = 0.0
    for i in range(_PARTIAL_SUMS):
        summed += parts[i]
    return summed


@compiled
def weighted_total(values: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]) -> float:
    """Return the sum of ``values`` float32[n], each times its weight, float32[n]."""
    parts = np.zeros(_PARTIAL_SUMS, np.float32)
    for start in range(0, len(values), _PARTIAL_SUMS):
        some, own = values[start : start + _PARTIAL_SUMS], weights[start : start + _PARTIAL_SUMS]
        for i in range(len(some)):
            parts[i] += some[i] * own[i]
    summed = 0.0
    for i in range(_PARTIAL_SUMS):
        summed += parts[i]
    return summed
