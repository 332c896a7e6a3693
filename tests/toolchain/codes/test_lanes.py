"""What is written out in the compiler's own language."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.codes.lanes import STEP, TILE, products_of_rows
from brrkit_toolchain.codes.vectors import LENGTH
from brrkit_toolchain.io.compiled import compiled


@compiled
def _products(rows: NDArray[np.int16], found: NDArray[np.float32]) -> None:
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
