"""The divergence KL(p || q) of codes' neighbors from the source's in groups, with its slopes.

Cosines imply the distribution p (``targets``). Codes imply q(j | i) over the neighbors j of a word
i: a softmax of their inner products s, divided by their length, times a learned gain g / T. Inner
products of ``bits`` signs have only ``bits`` + 1 values, so q needs no exponential: a table
contains it by Hamming distance.

A group's m^2 pairs fit into a core's cache, and one call does all work on a group without the
interpreter's lock. The result has the same bits on every processor (``portable``): factors of
matrix products are rounded to integers, and other sums have a fixed order (``comparison``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.lanes import (
    STEP,
    TILE,
    products_of_rows,
    products_with_pairs,
    sum_of_squares,
)
from brrkit_toolchain.codes.portable import Doubles
from brrkit_toolchain.codes.vectors import Integers
from brrkit_toolchain.io.compiled import compiled, inlined

from .comparison import compare, weigh
from .scale import Scale
from .targets import Floats, Ids, Source

_LARGEST_PULL = 32_766  # as an integer; p and q are then 1 and 0, or 0 and 1, for both words


@dataclass(frozen=True)
class Slopes:
    """The slopes of the loss in some groups.

    Attributes:
        slopes: float32[groups, m, bits], slopes of the weighted loss with respect to each word's
            signs.
        squares: float32[groups, m], mean square of each word's slopes.
        excess: float64[groups, 2], near and far sums of (q - p) times the distances.
    """

    slopes: Floats
    squares: Floats
    excess: Doubles

    def part(self, groups: slice) -> Slopes:
        """Return the slopes of some groups."""
        return Slopes(self.slopes[groups], self.squares[groups], self.excess[groups])


def no_slopes(groups: int, words: int, bits: int) -> Slopes:
    """Return memory for the slopes of ``groups`` groups of ``words`` words each."""
    return Slopes(
        np.empty((groups, words, bits), np.float32),
        np.empty((groups, words), np.float32),
        np.empty((groups, 2)),
    )


def find_slopes(
    groups: Ids,
    source: Source,
    values: Floats,
    scales: tuple[Scale, Scale],
    judged: float,
    found: Slopes,
) -> None:
    """Write the slopes of each group's weighted loss with respect to its words' signs.

    Args:
        groups: ids int64[groups, m].
        source: source of all words.
        values: float32[n, bits]; their signs are the codes.
        scales: the near and the far scale.
        judged: subtracted share of the curvature. With respect to a sign, the curvature of the
            word's own row of q is the variance of the others' signs under q; that of another's row
            is the variance of whether the word is drawn. The first is taken to be the same for all
            bits, as its expectation for independent signs: 1 - sum of q^2.
        found: the slopes, written to.
    """
    bits = values.shape[1]
    near, far = scales

    def curvature(scale: Scale) -> np.float32:
        taken: np.float32 = np.float32(judged * scale.weight * (scale.gain / bits) ** 2)
        return taken

    _groups_slopes(
        groups,
        source.integers,
        source.shared,
        source.scales,
        values,
        np.float32(1 / near.temperature),
        np.float32(1 / far.temperature),
        np.float32(near.fall(bits)),
        np.float32(far.fall(bits)),
        np.float32(near.weight * near.gain),
        np.float32(far.weight * far.gain),
        curvature(near),
        curvature(far),
        found.slopes,
        found.squares,
        found.excess,
    )


@compiled
def _groups_slopes(
    groups: Ids,
    integers: Integers,
    shared: Floats,
    scales: Floats,
    values: Floats,
    near_inverse: np.float32,
    far_inverse: np.float32,
    near_fall: np.float32,
    far_fall: np.float32,
    near_factor: np.float32,
    far_factor: np.float32,
    near_curvature: np.float32,
    far_curvature: np.float32,
    slopes: Floats,
    squares: Floats,
    excess: Doubles,
) -> None:
    words, bits = groups.shape[1], values.shape[1]
    # Padded with zeros to whole tiles.
    padded = -(-words // TILE) * TILE
    rows = np.zeros((padded, -(-integers.shape[1] // STEP) * STEP), np.int16)
    group_shared = np.empty((shared.shape[1], words), np.float32)
    group_scales = np.empty(words, np.float32)
    signs = np.zeros((padded // 2, 2 * bits), np.int16)
    packed = np.empty((bits // 64, words), np.uint64)
    products = np.empty((padded, padded), np.float32)
    distances = np.empty((words, words), np.float32)
    weighed, parts = np.empty((4, words, words), np.float32), np.empty((4, words), np.float32)
    pulls, sums = np.zeros((padded, padded), np.int16), np.empty((padded, bits), np.float32)
    variances, excesses = np.empty((2, words), np.float32), np.empty((2, words), np.float32)
    pull = (near_factor + far_factor) * np.float32(2 / _LARGEST_PULL)
    unit = pull / np.float32(bits)
    for group in range(len(groups)):
        ids = groups[group]
        for i in range(words):
            source, row = integers[ids[i]], rows[i]
            for c in range(len(source)):
                row[c] = source[c]
            for k in range(len(group_shared)):
                group_shared[k, i] = shared[ids[i], k]
            group_scales[i] = scales[ids[i]]
            _pack(values[ids[i]], packed, i)
        for i in range(0, words - 1, 2):
            _pair(values[ids[i]], values[ids[i + 1]], signs[i // 2])
        if words % 2 == 1:
            for bit in range(bits):
                signs[words // 2, 2 * bit] = _sign(values[ids[words - 1], bit])
        products_of_rows(rows, products)
        weigh(
            products, group_shared, group_scales, packed, near_inverse, far_inverse, near_fall,
            far_fall, distances, weighed, parts,
        )  # fmt: skip
        compare(
            distances, weighed, parts, near_factor / pull, far_factor / pull, pulls, variances,
            excesses,
        )  # fmt: skip
        products_with_pairs(pulls, signs, sums)
        for i in range(words):
            curvature = near_curvature * variances[0, i] + far_curvature * variances[1, i]
            found, own = slopes[group, i], values[ids[i]]
            for j in range(bits):
                found[j] = sums[i, j] * unit - curvature * _sign(own[j])
            squares[group, i] = sum_of_squares(found) / np.float32(bits)
        for scale in range(2):
            excess[group, scale] = 0
            for j in range(words):
                excess[group, scale] += excesses[scale, j]


@inlined
def _sign(value: np.float32) -> np.float32:
    return np.float32(1) if value >= 0 else np.float32(-1)  # type: ignore[no-any-return]


@inlined
def _pair(first: Floats, second: Floats, signs: Integers) -> None:
    """Write the signs of two words, in turn."""
    for bit in range(len(first)):
        signs[2 * bit] = _sign(first[bit])
        signs[2 * bit + 1] = _sign(second[bit])


@inlined
def _pack(values: Floats, planes: npt.NDArray[np.uint64], place: int) -> None:
    """Write a packed code into a column."""
    for plane in range(len(planes)):
        code = np.uint64(0)
        for bit in range(64):
            code |= np.uint64(values[64 * plane + bit] >= 0) << np.uint64(bit)
        planes[plane, place] = code
