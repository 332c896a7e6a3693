"""Many words at once, with the runtime's distributions: what equal words share is done once.

The same integers decide (thresholds, weights, totals), and the same kind of source; only the order
in which bytes are read is another, so that a block of them is read at a time. No byte is kept for
another call, or used twice. Proof: ``docs/corpus.md``, "Equal words share work, not draws".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.mechanisms import ExactMechanism, Mechanism
from brrkit.randomness import RandomSource, draw
from brrkit_toolchain.corpus import kernels

Release = Callable[[NDArray[np.intp], RandomSource], NDArray[np.intp]]
"""Ids [m] of words and a source of random bytes in; the id released for each, out."""

_WORDS = 1 << 12  # different words that are scanned for at a time: 2 MB of masses at 64 bits
_NOISED = 1 << 16  # noised codes that are searched for at a time


@runtime_checkable
class Weighted(ExactMechanism, Protocol):
    """A mechanism whose Pr[y | x] is in proportion to weights[d(x, y)].

    Attributes:
        weights: int64[bits + 1]; their sum over the vocabulary is below 2^63.
    """

    weights: NDArray[np.int64]


@runtime_checkable
class Noised(Mechanism, Protocol):
    """A mechanism that flips each bit of a code, and releases one of the nearest words.

    Attributes:
        threshold: a bit flips with a probability of threshold / 2^32.
        k: how many of the nearest words it looks at.
    """

    threshold: int
    k: int


@runtime_checkable
class Choosing(Noised, Protocol):
    """One that doesn't always release the nearest."""

    def choice_weights(self, distances: Sequence[int]) -> list[int]:
        """Return the integer weights of the k nearest words, which are at ``distances`` [k]."""
        ...


def releaser(bundle: WordBundle, mechanism: Mechanism) -> Release:
    """Return what releases words of ``bundle`` by ``mechanism``, each drawn independently."""
    if isinstance(mechanism, Weighted):
        return _Weighted(bundle, mechanism)
    if isinstance(mechanism, Noised):
        return _Noised(bundle, mechanism)
    return lambda ids, random: mechanism(bundle.codes[ids], random)


class _Weighted:
    """One scan of the codes gives a word's histogram, another the ids of all its draws."""

    def __init__(self, bundle: WordBundle, mechanism: Weighted) -> None:
        self._codes, self._planes = bundle.codes, bundle.index.planes
        self._weights = mechanism.weights

    def __call__(self, ids: NDArray[np.intp], random: RandomSource) -> NDArray[np.intp]:
        order = np.argsort(ids)  # equal words side by side; which of them comes first is no matter
        words, counts = np.unique(ids[order], return_counts=True)
        released = np.empty(len(ids), np.intp)
        done = 0
        for start in range(0, len(words), _WORDS):
            part = slice(start, start + _WORDS)
            drawn = self._draw(words[part], counts[part], random)
            released[order[done : done + len(drawn)]] = drawn
            done += len(drawn)
        return released

    def _draw(
        self, words: NDArray[np.intp], counts: NDArray[np.intp], random: RandomSource
    ) -> NDArray[np.intp]:
        """Return ``counts[i]`` ids for each word i, one word after the other."""
        codes = self._codes[words]
        histograms = kernels.histograms(self._planes, codes)
        masses = np.cumsum(histograms * self._weights, axis=1)  # below 2^63: exact
        rows = np.repeat(np.arange(len(words)), counts)
        numbers = uniform_below(masses[rows, -1], random)
        distances = kernels.cumulated_to(masses, rows, numbers)
        positions = uniform_below(histograms[rows, distances], random)
        starts = np.concatenate([[0], np.cumsum(counts)])
        drawn: NDArray[np.intp] = kernels.ids_at(self._planes, codes, starts, distances, positions)
        return drawn


class _Noised:
    """Randomized response on every code, and the search for the nearest: nothing is shared."""

    def __init__(self, bundle: WordBundle, mechanism: Noised) -> None:
        self._codes, self._planes = bundle.codes, bundle.index.planes
        self._mechanism = mechanism

    def __call__(self, ids: NDArray[np.intp], random: RandomSource) -> NDArray[np.intp]:
        parts = [
            self._release(ids[start : start + _NOISED], random)
            for start in range(0, len(ids), _NOISED)
        ]
        return np.concatenate([np.empty(0, np.intp), *parts])

    def _release(self, ids: NDArray[np.intp], random: RandomSource) -> NDArray[np.intp]:
        codes = self._codes[ids]
        noised = codes ^ flips(codes.shape, self._mechanism.threshold, random)
        candidates: NDArray[np.intp]
        candidates, distances = kernels.nearest(self._planes, noised, self._mechanism.k)
        if not isinstance(self._mechanism, Choosing):
            return candidates[:, 0]
        # The weights depend on the distances alone, and few combinations of them occur.
        different, rows = np.unique(distances, axis=0, return_inverse=True)
        rows = rows.ravel()  # NumPy 2.0 gives it two dimensions
        weights = [self._mechanism.choice_weights(row) for row in different.tolist()]
        masses = np.cumsum(np.array(weights, np.int64), axis=1)
        numbers = uniform_below(masses[rows, -1], random)
        ranks: NDArray[np.intp] = kernels.cumulated_to(masses, rows, numbers)
        return candidates[np.arange(len(ids)), ranks]


def uniform_below(bounds: NDArray[np.int64], random: RandomSource) -> NDArray[np.uint64]:
    """Return a uniform integer in [0, bound) for each of ``bounds`` [m], from 1 to 2^63 - 1.

    Of 8 bytes each, the lowest bits that ``bound - 1`` has; again where that isn't below the bound.
    """
    limits = bounds.astype(np.uint64)
    masks = limits - np.uint64(1)
    for shift in (1, 2, 4, 8, 16, 32):
        masks |= masks >> np.uint64(shift)
    result = np.empty(len(bounds), np.uint64)
    waiting = np.arange(len(bounds))
    while len(waiting):
        numbers = _uint64(len(waiting), random) & masks[waiting]
        result[waiting] = numbers
        waiting = waiting[numbers >= limits[waiting]]
    return result


def flips(shape: tuple[int, ...], threshold: int, random: RandomSource) -> NDArray[np.uint64]:
    """Return uint64 numbers whose bits are 1 with probability ``threshold`` / 2^32 each.

    A bit is 1 if a number of 32 random bits is below the threshold. Of all these numbers, the
    highest bits are drawn first, 64 in a word; what they decide needs no further ones: about 7
    instead of 32.
    """
    result = np.zeros(shape, np.uint64).ravel()
    equal = np.full(len(result), ~np.uint64(0))  # so far: the bits whose number is undecided
    for place in range(31, -1, -1):
        words = np.flatnonzero(equal)
        if not len(words):
            break
        drawn, undecided = _uint64(len(words), random), equal[words]
        if threshold >> place & 1:
            result[words] |= undecided & ~drawn
            equal[words] = undecided & drawn
        else:
            equal[words] = undecided & ~drawn
    return result.reshape(shape)


def _uint64(count: int, random: RandomSource) -> NDArray[np.uint64]:
    return np.frombuffer(draw(8 * count, random), "<u8")
