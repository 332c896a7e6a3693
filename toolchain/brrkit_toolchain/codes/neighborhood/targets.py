"""The cosines of a group of words, and the target distribution p.

p(j | i) is the distribution over the neighbors j of a word i that cosines imply: a softmax at a
temperature T. Far cosines differ from near cosines in that they leave out the components that all
words share. The result has the same bits on every processor (``portable``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.portable import logarithm
from brrkit_toolchain.codes.vectors import LENGTH, Integers
from brrkit_toolchain.io.compiled import compiled, inlined

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

AXES_AT_ONCE = 4
"""Number of shared components that are subtracted at once; the others are 0."""

_COSINE_UNIT = np.float32(1 / LENGTH**2)
_LEAST_LOGIT = np.float32(-16)  # weights below are negligible


@dataclass(frozen=True)
class Source:
    """The vectors' directions, and their shared components.

    Attributes:
        integers: int16[n, d], result of ``integer_directions``.
        shared: float32[n, k], components of each unit vector along the shared axes, times its
            scale; k is a multiple of ``AXES_AT_ONCE``, and superfluous components are 0.
        scales: float32[n], 1 over the length of each unit vector without these components.
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
                weight = likelihood(logit)
                total += weight
                mean += weight * logit
        entropy += logarithm(total) - mean / total
    return entropy / words


@inlined
def row_cosines(
    products: Floats, shared: Floats, scales: Floats, i: int, near: Floats, far: Floats
) -> None:
    """Write the near and the far cosines float32[m] of word i with all words.

    Args:
        products: products of word i with all words, by ``integer_directions``.
        shared: float32[k, m], shared components of the group; k is a multiple of ``AXES_AT_ONCE``.
        scales: float32[m], scales of the group.
        i: the word's place in the group.
        near: near cosines, written to.
        far: far cosines, written to.
    """
    words, scale = len(scales), scales[i]
    for j in range(words):
        near[j] = products[j] * _COSINE_UNIT
        far[j] = near[j] * (scale * scales[j])
    for k in range(0, len(shared), AXES_AT_ONCE):
        first, second, third, fourth = (
            shared[k, i], shared[k + 1, i], shared[k + 2, i], shared[k + 3, i],
        )  # fmt: skip
        for j in range(words):
            far[j] -= (first * shared[k, j] + second * shared[k + 1, j]) + (
                third * shared[k + 2, j] + fourth * shared[k + 3, j]
            )


@inlined
def likelihood(exponent: np.float32) -> np.float32:
    """Return about e^exponent, and at least 0.625^128.

    It is (1 + y + y^2 / 2)^128 for an exponent of 128 y. The error is below 1% for weights above
    e^-9, and the others hardly count.
    """
    y = max(exponent * np.float32(1 / 128), np.float32(-0.5))
    power = (y * np.float32(0.5) + np.float32(1)) * y + np.float32(1)
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    return power  # type: ignore[no-any-return]
