"""Task bits: what words say of classes, written so that Hamming distance sees it.

Each class has a list of bits. A word lights as many of them as it has positive evidence for the
class, in the list's order: words that say the same are near, those that say something else, or
nothing, are far. A word without evidence has no bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.tasks import TASK_BITS
from brrkit_toolchain.tasks.scores import UNIT, Scores

_MOST_OWN_BITS = 16  # of a class
_FEWEST_OWN_BITS = 6  # of a class; with fewer, classes share bits
_SQUARE_SIDE = 8  # of the 64 bits, where classes share them
_PERCENT_BELOW_FULL = 99  # of the texts' words have at most the score that lights all bits
_LEAST_FULL_SCORE = UNIT // 4  # so that noise doesn't light all bits


def bit_lists(classes: int) -> list[list[int]]:
    """Return each class's bits, places in the task bits, in the order in which they are lit.

    As long as each class can have 6 bits of its own, it has as many, 16 at most. Otherwise it has
    8, one in each row of a square of 8 x 8, in the column that a polynomial over the field of 8
    elements says: of degree 1, so that two of the first 64 classes share one bit at most, then of
    degree 2, so that others share two at most (Reed and Solomon 1960). Each begins in another row.

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
    """Return the product in the field of 8 elements, polynomials modulo x^3 + x + 1."""
    product = a * (b & 1) ^ a * (b & 2) ^ a * (b & 4)
    for bit in (4, 3):
        if product >> bit & 1:
            product ^= 0b1011 << (bit - 3)
    return product


def levels(scores: Scores, lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return how many bits of each class a word lights, int64[words, classes].

    A score that 99% of the texts' words don't exceed for any class, or a higher one, lights all.

    Args:
        scores: of one task.
        lists: the bits of each of its classes, all as long.
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
    """Light ``levels`` [words, classes] of the ``lists`` in ``bits`` [words, 64]."""
    for place, positions in enumerate(lists):
        for number, position in enumerate(positions):
            bits[:, position] |= levels[:, place] > number
