"""The device's mechanisms for many words at once, with shared work for equal words.

The distributions are the runtime's: the same integers decide (thresholds, weights, totals), with
the same kind of source. Only the order of the bytes differs, in order to read a block of them at a
time. No byte is kept for another call, or used twice. Proof: ``docs/explanation/proofs.md``, "Draws
in batches".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.exact import threshold_epsilon
from brrkit.hamming import HammingIndex
from brrkit.masses import Masses
from brrkit.mechanisms import ExactMechanism, Mechanism
from brrkit.mechanisms.exponential import BIGRAM
from brrkit.packed import PackedNumbers
from brrkit.randomness import RandomSource
from brrkit_toolchain.channel.drawing.bigram_base import BigramReleaser, Draws
from brrkit_toolchain.channel.drawing.random_numbers import first_above, random_flips, uniform_below
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.codes import histograms, scans
from brrkit_toolchain.codes.graph import read_randomizer

_WORDS_AT_A_TIME = 1 << 12  # 2 MB of masses at 64 bits
_KEPT_MASSES = 1 << 23  # 64 MB
_CODES_AT_A_TIME = 1 << 16


@runtime_checkable
class WeightedMechanism(ExactMechanism, Protocol):
    """A mechanism with Pr[y | x] proportional to measure[y] * weights[d(x, y)].

    Attributes:
        codes: uint64[n, ...], codes of all words; distances are their Hamming distances.
        weights: int64[bits + 1], by distance; the sum over the vocabulary is below 2^63.
        base: name of the measure.
        model: additions to the measure after a word, for the base ``bigram``.
    """

    codes: NDArray[np.uint64]
    weights: NDArray[np.int64]
    base: str
    model: Masses

    def measure(self, before: int | None = None) -> NDArray[np.int64]:
        """Return the measure int64[n] after the word ``before``; None is a text's start."""
        ...


@runtime_checkable
class NoisedMechanism(Mechanism, Protocol):
    """A mechanism that flips each bit of a code, and releases one of the nearest words.

    Attributes:
        threshold: threshold of the flips, whose probability is threshold / 2^32.
        k: number of nearest words from which it chooses.
    """

    threshold: int
    k: int


@runtime_checkable
class ChoosingMechanism(NoisedMechanism, Protocol):
    """Such a mechanism that doesn't always release the nearest word."""

    def choice_weights(self, distances: Sequence[int]) -> list[int]:
        """Return the integer weights of the k nearest words, which are at ``distances`` [k]."""
        ...


class BatchedMechanism(Protocol):
    """A mechanism with its vocabulary, its epsilon and its source of randomness."""

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None = None,
        stood_in: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids`` [m].

        Args:
            ids: ids of the words.
            texts: [m], number of each word's text, ascending; by default, each word is a text of
                its own. With the base ``bigram``, a draw depends on the word released before in the
                text.
            stood_in: bool[m], whether each word replaces an unknown word, and so never passes; by
                default, none does.
        """
        ...


def bundle_of(
    codes: NDArray[np.uint64], masses: Masses | None = None, task_bits: int = 0
) -> WordBundle:
    """Return ``codes`` uint64[n, bits / 64] as a bundle of nameless words.

    Args:
        codes: codes of the words.
        masses: masses of the words; by default, all are equal, without bigrams.
        task_bits: number of task bits, the last bits of a code.
    """
    bits = codes.shape[1] * 64
    words: Any = range(len(codes))  # a mechanism only needs their number
    if masses is None:
        none = PackedNumbers(memoryview(b""), 0, 1)
        masses = Masses(np.ones(len(codes), np.uint8), none, none, np.zeros(0, np.uint8))
    manifest = {"bits": bits, "task_bits": task_bits}
    return WordBundle(
        Path(), manifest, codes, words, masses, HammingIndex(codes), read_randomizer(bits)
    )


def releaser(
    bundle: WordBundle, mechanism: Mechanism, random: RandomSource = os.urandom
) -> BatchedMechanism:
    """Return a function that releases many words through ``mechanism``, with the bundle's policy.

    Args:
        bundle: the mechanism's bundle.
        mechanism: a mechanism of the runtime; one without a batched form is called word by word.
        random: source of random bytes; for experiments, a generator's ``bytes``.
    """
    typed = TypedAs.of(bundle)
    if isinstance(mechanism, WeightedMechanism):
        independent = _WeightedReleaser(mechanism, random)
        if mechanism.base == BIGRAM:
            return _Releaser(typed, BigramReleaser(independent.draws, mechanism, random), random)
        return _Releaser(typed, _unless_passed(independent), random)
    if isinstance(mechanism, NoisedMechanism):
        return _NoisedReleaser(typed, bundle, mechanism, random)

    def release(ids: NDArray[np.intp]) -> NDArray[np.int64]:
        return mechanism(bundle.codes[ids], random).astype(np.int64)

    return _Releaser(typed, _unless_passed(release), random)


_Draw = Callable[[NDArray[np.intp], NDArray[np.intp] | None, NDArray[np.bool_]], NDArray[np.int64]]
"""Releases ids [m] of texts [m], except those that a coin lets pass, bool[m]."""


def _unless_passed(release: Callable[[NDArray[np.intp]], NDArray[np.int64]]) -> _Draw:
    """Return a function that draws each word by itself."""

    def draw(
        ids: NDArray[np.intp],
        _texts: NDArray[np.intp] | None,
        passed: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        return np.where(passed, ids, release(ids))

    return draw


class _Releaser:
    """Types words as the policy says, draws a coin for each, and releases those that don't pass."""

    def __init__(self, typed: TypedAs, draw: _Draw, random: RandomSource) -> None:
        self._typed, self._draw, self._random = typed, draw, random

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None = None,
        stood_in: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        passed = self._typed.passed(ids, self._random, stood_in)
        return self._draw(self._typed.ids[ids], texts, passed)


class _WeightedReleaser:
    """Draws with two scans of the codes: for a word's histogram, and for its draws' ids."""

    def __init__(self, mechanism: WeightedMechanism, random: RandomSource) -> None:
        self._codes = mechanism.codes
        self._planes = self._codes.T.copy()
        self._weights, self._random = mechanism.weights, random
        self._measure = mechanism.measure()
        distances = len(self._weights)
        # The system allocates a page when its first word is drawn.
        self._kept = np.zeros(
            (min(len(self._codes), _KEPT_MASSES // distances), distances), np.int64
        )
        self._is_kept = np.zeros(len(self._codes), np.bool_)

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        return self.draws(ids)[0]

    def draws(self, ids: NDArray[np.intp]) -> Draws:
        """Return the released ids, and the sum N of the weights around each of ``ids``."""
        order = np.argsort(ids)  # equal words side by side, in any order
        words, counts = np.unique(ids[order], return_counts=True)
        released, totals = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
        done = 0
        for start in range(0, len(words), _WORDS_AT_A_TIME):
            part = slice(start, start + _WORDS_AT_A_TIME)
            drawn, sums = self._draw(words[part], counts[part])
            places = order[done : done + len(drawn)]
            released[places], totals[places] = drawn, sums
            done += len(drawn)
        return released, totals

    def _draw(
        self, words: NDArray[np.intp], counts: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return ``counts[i]`` ids for each word i, word by word, and N of each word."""
        codes = self._codes[words]
        histograms = self._histograms(words)
        masses = np.cumsum(histograms * self._weights, axis=1)  # below 2^63: exact
        rows = np.repeat(np.arange(len(words)), counts)
        totals = masses[rows, -1]
        numbers = uniform_below(totals, self._random)
        distances = first_above(masses, rows, numbers)
        positions = uniform_below(histograms[rows, distances], self._random)
        starts = np.concatenate([[0], np.cumsum(counts)])
        drawn: NDArray[np.intp] = scans.ids_at(
            self._planes, codes, starts, distances, positions, self._measure
        )
        return drawn, totals

    def _histograms(self, words: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the measure [m, distances] around each of ``words``, and scan only once."""
        result = np.empty((len(words), len(self._weights)), np.int64)
        known = self._is_kept[words]
        result[known] = self._kept[words[known]]
        result[~known] = histograms.histograms(
            self._planes, self._codes[words[~known]], self._measure
        )
        keep = ~known & (words < len(self._kept))
        self._kept[words[keep]], self._is_kept[words[keep]] = result[keep], True
        return result


class _NoisedReleaser(_Releaser):
    """Randomized response on every code, and the search for the nearest, without shared work."""

    def __init__(
        self, typed: TypedAs, bundle: WordBundle, mechanism: NoisedMechanism, random: RandomSource
    ) -> None:
        super().__init__(typed, _unless_passed(self._draw_all), random)
        self._codes, self._planes, self._mechanism = bundle.codes, bundle.index.planes, mechanism

    def _draw_all(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        released = np.empty(len(ids), np.int64)
        for start in range(0, len(ids), _CODES_AT_A_TIME):
            part = slice(start, start + _CODES_AT_A_TIME)
            released[part] = self._choose(*self._nearest(self._noised(ids[part])))
        return released

    def release_and_guess(
        self, ids: NDArray[np.intp], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the output, and the most probable input, given the noised code and the coin.

        If a word passes, the attacker sees it. Of equally probable words without a policy, the one
        with the nearest code is the most probable input.
        """
        typed = self._typed
        passed = typed.passed(ids, self._random)
        noised = self._noised(typed.ids[ids])
        candidates, distances = self._nearest(noised)
        if typed.is_empty and prior.min() == prior.max():
            guesses = candidates[:, 0]
        else:
            bits = self._codes.shape[1] * 64
            table = np.exp(-threshold_epsilon(self._mechanism.threshold) * np.arange(bits + 1))
            inputs, scales = self._codes[typed.ids], prior * (1 - typed.shares)
            _, (guesses,) = scans.most_probable(noised, inputs, table[None], scales[None])
        released = self._choose(candidates, distances)
        return np.where(passed, ids, released), np.where(passed, ids, guesses)

    def _noised(self, ids: NDArray[np.intp]) -> NDArray[np.uint64]:
        codes = self._codes[ids]
        return codes ^ random_flips(codes.shape, self._mechanism.threshold, self._random)

    def _nearest(self, noised: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        return scans.nearest(self._planes, noised, self._mechanism.k)

    def _choose(
        self, candidates: NDArray[np.intp], distances: NDArray[np.int64]
    ) -> NDArray[np.intp]:
        if not isinstance(self._mechanism, ChoosingMechanism):
            return candidates[:, 0]
        # The weights depend only on the distances, and few combinations of these occur.
        different, rows = np.unique(distances, axis=0, return_inverse=True)
        rows = rows.ravel()  # NumPy 2.0 gives it two dimensions
        weights = [self._mechanism.choice_weights(row) for row in different.tolist()]
        masses = np.cumsum(np.array(weights, np.int64), axis=1)
        numbers = uniform_below(masses[rows, -1], self._random)
        ranks: NDArray[np.intp] = first_above(masses, rows, numbers)
        return candidates[np.arange(len(candidates)), ranks]
