"""What is written out in the compiler's own language."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.codes.lanes import (
    BLOCK,
    STEP,
    TILE,
    places_up_to,
    products_of_rows,
    products_with_pairs,
    sum_of_squares,
)
from brrkit_toolchain.codes.vectors import LENGTH
from brrkit_toolchain.io.compiled import compiled

Integers = NDArray[np.int16]


@compiled
def _products(rows: Integers, found: NDArray[np.float32]) -> None:
    products_of_rows(rows, found)


def test_products_are_of_all_rows_with_one_another() -> None:
    """Also where a row has all its length in one number."""
    rows = np.random.default_rng(0).integers(-300, 300, (3 * TILE, 3 * STEP)).astype(np.int16)
    rows[1] = rows[-1] = 0
    rows[1, -1], rows[-1, -1] = LENGTH, -LENGTH
    found = np.empty((len(rows), len(rows)), np.float32)
    _products(rows, found)
    wide = rows.astype(np.int64)
    np.testing.assert_array_equal(found, wide @ wide.T)


@compiled
def _products_with_pairs(factors: Integers, pairs: Integers, found: NDArray[np.float32]) -> None:
    products_with_pairs(factors, pairs, found)


def test_products_with_pairs_are_a_matrix_product() -> None:
    """Also with the largest and the smallest factors."""
    draws = np.random.default_rng(0)
    factors = draws.integers(-(2**15), 2**15, (3 * TILE, 10)).astype(np.int16)
    factors[1], factors[-1] = 2**15 - 1, -(2**15)
    matrix = draws.choice([-1, 1], (10, 2 * STEP)).astype(np.int16)
    matrix[:, 0], matrix[:, -1] = 1, -1
    pairs = np.empty((5, 4 * STEP), np.int16)
    pairs[:, ::2], pairs[:, 1::2] = matrix[::2], matrix[1::2]
    found = np.empty((len(factors), matrix.shape[1]), np.float32)
    _products_with_pairs(factors, pairs, found)
    np.testing.assert_array_equal(found, factors.astype(np.int64) @ matrix)


@compiled
def _sum_of_squares(row: NDArray[np.float32]) -> np.float32:
    return sum_of_squares(row)


def test_a_sum_of_squares_is_of_the_whole_row() -> None:
    """In float32, so that the order matters: halves are added, from 64 numbers to one."""
    row = np.random.default_rng(0).standard_normal(3 * 64).astype(np.float32)
    sums = (row * row).reshape(3, 64)
    for half in (32, 16, 8, 4, 2, 1):
        sums = sums[:, :half] + sums[:, half:]
    assert _sum_of_squares(row) == np.add.accumulate(sums[:, 0])[-1]


@compiled
def _places(row: NDArray[np.uint16], first: int, limit: int) -> np.uint64:
    return places_up_to(row, first, limit)  # type: ignore[no-any-return]


def test_places_are_those_of_numbers_up_to_a_limit() -> None:
    """Also where numbers are above the largest signed one, and from a place between blocks."""
    row = np.random.default_rng(0).integers(0, 2**16, 2 * BLOCK).astype(np.uint16)
    row[7], row[70] = 0, 2**16 - 1
    for limit in (0, 2**15, int(row[9]), 2**16 - 1):
        for first in (0, 7, BLOCK):
            places = _places(row, first, limit)
            found = [first + i for i in range(BLOCK) if int(places) >> i & 1]
            within = np.flatnonzero(row[first : first + BLOCK] <= limit)
            assert found == list(first + within)
