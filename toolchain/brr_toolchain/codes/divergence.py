"""How far codes' neighbours are from the source's in one batch: KL(p || q), its slopes, compiled.

p(j | i) is the distribution over the neighbours j of a word i that cosines imply, a softmax at a
temperature T, and q(j | i) the one that codes imply, a softmax of their inner products s, divided
by their length, times a gain g / T that is learned. Inner products of ``bits`` signs take ``bits``
+ 1 values only, so q needs no exponential: it is looked up by the Hamming distance.

A batch's m^2 pairs are small enough for the cache and too large for many passes over them: what is
done to a row is done in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from .pairs import popcount

Floats = npt.NDArray[np.float32]
Distances = npt.NDArray[np.uint16]

ITSELF = np.float32(-1e4)
"""The cosine that keeps a word from being its own neighbour."""

_FIRST_GAIN = 0.5
_GAIN_RATE = 0.01
_LEAST_SHARE = np.float32(0.01)  # of a new value in a running mean
_NOTHING = 1e-12  # keeps a quotient finite
_IN_ANY_ORDER = {"reassoc", "contract", "arcp", "nsz"}  # sums of a row


class Scale:
    """One of the losses: its temperature, its weight, and the gain of codes' inner products."""

    def __init__(self, batches: Sequence[Floats], perplexity: float, weight: float) -> None:
        """Choose the temperature for ``batches`` of cosines float32[m, m]."""
        self.temperature = temperature_of(batches, perplexity)
        self._weight = weight
        self._log_gain = float(np.log(_FIRST_GAIN))
        self._square = 0.0  # running mean square of its slopes
        self._steps = 0

    @property
    def gain(self) -> float:
        """What inner products are multiplied by, g / T."""
        return float(np.exp(self._log_gain)) / self.temperature

    def targets(self, cosines: Floats) -> Floats:
        """Turn a batch's ``cosines`` float32[m, m] into p, in place."""
        _to_logits(cosines, cosines.max(axis=1), np.float32(1 / self.temperature))
        np.exp(cosines, out=cosines)
        _to_shares(cosines)
        return cosines

    def pull(self, targets: Floats, distances: Distances, signs: Floats, pull: Floats) -> Floats:
        """Add the slopes of the weighted loss to ``pull``, return its curvatures; improve the gain.

        Args:
            targets: p, float32[m, m].
            distances: of the batch's codes, [m, m], as ``hamming`` returns them.
            signs: the codes, -1 and 1, float32[m, bits].
            pull: float32[m, m]; the first derivatives to the inner products (divided by ``bits``)
                are added.

        Returns:
            The second derivatives to ``signs``, float32[m, bits]. Of a word's own row of q it is
            the variance of the others' signs under q, of another's row that of whether the word is
            drawn.
        """
        gain, bits = self.gain, signs.shape[1]
        # exp of the logit, against that of equal codes; 0 for the word itself.
        weights = np.zeros(2 * bits + 2, np.float32)
        weights[: bits + 1] = np.exp(-2 * gain / bits * np.arange(bits + 1))
        q, drawn = np.empty_like(pull), np.zeros(len(pull), np.float32)
        factor = np.float32(self._weight * gain)
        excess = float(_compare(distances, weights, targets, factor, q, pull, drawn))
        curvatures: Floats = 1 - np.square(q @ signs) + drawn[:, None]
        curvatures *= np.float32(self._weight * (gain / bits) ** 2)
        self._improve_gain(-2 / bits * gain * excess / len(pull))
        return curvatures

    def _improve_gain(self, slope: float) -> None:
        self._steps += 1
        self._square = float(running_mean(self._square, slope * slope, self._steps))
        self._log_gain -= _GAIN_RATE * slope / (self._square**0.5 + _NOTHING)


def temperature_of(batches: Sequence[Floats], perplexity: float) -> float:
    """Return T for which exp(entropy of p(. | i)) has the geometric mean ``perplexity``.

    Over all words i of the ``batches`` of cosines float32[m, m].
    """
    distances = [cosines - cosines.max(axis=1, keepdims=True) for cosines in batches]
    low, high = 1e-3, 1.0
    for _ in range(12):
        middle = np.float32(np.sqrt(low * high))
        entropies = [_entropy(np.maximum(each / middle, -1e3)) for each in distances]
        low, high = (middle, high) if np.mean(entropies) < np.log(perplexity) else (low, middle)
    return float(np.sqrt(low * high))


def _entropy(logits: Floats) -> float:
    """Return the mean entropy of the softmax of each row, whose largest logit is 0."""
    weights = np.exp(logits)
    totals = weights.sum(axis=1)
    weights *= logits
    return float((np.log(totals) - weights.sum(axis=1) / totals).mean())


def running_mean(mean: Any, new: Any, times: Any) -> Any:
    """Return the mean of all ``times`` values yet, later of about the last hundred."""
    return mean + np.maximum(1 / times, _LEAST_SHARE) * (new - mean)


def hamming(packed: npt.NDArray[np.uint64]) -> Distances:
    """Return the distances uint16[m, m] of codes uint64[bits / 64, m], a column each.

    A word is 2 ``bits`` + 1 away from itself: too far to be its own neighbour.
    """
    words = packed.shape[1]
    distances = np.zeros((words, words), np.uint16)
    _add_distances(packed, distances)
    np.fill_diagonal(distances, 2 * 64 * len(packed) + 1)
    return distances


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _add_distances(packed: npt.NDArray[np.uint64], distances: Distances) -> None:
    planes, words = packed.shape
    for i in range(words):
        for plane in range(planes):
            code = packed[plane, i]
            for j in range(words):
                distances[i, j] += np.uint16(popcount(code ^ packed[plane, j]))


@njit(nogil=True, cache=True, fastmath=_IN_ANY_ORDER)  # type: ignore[untyped-decorator]
def _compare(
    distances: Distances,
    weights: Floats,
    targets: Floats,
    factor: np.float32,
    q: Floats,
    pull: Floats,
    drawn: Floats,
) -> np.float32:
    """Write ``q``, add the slopes to ``pull`` and the variance of being drawn to ``drawn``.

    Returns:
        The sum of (q - p) times the distances.
    """
    words = len(distances)
    excess = np.float32(0)
    for i in range(words):
        nearest = distances[i, 0]
        for j in range(words):
            nearest = min(nearest, distances[i, j])
        total = np.float32(0)
        for j in range(words):
            weight = weights[distances[i, j] - nearest]
            q[i, j] = weight
            total += weight
        scale = np.float32(1) / total
        for j in range(words):
            share = q[i, j] * scale
            q[i, j] = share
            drawn[j] += share - share * share
            difference = share - targets[i, j]
            pull[i, j] += factor * difference
            excess += difference * np.float32(np.int32(distances[i, j]))
    return excess  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _to_logits(cosines: Floats, largest: Floats, scale: np.float32) -> None:
    words = len(cosines)
    for i in range(words):
        for j in range(words):
            cosines[i, j] = (cosines[i, j] - largest[i]) * scale


@njit(nogil=True, cache=True, fastmath=_IN_ANY_ORDER)  # type: ignore[untyped-decorator]
def _to_shares(weights: Floats) -> None:
    words = len(weights)
    for i in range(words):
        total = np.float32(0)
        for j in range(words):
            total += weights[i, j]
        scale = np.float32(1) / total
        for j in range(words):
            weights[i, j] *= scale


@njit(nogil=True, cache=True, fastmath=_IN_ANY_ORDER)  # type: ignore[untyped-decorator]
def without_shared(cosines: Floats, shared: Floats, scales: Floats, result: Floats) -> None:
    """Write the cosines of what words don't share.

    Args:
        cosines: float32[m, m], of the whole vectors.
        shared: float32[k, m], the shared components of the directions.
        scales: float32[m], 1 over the length of the rest.
        result: float32[m, m].
    """
    words = len(cosines)
    for i in range(words):
        for j in range(words):
            result[i, j] = cosines[i, j]
        for k in range(len(shared)):
            component = shared[k, i]
            for j in range(words):
                result[i, j] -= component * shared[k, j]
        for j in range(words):
            result[i, j] *= scales[i] * scales[j]
