"""What the readers of all formats yield, and the limits that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 20  # bytes read at a time, and the longest line
MAX_DIMENSIONS = 1 << 16  # a damaged header must not make anybody allocate


@dataclass(frozen=True)
class RowBatch:
    """Consecutive rows of an embedding file.

    A reader yields the good rows in front of a bad one before it raises: whoever has enough
    by then never hears of it.

    Attributes:
        words: bytes as in the file, one per row.
        vectors: float32[rows, dimensions].
        numbers: where each row stands: line numbers in a text, row numbers in a binary file,
            both from 1.
    """

    words: list[bytes]
    vectors: NDArray[np.float32]
    numbers: Sequence[int]
