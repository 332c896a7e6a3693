"""The small language model that a bundle keeps: masses of words, and the bigrams that gain most.

Of a text that has the probabilities p(y) of words and P(y | h) of a bigram model, a device uses
p(y) + (P(y | h) - b p(y)) / b for the bigrams that it keeps, with the b for which this is in
proportion to a distribution (Katz 1987); the others are left out where the text's probability loses
least (Stolcke 1998, without the change of b). Everything is a positive integer of 8 bits: rounding
costs nothing but quality (``docs/explanation/proofs.md``, "exponential").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS
from brrkit_toolchain.language.bigrams import discounts

BIGRAMS = 30_000
"""Kept at most."""

LEAST = 5
"""Occurrences of a bigram that is kept, at least."""

_ZIPF = 2.7  # words of rank r occur about as often as 1 / (r + 2.7) (Mandelbrot 1953)
_SMALLEST = 2  # the mass of the rarest word: finer steps below would only cost range
_PAIRS = 1 << 22  # tokens whose bigrams are counted at a time
_NOTHING = 1e-9  # of a probability
_MOST_GAIN = 1 << 20  # times the mass of the most frequent word


@dataclass(frozen=True)
class LanguageModel:
    """What ``index.safetensors`` has of a language; bytes are those of ``brrkit.masses.LEVELS``.

    Attributes:
        masses: uint8[n], of each word by id.
        before: uint32[b], the id of each bigram's first word, ascending.
        after: uint32[b], of its second word, ascending within a first word.
        gains: uint8[b], what each bigram adds.
    """

    masses: NDArray[np.uint8]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]
    gains: NDArray[np.uint8]


@dataclass(frozen=True)
class Counts:
    """How often words and bigrams occur in a text.

    Attributes:
        words: int64[n], by id.
        pairs: int64[k], h * n + y for each bigram of the words h and y, ascending.
        times: int64[k], how often each occurs.
    """

    words: NDArray[np.int64]
    pairs: NDArray[np.int64]
    times: NDArray[np.int64]


def model_of_ranks(size: int) -> LanguageModel:
    """Return the model of ``size`` words in the order of their frequency: no text, no bigrams."""
    shares = 1 / (np.arange(size) + _ZIPF)
    none = np.zeros(0, np.uint32)
    return LanguageModel(_bytes_of(_scaled(shares)), none, none, np.zeros(0, np.uint8))


def count(texts: Iterable[NDArray[np.int32]], size: int) -> Counts:
    """Count the words and bigrams of ``texts``, each int32[t] of ids; ``size`` is none of a word.

    A bigram has a word on both sides: none reaches over an unknown word, or from text to text.
    """
    words = np.zeros(size, np.int64)
    pairs, times = np.zeros(0, np.int64), np.zeros(0, np.int64)
    waiting: list[NDArray[np.int32]] = []
    tokens = 0

    def merge() -> None:
        nonlocal words, pairs, times, tokens
        if not waiting:
            return
        gap = np.array([size], np.int32)
        ids = np.concatenate([part for text in waiting for part in (text, gap)]).astype(np.int64)
        waiting.clear()
        tokens = 0
        words += np.bincount(ids, minlength=size + 1)[:size]
        known = (ids[:-1] < size) & (ids[1:] < size)
        new, often = np.unique((ids[:-1] * size + ids[1:])[known], return_counts=True)
        both = np.concatenate([pairs, new])
        pairs, inverse = np.unique(both, return_inverse=True)
        # Counts are far below 2^53.
        times = np.bincount(inverse, np.concatenate([times, often]), len(pairs)).astype(np.int64)

    for ids in texts:
        waiting.append(ids)
        tokens += len(ids)
        if tokens >= _PAIRS:
            merge()
    merge()
    return Counts(words, pairs, times)


def model_of_counts(counts: Counts, least: int = LEAST, most: int = BIGRAMS) -> LanguageModel:
    """Return the model of a text's counts.

    Args:
        counts: of the text.
        least: how often a bigram occurs that is kept, at least.
        most: bigrams, those that raise the text's probability most.
    """
    size = len(counts.words)
    shares = (counts.words + 1) / (counts.words.sum() + size)
    masses = _scaled(shares)
    before, after = np.divmod(counts.pairs, size)
    cut = discounts(counts.times)[np.minimum(counts.times, 3)]
    totals = np.bincount(before, counts.times, size)
    backoff = np.bincount(before, cut, size) / np.maximum(totals, 1)
    likely = (counts.times - cut) / totals[before] + backoff[before] * shares[after]
    gained = counts.times * np.log(likely / (backoff[before] * shares[after]))
    eligible = np.flatnonzero(counts.times >= least)
    kept = np.sort(eligible[np.argsort(-gained[eligible], kind="stable")[:most]])
    before, after, likely = before[kept], after[kept], likely[kept]
    # Of a tiny vocabulary all words may follow one: nothing is left but what rounding leaves.
    left, others = (
        np.maximum(1 - np.bincount(before, part, size), _NOTHING)
        for part in (likely, shares[after])
    )
    left /= others
    scale = masses.sum() / shares.sum()
    gains = scale * (likely / left[before] - shares[after])
    gains = np.minimum(gains, _MOST_GAIN * float(masses.max()))
    useful = gains >= 1
    return LanguageModel(
        _bytes_of(masses),
        before[useful].astype(np.uint32),
        after[useful].astype(np.uint32),
        _bytes_of(gains[useful]),
    )


def _scaled(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``shares`` as masses, of which the smallest is ``_SMALLEST``."""
    masses: NDArray[np.float64] = shares * (_SMALLEST / shares.min())
    return masses


def _bytes_of(masses: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the byte of ``LEVELS`` that is nearest to each mass."""
    between = (LEVELS[1:-1] + LEVELS[2:]) / 2
    return (np.searchsorted(between, masses) + 1).astype(np.uint8)
