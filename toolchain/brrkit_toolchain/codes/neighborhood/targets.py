"""What the vectors say of a group of words: their cosines, and the distribution p that is wanted.

p(j | i) is the distribution over the neighbors j of a word i that cosines imply, a softmax at a
temperature T: of near cosines, and of far ones, which are of the vectors without what all words
share. All of it gives the same bits on every processor (``portable``): what is summed over a row
is integers, which the compiler may sum in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.portable import logarithm
from brrkit_toolchain.codes.vectors import LENGTH, Integers
from brrkit_toolchain.io.compiled import compiled, inlined

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

WHOLE = 1 << 20
"""The weight of a word's nearest; a group's words are fewer than 2^11."""

_COSINE_UNIT = np.float32(1 / LENGTH**2)
_LEAST_LOGIT = np.float32(-16)  # beyond, a weight is as good as 0


@dataclass(frozen=True)
class Source:
    """The vectors' directions, and what of them all words share.

    Attributes:
        integers: the ``integer_directions``, int16[n, d].
        shared: their components along what is shared, over ``LENGTH``, float32[n, k].
        scales: 1 over the length of the rest of each, float32[n].
    """

    integers: Integers
    shared: Floats
    scales: Floats


def cosines(source: Source, rows: Ids) -> tuple[Floats, Floats]:
    """Return the near and the far cosines float32[m, m] of the words ``rows`` int64[m]."""
    integers = source.integers[rows].astype(np.float32)
    shared = np.ascontiguousarray(source.shared[rows].T)
    products = integers @ integers.T
    near, far = np.empty_like(products), np.empty_like(products)
    for i in range(len(near)):
        row_cosines(products[i], shared, source.scales[rows], i, near[i], far[i])
    return near, far


def temperature_of(groups: Sequence[Floats], perplexity: float) -> float:
    """Return T for which exp(entropy of p(. | i)) has the geometric mean ``perplexity``.

    Over all words i of the ``groups`` of cosines float32[m, m]; a word's own don't count.
    """
    low, high = 1e-3, 1.0
    for _ in range(12):
        middle = sqrt(low * high)
        entropies = [_entropy(each, np.float32(1 / middle)) for each in groups]
        mean = sum(entropies) / len(entropies)
        low, high = (middle, high) if mean < logarithm(perplexity) else (low, middle)
    return sqrt(low * high)


@compiled
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


@inlined
def _exponential(logit: np.float32) -> np.float32:
    """Return e^logit, from ``_LEAST_LOGIT`` to 0, to 4 digits where it is above a hundredth."""
    y = logit * np.float32(1 / 64)
    power = np.float32(1 / 6)
    power = power * y + np.float32(0.5)
    power = power * y + np.float32(1)
    power = power * y + np.float32(1)
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    return power  # type: ignore[no-any-return]


@inlined
def row_cosines(
    products: Floats, shared: Floats, scales: Floats, i: int, near: Floats, far: Floats
) -> None:
    """Write the cosines float32[m] of word i with all, with and without what words share.

    Args:
        products: of word i with all, of their ``integer_directions``.
        shared: of the group, float32[k, m].
        scales: of the group, float32[m].
        i: the word's place in the group.
        near: written to.
        far: written to.
    """
    words = len(products)
    for j in range(words):
        near[j] = products[j] * _COSINE_UNIT
        far[j] = near[j]
    for k in range(len(shared)):
        component = shared[k, i]
        for j in range(words):
            far[j] -= component * shared[k, j]
    scale = scales[i]
    for j in range(words):
        far[j] *= scale * scales[j]


@inlined
def to_shares(cosines: Floats, i: int, inverse: np.float32, whole: Any) -> None:
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
        whole[j] = np.int32(_exponential(logit) * np.float32(WHOLE))
    whole[i] = 0
    total = np.int32(0)
    for j in range(words):
        total += whole[j]
    share = np.float32(1) / np.float32(total)
    for j in range(words):
        cosines[j] = np.float32(whole[j]) * share
