"""How far codes' neighbours are from the source's in one batch: KL(p || q), its slopes, compiled.

p(j | i) is the distribution over the neighbours j of a word i that cosines imply, a softmax at a
temperature T, and q(j | i) the one that codes imply, a softmax of their inner products s, divided
by their length, times a gain g / T that is learned. Inner products of ``bits`` signs take ``bits``
+ 1 values only, so q needs no exponential: it is looked up by the Hamming distance.

A batch's m^2 pairs are small enough for the cache and too large for many passes over them: what is
done to a row is done in one. All of it gives the same bits on every processor (``portable``). What
is summed over a row is integers, which the compiler may sum in any order; what is summed over rows
is added a row at a time; and what goes into a matrix product is rounded to so few bits that the
product is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from .portable import exponential, logarithm
from .scans import popcount
from .vectors import LENGTH

Floats = npt.NDArray[np.float32]
Distances = npt.NDArray[np.uint16]

LEAST_SHARE = 0.01
"""Of a new value in a running mean: later it is of about the last hundred."""

_FIRST_GAIN = -0.6931471805599453  # its logarithm
_GAIN_RATE = 0.01
_NOTHING = 1e-12  # keeps a quotient finite
_UNIT = np.float32(1 / LENGTH**2)  # of a cosine
_WHOLE = 1 << 20  # the weight of a word's nearest; a batch's words are far fewer than 2^11
_LEAST_LOGIT = np.float32(-16)  # beyond, a weight is as good as 0


@dataclass(frozen=True)
class Batch:
    """Some words' directions: what their cosines come from.

    Attributes:
        products: of their ``integer_directions``, float32[m, m].
        shared: their shared components, over their lengths, float32[shared, m].
        scales: 1 over the length of the rest of each, float32[m].
    """

    products: Floats
    shared: Floats
    scales: Floats


class Scale:
    """One of the losses: its temperature, its weight, and the gain of codes' inner products."""

    def __init__(self, batches: Sequence[Floats], perplexity: float, weight: float) -> None:
        """Choose the temperature for ``batches`` of cosines float32[m, m]."""
        self.temperature = temperature_of(batches, perplexity)
        self.weight = weight
        self._log_gain = _FIRST_GAIN
        self._square = 0.0  # running mean square of its slopes
        self._steps = 0

    @property
    def gain(self) -> float:
        """What inner products are multiplied by, g / T."""
        return exponential(self._log_gain) / self.temperature

    def weights(self, bits: int) -> npt.NDArray[np.int32]:
        """Return the weight of a word by its distance beyond the nearest: ``_WHOLE`` at 0.

        int32[2 * bits + 2], 0 for the distance that a word has to itself.
        """
        falls = np.full(bits + 1, exponential(-2 * self.gain / bits))
        falls[0] = _WHOLE
        weights = np.zeros(2 * bits + 2, np.int32)
        weights[: bits + 1] = np.multiply.accumulate(falls)
        return weights

    def improve_gain(self, excess: float, words: int, bits: int) -> None:
        """Take a step of the gain, given the sum of (q - p) times the distances."""
        slope = -2 / bits * self.gain * excess / words
        self._steps += 1
        share = max(1 / self._steps, LEAST_SHARE)
        self._square += share * (slope * slope - self._square)
        self._log_gain -= _GAIN_RATE * slope / (sqrt(self._square) + _NOTHING)


def targets(batch: Batch, near: Scale, far: Scale) -> tuple[Floats, Floats]:
    """Return p, float32[m, m], of near cosines and of far ones."""
    results = np.empty_like(batch.products), np.empty_like(batch.products)
    inverse = np.float32(1 / near.temperature), np.float32(1 / far.temperature)
    _targets(batch.products, batch.shared, batch.scales, *inverse, *results)
    return results


def cosines(batch: Batch) -> tuple[Floats, Floats]:
    """Return the near and the far cosines float32[m, m] of a batch."""
    near, far = np.empty_like(batch.products), np.empty_like(batch.products)
    for i in range(len(near)):
        _row_cosines(batch.products, batch.shared, batch.scales, i, near[i], far[i])
    return near, far


def slopes(
    packed: npt.NDArray[np.uint64],
    signs: Floats,
    targets: tuple[Floats, Floats],
    scales: tuple[Scale, Scale],
    judged: float,
) -> Floats:
    """Return the slopes of the weighted loss to ``signs``, and improve the scales' gains.

    Args:
        packed: the batch's codes, uint64[bits / 64, m], a column each.
        signs: the same, -1 and 1, float32[m, bits].
        targets: p of each scale, float32[m, m].
        scales: near and far.
        judged: the share of the curvature that is taken off. The curvature to a sign is, of a
            word's own row of q, the variance of the others' signs under q, and of another's row
            that of whether the word is drawn.

    Returns:
        float32[m, bits].
    """
    words, bits = signs.shape
    tables = [scale.weights(bits) for scale in scales]
    factors = [np.float32(scale.weight * scale.gain) for scale in scales]
    q = np.empty((2, words, words), np.float32)
    pull = np.zeros((words, words), np.float32)
    drawn, excess = np.zeros((2, words), np.float32), np.zeros((2, words), np.float32)
    sizes = np.zeros(words, np.float32)
    _compare(packed, *tables, *targets, *factors, q, pull, drawn, excess, sizes)
    # A word is i in its own row, and j in the others'. A row of p or q has a sum of 1, so of both
    # together absolute values are at most this; in units of 2^-23 of it, products are exact.
    largest = float(sizes.max()) + 2 * float(sum(factors))
    unit = 2.0 ** (frexp(largest)[1] - 23)
    both = pull + pull.T
    both *= np.float32(1 / unit)
    np.rint(both, out=both)
    result: Floats = both @ signs
    result *= np.float32(unit / bits)
    means = q.reshape(2 * words, words) @ signs
    for number, scale in enumerate(scales):
        factor = np.float32(judged * scale.weight * (scale.gain / bits) ** 2)
        _judge(result, signs, means[number * words : (number + 1) * words], drawn[number], factor)
    for total, scale in zip(excess, scales, strict=True):
        scale.improve_gain(float(_sum(total)), words, bits)
    return result


def temperature_of(batches: Sequence[Floats], perplexity: float) -> float:
    """Return T for which exp(entropy of p(. | i)) has the geometric mean ``perplexity``.

    Over all words i of the ``batches`` of cosines float32[m, m]; a word's own don't count.
    """
    low, high = 1e-3, 1.0
    for _ in range(12):
        middle = sqrt(low * high)
        entropies = [_entropy(each, np.float32(1 / middle)) for each in batches]
        mean = sum(entropies) / len(entropies)
        low, high = (middle, high) if mean < logarithm(perplexity) else (low, middle)
    return sqrt(low * high)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _entropy(cosines: Floats, scale: np.float32) -> float:
    """Return the mean entropy of the softmax of each row's ``scale`` times cosines."""
    words = len(cosines)
    entropy = 0.0
    for i in range(words):
        largest = -np.inf
        for j in range(words):
            if j != i:
                largest = max(largest, cosines[i, j])
        total, mean = 0.0, 0.0
        for j in range(words):
            if j != i:
                logit = max((cosines[i, j] - np.float32(largest)) * scale, _LEAST_LOGIT)
                weight = _exponential(logit)
                total += weight
                mean += weight * logit
        entropy += logarithm(total) - mean / total
    return entropy / words


@njit(inline="always")  # type: ignore[untyped-decorator]
def _exponential(logit: np.float32) -> np.float32:
    """Return e^logit to 4 digits, from ``_LEAST_LOGIT`` to 0."""
    y = logit * np.float32(1 / 32)
    power = np.float32(1 / 720)
    power = power * y + np.float32(1 / 120)
    power = power * y + np.float32(1 / 24)
    power = power * y + np.float32(1 / 6)
    power = power * y + np.float32(0.5)
    power = power * y + np.float32(1)
    power = power * y + np.float32(1)
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    return power  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _row_cosines(
    products: Floats, shared: Floats, scales: Floats, i: int, near: Floats, far: Floats
) -> None:
    """Write the cosines of word i with all, with and without what words share."""
    words = len(products)
    for j in range(words):
        near[j] = products[i, j] * _UNIT
        far[j] = near[j]
    for k in range(len(shared)):
        component = shared[k, i]
        for j in range(words):
            far[j] -= component * shared[k, j]
    scale = scales[i]
    for j in range(words):
        far[j] *= scale * scales[j]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _targets(
    products: Floats,
    shared: Floats,
    scales: Floats,
    near_inverse: np.float32,
    far_inverse: np.float32,
    near: Floats,
    far: Floats,
) -> None:
    words = len(products)
    whole = np.empty(words, np.int32)
    for i in range(words):
        _row_cosines(products, shared, scales, i, near[i], far[i])
        _to_shares(near[i], i, near_inverse, whole)
        _to_shares(far[i], i, far_inverse, whole)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _to_shares(cosines: Floats, i: int, inverse: np.float32, whole: npt.NDArray[np.int32]) -> None:
    """Turn word i's ``cosines`` float32[m] into p, in place; ``whole`` int32[m] is for its use."""
    words = len(cosines)
    units = np.float32(1 << 24)
    for j in range(words):
        whole[j] = np.int32(cosines[j] * units)
    whole[i] = -(2**30)
    largest = whole[0]
    for j in range(words):  # of integers: the compiler may compare many at a time
        largest = max(largest, whole[j])
    scale = inverse / units
    for j in range(words):
        logit = max(np.float32(whole[j] - largest) * scale, _LEAST_LOGIT)
        whole[j] = np.int32(_exponential(logit) * np.float32(_WHOLE))
    whole[i] = 0
    total = np.int32(0)
    for j in range(words):
        total += whole[j]
    share = np.float32(1) / np.float32(total)
    for j in range(words):
        cosines[j] = np.float32(whole[j]) * share


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _compare(
    packed: npt.NDArray[np.uint64],
    near_weights: npt.NDArray[np.int32],
    far_weights: npt.NDArray[np.int32],
    near_targets: Floats,
    far_targets: Floats,
    near_factor: np.float32,
    far_factor: np.float32,
    q: Floats,
    pull: Floats,
    drawn: Floats,
    excess: Floats,
    sizes: Floats,
) -> None:
    """Write ``q`` and ``pull``; add up over rows.

    Into ``drawn`` the variances, into ``excess`` (q - p) times the distances, into ``sizes`` the
    absolute values of ``pull``.
    """
    planes, words = packed.shape
    itself = np.uint16(128 * planes + 1)
    distances = np.empty(words, np.uint16)
    for i in range(words):
        distances[:] = 0
        for plane in range(planes):
            code = packed[plane, i]
            for j in range(words):
                distances[j] += np.uint16(popcount(code ^ packed[plane, j]))
        distances[i] = itself
        nearest = distances[0]
        for j in range(words):
            nearest = min(nearest, distances[j])
        _compare_row(
            distances, nearest, near_weights, near_targets[i], near_factor, q[0, i], pull[i],
            drawn[0], excess[0],
        )  # fmt: skip
        _compare_row(
            distances, nearest, far_weights, far_targets[i], far_factor, q[1, i], pull[i],
            drawn[1], excess[1],
        )  # fmt: skip
        for j in range(words):
            sizes[j] += abs(pull[i, j])


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _compare_row(
    distances: Distances,
    nearest: np.uint16,
    weights: npt.NDArray[np.int32],
    targets: Floats,
    factor: np.float32,
    q: Floats,
    pull: Floats,
    drawn: Floats,
    excess: Floats,
) -> None:
    words = len(distances)
    total = np.int32(0)
    for j in range(words):
        weight = weights[distances[j] - nearest]
        q[j] = np.float32(weight)  # below 2^24: exact
        total += weight
    scale = np.float32(1) / np.float32(total)
    for j in range(words):
        # Adding 2 rounds to a multiple of 2^-22: products with signs are exact.
        share = (q[j] * scale + np.float32(2)) - np.float32(2)
        q[j] = share
        drawn[j] += share - share * share
        difference = share - targets[j]
        pull[j] += factor * difference
        excess[j] += difference * np.float32(np.int32(distances[j]))


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _judge(result: Floats, signs: Floats, means: Floats, drawn: Floats, factor: np.float32) -> None:
    """Take the share ``factor`` of the curvatures off the slopes."""
    words, bits = signs.shape
    for i in range(words):
        for j in range(bits):
            curvature = np.float32(1) - means[i, j] * means[i, j] + drawn[i]
            result[i, j] -= factor * curvature * signs[i, j]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _sum(values: Any) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
