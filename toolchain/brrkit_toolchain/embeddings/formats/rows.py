"""The rows from the readers of all formats, and the common limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 20  # bytes read at a time, and the longest line
MAX_DIMENSIONS = 1 << 16  # a damaged header must not cause large allocations


@dataclass(frozen=True)
class RowBatch:
    """Consecutive rows of an embedding file.

    A reader yields the valid rows before an invalid one, and then raises an error. So a caller that
    has enough rows gets no error.

    Attributes:
        words: bytes of the word in each row.
        vectors: float32[rows, dimensions].
        numbers: number of each row's line in a text, or of each row in a binary file; from 1.
    """

    words: list[bytes]
    vectors: NDArray[np.float32]
    numbers: Sequence[int]
