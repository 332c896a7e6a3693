"""The divergence KL(p || q) of codes' neighbors from the source's in groups, with its slopes.

Cosines imply the distribution p (``targets``). Codes imply q(j | i) over the neighbors j of a word
i: a softmax of their inner products s, divided by their length, times a learned gain g / T. Inner
products of ``bits`` signs have only ``bits`` + 1 values, so q needs no exponential: a table
contains it by Hamming distance.

A group's m^2 pairs fit into a core's cache, and one call does all work on a group without the
interpreter's lock. The result has the same bits on every processor (``portable``). Sums within a
row add integers, which the compiler may reorder. Sums over rows add one row at a time. Factors of
matrix products are rounded to so few bits that the products are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.lanes import STEP, TILE, products_of_rows
from brrkit_toolchain.codes.portable import Doubles, exponential
from brrkit_toolchain.codes.scans import popcount
from brrkit_toolchain.codes.vectors import Integers
from brrkit_toolchain.io.compiled import compiled, inlined

from .targets import WHOLE, Floats, Ids, Source, row_cosines, temperature_of, to_shares

LEAST_SHARE = 0.01
"""Smallest share of a new value in a running mean, which then covers about the last hundred."""

_FIRST_GAIN = -0.6931471805599453  # logarithm of the gain
_GAIN_RATE = 0.01
_TINY = 1e-12  # keeps a quotient finite
_ROUNDING_SUMMAND = np.float32(3 << 22)
"""Adding and then subtracting this number rounds numbers below 2^22 to integers."""


class Scale:
    """One of the losses: its temperature, its weight, and the gain of codes' inner products."""

    def __init__(self, groups: Sequence[Floats], perplexity: float, weight: float) -> None:
        """Choose the temperature for ``groups`` of cosines float32[m, m]."""
        self.temperature = temperature_of(groups, perplexity)
        self.weight = weight
        self._log_gain = _FIRST_GAIN
        self._square = 0.0  # running mean square of its slopes
        self._steps = 0

    @property
    def gain(self) -> float:
        """The factor of inner products, g / T."""
        return exponential(self._log_gain) / self.temperature

    def weights(self, bits: int) -> npt.NDArray[np.int32]:
        """Return the weight of a word by its distance, less that of the nearest word.

        The result is int32[2 * bits + 2], ``WHOLE`` at 0, and 0 for the distance of a word from
        itself.
        """
        falls = np.full(bits + 1, exponential(-2 * self.gain / bits))
        falls[0] = WHOLE
        weights = np.zeros(2 * bits + 2, np.int32)
        weights[: bits + 1] = np.multiply.accumulate(falls)
        return weights

    def improve_gain(self, excess: float, words: int, bits: int) -> None:
        """Take a step of the gain, given the sum of (q - p) times the distances."""
        slope = -2 / bits * self.gain * excess / words
        self._steps += 1
        share = max(1 / self._steps, LEAST_SHARE)
        self._square += share * (slope * slope - self._square)
        self._log_gain -= _GAIN_RATE * slope / (sqrt(self._square) + _TINY)


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
            is the variance of whether the word is drawn.
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
        near.weights(bits),
        far.weights(bits),
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
    near_weights: npt.NDArray[np.int32],
    far_weights: npt.NDArray[np.int32],
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
    signs = np.empty((words, bits), np.float32)
    packed = np.empty((bits // 64, words), np.uint64)
    products = np.empty((padded, padded), np.float32)
    pull = np.empty((words, words), np.float32)
    factors = np.empty((3 * words, words), np.float32)  # pull in both directions, near q, far q
    sums = np.empty((3 * words, bits), np.float32)
    drawn, excesses = np.empty((2, words), np.float32), np.empty((2, words), np.float32)
    for group in range(len(groups)):
        ids = groups[group]
        for i in range(words):
            source, row = integers[ids[i]], rows[i]
            for c in range(len(source)):
                row[c] = source[c]
            for k in range(len(group_shared)):
                group_shared[k, i] = shared[ids[i], k]
            group_scales[i] = scales[ids[i]]
            _signs(values[ids[i]], signs[i])
            _pack(values[ids[i]], packed, i)
        products_of_rows(rows, products)
        drawn[:] = 0
        excesses[:] = 0
        size = _compare(
            products, group_shared, group_scales, packed, near_inverse, far_inverse, near_weights,
            far_weights, near_factor, far_factor, factors[words:], pull, drawn, excesses,
        )  # fmt: skip
        # A word is i in its own row, and j in the others' rows. A row of p or q has the sum 1, so
        # this bounds the sum of absolute values in both. In units of 2^-22 of it, products are
        # exact.
        largest = np.float64(size) + 2.0 * (near_factor + far_factor)
        unit = 2.0**-60
        while unit * 2**22 < largest:
            unit *= 2
        inverse = np.float32(1 / unit)
        for i in range(words):
            for j in range(words):
                factors[i, j] = (
                    (pull[i, j] + pull[j, i]) * inverse + _ROUNDING_SUMMAND
                ) - _ROUNDING_SUMMAND
        np.dot(factors, signs, sums)
        unit = np.float32(unit / bits)
        for i in range(words):
            near_means, far_means = sums[words + i], sums[2 * words + i]
            near_drawn, far_drawn = np.float32(1) + drawn[0, i], np.float32(1) + drawn[1, i]
            found = slopes[group, i]
            for j in range(bits):
                curvature = near_curvature * (near_drawn - near_means[j] * near_means[j])
                curvature += far_curvature * (far_drawn - far_means[j] * far_means[j])
                found[j] = sums[i, j] * unit - curvature * signs[i, j]
            squares[group, i] = _mean_square(found)
        for scale in range(2):
            excess[group, scale] = 0
            for j in range(words):
                excess[group, scale] += excesses[scale, j]


@inlined
def _signs(values: Floats, signs: Floats) -> None:
    """Write a code as -1 and 1."""
    for bit in range(len(values)):
        signs[bit] = np.float32(1) if values[bit] >= 0 else np.float32(-1)


@inlined
def _pack(values: Floats, planes: npt.NDArray[np.uint64], place: int) -> None:
    """Write a packed code into a column."""
    for plane in range(len(planes)):
        code = np.uint64(0)
        for bit in range(64):
            code |= np.uint64(values[64 * plane + bit] >= 0) << np.uint64(bit)
        planes[plane, place] = code


@inlined
def _mean_square(values: Floats) -> np.float32:
    """Return the mean square, summed in a fixed order; the count is a multiple of 4."""
    first = second = third = fourth = np.float32(0)
    for i in range(0, len(values), 4):
        first += values[i] * values[i]
        second += values[i + 1] * values[i + 1]
        third += values[i + 2] * values[i + 2]
        fourth += values[i + 3] * values[i + 3]
    total = (first + second) + (third + fourth)
    return total / np.float32(len(values))  # type: ignore[no-any-return]


@compiled
def _compare(
    products: Floats,
    shared: Floats,
    scales: Floats,
    packed: npt.NDArray[np.uint64],
    near_inverse: np.float32,
    far_inverse: np.float32,
    near_weights: npt.NDArray[np.int32],
    far_weights: npt.NDArray[np.int32],
    near_factor: np.float32,
    far_factor: np.float32,
    q: Floats,
    pull: Floats,
    drawn: Floats,
    excess: Floats,
) -> np.float32:
    """Write near and far q, and ``pull``; return the largest column sum of its absolute values.

    Sums over rows go into ``drawn`` (variances) and ``excess`` ((q - p) times the distances).
    """
    planes, words = packed.shape
    itself = np.uint16(128 * planes + 1)
    distances = np.empty(words, np.uint16)
    near_p, far_p = np.empty(words, np.float32), np.empty(words, np.float32)
    sizes, whole = np.zeros(words, np.float32), np.empty(words, np.int32)
    for i in range(words):
        row_cosines(products[i, :words], shared, scales, i, near_p, far_p)
        to_shares(near_p, i, near_inverse, whole)
        to_shares(far_p, i, far_inverse, whole)
        distances[:] = 0
        for plane in range(planes):
            code = packed[plane, i]
            for j in range(words):
                distances[j] += np.uint16(popcount(code ^ packed[plane, j]))
        distances[i] = itself
        nearest = distances[0]
        for j in range(words):
            nearest = min(nearest, distances[j])
        near_q, far_q = q[i], q[words + i]
        near_total, far_total = np.int32(0), np.int32(0)
        for j in range(words):
            near_weight = near_weights[distances[j] - nearest]
            far_weight = far_weights[distances[j] - nearest]
            near_q[j], far_q[j] = near_weight, far_weight  # below 2^24: exact
            near_total += near_weight
            far_total += far_weight
        near_share = np.float32(1) / np.float32(near_total)
        far_share = np.float32(1) / np.float32(far_total)
        for j in range(words):
            # Adding 2 rounds to a multiple of 2^-22, so that products with signs are exact.
            near_q[j] = (near_q[j] * near_share + np.float32(2)) - np.float32(2)
            far_q[j] = (far_q[j] * far_share + np.float32(2)) - np.float32(2)
            drawn[0, j] += near_q[j] - near_q[j] * near_q[j]
            drawn[1, j] += far_q[j] - far_q[j] * far_q[j]
            distance = np.float32(np.int32(distances[j]))
            near_excess, far_excess = near_q[j] - near_p[j], far_q[j] - far_p[j]
            excess[0, j] += near_excess * distance
            excess[1, j] += far_excess * distance
            pull[i, j] = near_factor * near_excess + far_factor * far_excess
            sizes[j] += abs(pull[i, j])
    largest = np.float32(0)
    for j in range(words):
        largest = max(largest, sizes[j])
    return largest  # type: ignore[no-any-return]
