"""Transformations of the vectors before every method."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.io.compiled import compiled

Integers = npt.NDArray[np.int16]

LENGTH = 4_096
"""The largest length of rows from ``integer_directions``; products of two are at most 2^24."""

_ROWS_AS_FLOATS_AT_ONCE = 8_192


def directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Scale each row to unit length; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: npt.NDArray[np.float32] = vectors / np.where(lengths > 0, lengths, np.float32(1))
    return scaled


def centered_directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the `directions` of ``vectors`` with their mean row subtracted.

    Neighbors are defined by cosine, so only directions count. Without the common mean, a hyperplane
    through the origin splits the words evenly.
    """
    scaled = directions(vectors)
    centered: npt.NDArray[np.float32] = scaled - scaled.mean(axis=0)
    return centered.astype(np.float32, copy=False)


def integer_directions(vectors: npt.NDArray[np.float32]) -> Integers:
    """Scale each row to a length just below ``LENGTH``, and round to integers; zero stays zero.

    A cosine is the product of two rows, divided by the square of ``LENGTH``, and right to 4 digits.
    By the Cauchy-Schwarz inequality, no partial sum of such a product exceeds 2^24. So float32
    matrix products are exact, whatever the order of their sums.

    Args:
        vectors: float32[n, d].

    Returns:
        int16[n, d].
    """
    rows = np.empty(vectors.shape, np.int16)
    # Rounding lengthens a row by at most sqrt(d) / 2.
    _round_rows(vectors, LENGTH - sqrt(vectors.shape[1]) / 2, rows)
    return rows


@compiled
def _round_rows(vectors: npt.NDArray[np.float32], length: float, rows: Integers) -> None:
    words, dimensions = vectors.shape
    for i in range(words):
        total = 0.0
        for c in range(dimensions):
            total += np.float64(vectors[i, c]) * np.float64(vectors[i, c])
        scale = length / sqrt(total) if total > 0 else 0.0
        for c in range(dimensions):
            rows[i, c] = np.int16(np.rint(np.float64(vectors[i, c]) * scale))


def integer_products(
    integers: Integers, columns: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return integers @ columns, float32[n, k], which is exact for such columns.

    Args:
        integers: int16[n, d], result of `integer_directions`.
        columns: float32[d, k], integers; each column is at most ``LENGTH`` long.
    """
    result = np.empty((len(integers), columns.shape[1]), np.float32)
    for start in range(0, len(integers), _ROWS_AS_FLOATS_AT_ONCE):
        block = integers[start : start + _ROWS_AS_FLOATS_AT_ONCE].astype(np.float32)
        np.matmul(block, columns, out=result[start : start + _ROWS_AS_FLOATS_AT_ONCE])
    return result
