"""Exact Hamming search for many queries at once: three codes to a number, one matrix product.

For a query with bits q the distance to a code with bits b is |q| + sum over j of b_j (1 - 2 q_j):
a dot product. Three codes share one float32, in base 256, so the product does three distances at a
time. Every sum is an integer below 2^24, which float32 holds exactly; nothing is rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_BITS = 256
"""Longer codes have distances that don't fit a byte."""

QUERIES = 256
"""Queries per product: enough for it to run at full speed, few enough to bound memory."""

_SLOTS = 3  # codes to a float32; the fourth byte of its integer is set to _TAKEN
_ONES = 0x010101  # a one in each slot
_TAKEN = 255
_ROWS = 1_024  # columns per product: 1 MB of sums at a time


def pack_codes(planes: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return ``planes`` uint64[bits / 64, n] as a matrix float32[bits, ceil(n / 3)]."""
    columns = -(-planes.shape[1] // _SLOTS)
    matrix = np.zeros((planes.shape[0] * 64, columns), np.float32)
    octets = np.ascontiguousarray(planes.T).view(np.uint8).T
    for octet, rows in zip(octets, matrix.reshape(-1, 8, columns), strict=True):
        for slot in range(_SLOTS):
            bits = np.unpackbits(octet[slot::_SLOTS, None], axis=1, bitorder="little")
            rows[:, : len(bits)] += bits.T * np.float32(256**slot)
    return matrix


def nearest_in_batch(
    matrix: NDArray[np.float32], words: int, queries: NDArray[np.uint64], k: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return ids and distances [m, k] of the k nearest codes; ties go to the lower rank.

    Where a distance isn't that of its code, the row has to be searched in another way: it is -1 if
    255 or more, or if the query's bits are all equal (its sums can reach 2^24), and 0 if a code at
    distance 256, which overflows its byte, was taken for the nearest.

    Args:
        matrix: from ``pack_codes``.
        words: n, the number of codes in it.
        queries: uint64[m, bits / 64]; at most ``QUERIES`` are best.
        k: at most the number of codes.
    """
    bits = np.unpackbits(np.ascontiguousarray(queries).view(np.uint8), axis=1, bitorder="little")
    signs = 1 - 2 * bits.astype(np.float32)
    # |q| in each slot; the subtraction makes the fourth byte 255 and leaves the others alone.
    offsets = bits.sum(axis=1, dtype=np.int32)[:, None] * _ONES - (1 << 24)
    rows = np.arange(len(queries))
    ids, distances = [], []
    products = np.empty((0, 0), np.float32)
    for start in range(0, matrix.shape[1], _ROWS):
        part = matrix[:, start : start + _ROWS]
        if products.shape[1] != part.shape[1]:  # at the start, and at the end; reused between
            products = np.empty((len(queries), part.shape[1]), np.float32)
            sums = np.empty(products.shape, "<i4")
        np.matmul(signs, part, out=products)
        np.copyto(sums, products, casting="unsafe")
        sums += offsets
        slots = sums.view(np.uint8)
        missing = _SLOTS * (start + sums.shape[1]) - words
        if missing > 0:
            slots[:, -1 - missing : -1] = _TAKEN
        for _ in range(min(k, _SLOTS * sums.shape[1])):
            best = slots.argmin(axis=1)
            ids.append(_SLOTS * (start + best // 4) + best % 4)
            distances.append(slots[rows, best])
            slots[rows, best] = _TAKEN
    found = np.stack(distances, axis=1)
    order = np.argsort(found, axis=1, kind="stable")[:, :k]
    result = np.take_along_axis(found, order, axis=1).astype(np.int64)
    unsure = (result == _TAKEN).any(axis=1) | (bits == bits[:, :1]).all(axis=1)
    result[unsure] = -1
    return np.take_along_axis(np.stack(ids, axis=1), order, axis=1), result
