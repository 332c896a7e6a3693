"""The cosines of a group of words, and the target distribution p.

p(j | i) is the distribution over the neighbors j of a word i that cosines imply: a softmax at a
temperature T. Far cosines differ from near cosines in that they leave out the components that all
words share. The result has the same bits on every processor (``portable``): sums within a row add
integers, which the compiler may reorder.
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
"""The weight of a word's nearest word; a group has fewer than 2^11 words."""

_COSINE_UNIT = np.float32(1 / LENGTH**2)
_LEAST_LOGIT = np.float32(-16)  # weights below are negligible


@dataclass(frozen=True)
class Source:
    """The vectors' directions, and their shared components.

    Attributes:
        integers: int16[n, d], result of ``integer_directions``.
        shared: float32[n, k], components along the shared axes, divided by ``LENGTH``.
        scales: float32[n], 1 over the length of each vector without these components.
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
    """Return the T at which exp(entropy of p(. | i)) has the geometric mean ``perplexity``.

    The mean is over all words i of ``groups``, float32[m, m] cosines each; those of a word with
    itself don't count.
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
    """Return e^logit for ``_LEAST_LOGIT`` <= logit <= 0; to 4 digits if it is above 0.01."""
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
    """Write the near and the far cosines float32[m] of word i with all words.

    Args:
        products: products of word i with all words, by ``integer_directions``.
        shared: float32[k, m], shared components of the group.
        scales: float32[m], scales of the group.
        i: the word's place in the group.
        near: near cosines, written to.
        far: far cosines, written to.
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
    """Turn word i's ``cosines`` float32[m] into p, in place; ``whole`` int32[m] is overwritten."""
    words = len(cosines)
    units = np.float32(1 << 24)
    for j in range(words):
        whole[j] = np.int32(cosines[j] * units)
    whole[i] = -(2**30)
    largest = whole[0]
    for j in range(words):  # integers, so that the compiler can vectorize the loop
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
