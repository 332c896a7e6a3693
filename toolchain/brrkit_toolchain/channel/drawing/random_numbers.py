"""Random numbers for many draws at once, exact in integers, from a source of random bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.randomness import RandomSource, draw
from brrkit_toolchain.io.compiled import compiled


def uniform_below(bounds: NDArray[np.int64], random: RandomSource) -> NDArray[np.uint64]:
    """Return a uniform integer in [0, bound) for each of ``bounds`` [m], from 1 to 2^63 - 1.

    It takes 8 bytes for each, keeps as many of the lowest bits as ``bound - 1`` has, and draws
    again if the number isn't below the bound.
    """
    limits = bounds.astype(np.uint64)
    masks = limits - np.uint64(1)
    for shift in (1, 2, 4, 8, 16, 32):
        masks |= masks >> np.uint64(shift)
    result = np.empty(len(bounds), np.uint64)
    waiting = np.arange(len(bounds))
    while len(waiting):
        numbers = random_uint64(len(waiting), random) & masks[waiting]
        result[waiting] = numbers
        waiting = waiting[numbers >= limits[waiting]]
    return result


def random_flips(
    shape: tuple[int, ...], threshold: int, random: RandomSource
) -> NDArray[np.uint64]:
    """Return uint64 numbers whose bits are 1 with probability ``threshold`` / 2^32 each.

    A bit is 1 if a number of 32 random bits is below the threshold. The highest bits of all numbers
    are drawn first, 64 in a word, and then the next ones only for undecided numbers: about 7
    instead of 32.
    """
    result = np.zeros(shape, np.uint64).ravel()
    equal = np.full(len(result), ~np.uint64(0))  # the bits whose number is undecided so far
    for place in range(31, -1, -1):
        words = np.flatnonzero(equal)
        if not len(words):
            break
        drawn, undecided = random_uint64(len(words), random), equal[words]
        if threshold >> place & 1:
            result[words] |= undecided & ~drawn
            equal[words] = undecided & drawn
        else:
            equal[words] = undecided & ~drawn
    return result.reshape(shape)


@compiled
def first_above(masses: NDArray[np.int64], rows: Any, numbers: Any) -> NDArray[np.intp]:
    """Return the first column of ``masses`` [rows[i]] that is above ``numbers[i]``, for each i.

    Args:
        masses: int64[r, c], each row ascending, its last column above all of the row's numbers.
        rows: intp[m].
        numbers: uint64[m], below 2^63.
    """
    result = np.empty(len(rows), np.intp)
    for i in range(len(rows)):
        row, number = rows[i], np.int64(numbers[i])
        low, high = 0, masses.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if masses[row, middle] > number:
                high = middle
            else:
                low = middle + 1
        result[i] = low
    return result


def random_uint64(count: int, random: RandomSource) -> NDArray[np.uint64]:
    """Return ``count`` random numbers of 64 bits."""
    return np.frombuffer(draw(8 * count, random), "<u8")
