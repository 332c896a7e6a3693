"""Losses between words, for d_L of Vickrey (section 3.1): the cost of a replaced word.

A loss is a function from two broadcastable arrays of ids, the input words and the released words,
to an array of nonnegative numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Loss = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]
"""(ids of inputs, ids of outputs), broadcast against each other, to losses."""


def code_loss(codes: NDArray[np.uint64]) -> Loss:
    """Return the loss d / bits, d being the Hamming distance of codes uint64[n, bits / 64].

    0 for the same code, about 1/2 for unrelated words.
    """
    ones = np.unpackbits(np.arange(1 << 16, dtype="<u2").view(np.uint8)).reshape(-1, 16).sum(1)
    ones = ones.astype(np.uint8)
    pieces = np.ascontiguousarray(codes).view("<u2")  # [n, bits / 16]

    def loss(inputs: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
        distances: NDArray[Any] = np.zeros(np.broadcast_shapes(inputs.shape, outputs.shape))
        for column in pieces.T:
            distances += ones[column[inputs] ^ column[outputs]]
        distances /= codes.shape[1] * 64
        return distances

    return loss
