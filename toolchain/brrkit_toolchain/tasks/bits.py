"""Task bits: words' evidence for classes, in a form that Hamming distance measures.

Each class has a list of bits. A word sets a number of them, in the list's order, that grows with
its evidence for the class. Words with similar evidence are near; words with other evidence, or
without any, are far. A word without evidence sets no bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.tasks import TASK_BITS
from brrkit_toolchain.tasks.scores import UNIT, Scores

_MOST_OWN_BITS = 16  # largest number of a class's own bits
_FEWEST_OWN_BITS = 6  # smallest number; with fewer, classes share bits
_SQUARE_SIDE = 8  # side of the square of 64 bits, if classes share them
_PERCENT_BELOW_FULL = 99  # percentage of the texts' words up to the score that sets all bits
_LEAST_FULL_SCORE = UNIT // 4  # smallest such score, so that noise doesn't set all bits


def bit_lists(classes: int) -> list[list[int]]:
    """Return the places of each class's bits among the task bits, in the order of setting.

    If 6 or more bits for each class suffice, each has the same number of own bits, at most 16.
    Otherwise, each class has 8 bits, one in each row of a square of 8 x 8. A polynomial over the
    field of 8 elements gives the column. For the first 64 classes, it has degree 1, so that two of
    them share at most one bit. For further classes, it has degree 2, so that two classes share at
    most two bits (Reed and Solomon 1960). Each class begins in another row.

    Raises:
        ParameterError: there are more than 512 classes.
    """
    own = min(_MOST_OWN_BITS, TASK_BITS // classes)
    if own >= _FEWEST_OWN_BITS:
        return [list(range(place * own, (place + 1) * own)) for place in range(classes)]
    if classes > _SQUARE_SIDE**3:
        raise ParameterError(
            f"the tasks have {classes} classes in total; at most {_SQUARE_SIDE**3} are allowed: "
            "leave a task out"
        )
    return [_overlapping(place) for place in range(classes)]


def _overlapping(place: int) -> list[int]:
    constant, slope, square = (
        place % _SQUARE_SIDE,
        place // _SQUARE_SIDE % _SQUARE_SIDE,
        place // _SQUARE_SIDE**2,
    )
    rows = [(constant + slope + square + i) % _SQUARE_SIDE for i in range(_SQUARE_SIDE)]
    return [
        _SQUARE_SIDE * x + (constant ^ _product(slope, x) ^ _product(square, _product(x, x)))
        for x in rows
    ]


def _product(a: int, b: int) -> int:
    """Return the product in the field of 8 elements: polynomials modulo x^3 + x + 1."""
    product = a * (b & 1) ^ a * (b & 2) ^ a * (b & 4)
    for bit in (4, 3):
        if product >> bit & 1:
            product ^= 0b1011 << (bit - 3)
    return product


def levels(scores: Scores, lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return the number of bits of each class that a word sets, int64[words, classes].

    All bits are set from the score that 99% of the texts' words don't exceed for any class.

    Args:
        scores: scores of one task.
        lists: bits of each of its classes; all lists have the same length.
    """
    most, positive = len(lists[0]), scores.values.clip(0)
    largest = positive.max(axis=1)
    order = np.argsort(largest, kind="stable")
    up_to = np.cumsum(scores.texts[order])
    full = int(largest[order][np.searchsorted(100 * up_to, _PERCENT_BELOW_FULL * up_to[-1])])
    full = max(full, _LEAST_FULL_SCORE)
    return ((2 * most * positive + full) // (2 * full)).clip(max=most)


def light(
    bits: NDArray[np.bool_], levels: NDArray[np.int64], lists: Sequence[Sequence[int]]
) -> None:
    """Set the first ``levels`` [words, classes] bits of the ``lists`` in ``bits`` [words, 64]."""
    for place, positions in enumerate(lists):
        for number, position in enumerate(positions):
            bits[:, position] |= levels[:, place] > number
