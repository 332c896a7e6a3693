"""The small language model that a bundle keeps: masses of words, and the bigrams that gain most.

For a text with the word probabilities p(y) and a bigram model P(y | h), a device uses
p(y) + (P(y | h) - b p(y)) / b for the bigrams that it keeps, with the b for which this is
proportional to a distribution (Katz 1987). The bigrams whose omission costs the text's probability
least are left out (Stolcke 1998, without the change of b). All numbers are positive integers of 8
bits: rounding costs only quality (``docs/explanation/proofs.md``, "exponential").

Everybody can read a bundle. It depends only on words and bigrams in several texts (``Frequent``).
Counts of rarer words and bigrams leave no trace, nor does a sum of such counts. The shown counts
are exact up to rounding, so they aren't differentially private.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS, MOST

BIGRAMS = 30_000
"""Default for the largest number of bigrams kept."""

LEAST = 5
"""Default for the smallest number of texts with a word or bigram whose count is shown."""

_ZIPF_OFFSET = 2.7  # words of rank r occur about as often as 1 / (r + 2.7) (Mandelbrot 1953)
_DISCOUNT = 0.75  # from a bigram's count (Ney et al. 1994); a learned one would need rare bigrams
_SMALLEST_MASS = 2  # mass of the rarest word; finer steps below would only reduce the range
_TOKENS_AT_ONCE = 1 << 22  # tokens whose bigrams are counted at once
_SMALLEST_OF_LISTS = 8  # from here, neighboring levels differ by at most an eighth
_MOST_MASSES = MOST / 2  # sum of a list's counts; rounding to levels adds less than a half
_SMALLEST_PROBABILITY = 1e-9
_MOST_GAIN = 1 << 20  # largest gain, in masses of the most frequent word


@dataclass(frozen=True)
class LanguageModel:
    """The language model in ``index.safetensors``; bytes are those of ``brrkit.masses.LEVELS``.

    Attributes:
        masses: uint8[n], mass of each word by id.
        before: uint32[b], the id of each bigram's first word, ascending.
        after: uint32[b], the id of its second word, ascending within a first word.
        gains: uint8[b], gain of each bigram.
    """

    masses: NDArray[np.uint8]
    before: NDArray[np.uint32]
    after: NDArray[np.uint32]
    gains: NDArray[np.uint8]


@dataclass(frozen=True)
class Counts:
    """Counts of words and bigrams, and of the texts with them.

    Attributes:
        words: int64[n], number of occurrences of each word, by id.
        word_texts: int64[n], number of texts with it.
        pairs: int64[k], h * n + y for each bigram of the words h and y, ascending.
        times: int64[k], number of occurrences of each bigram.
        pair_texts: int64[k], number of texts with it.
    """

    words: NDArray[np.int64]
    word_texts: NDArray[np.int64]
    pairs: NDArray[np.int64]
    times: NDArray[np.int64]
    pair_texts: NDArray[np.int64]


@dataclass(frozen=True)
class Frequent:
    """The counts that a bundle shows: those of words and bigrams in enough texts.

    Attributes:
        least: smallest number of texts.
        words: int64[n], number of occurrences of each word, by id; 0 for a word in too few texts.
        pairs: int64[k], as in ``Counts``.
        times: int64[k], number of occurrences of each bigram.
    """

    least: int
    words: NDArray[np.int64]
    pairs: NDArray[np.int64]
    times: NDArray[np.int64]


def model_of_ranks(size: int) -> LanguageModel:
    """Return the model of ``size`` words in the order of their frequency: no text, no bigrams."""
    none = np.zeros(0, np.uint32)
    return LanguageModel(_bytes_of(_scaled(_of_ranks(size))), none, none, np.zeros(0, np.uint8))


def model_of_list(often: NDArray[np.float64] | None, size: int) -> LanguageModel:
    """Return the model of the ``size`` strings of a list: no bigrams.

    Args:
        often: float64[size], frequency of each string; 0 is treated as 1. None if the strings are
            only in the order of their frequency.
        size: number of strings.
    """
    shares = _of_ranks(size) if often is None else np.maximum(often, 1.0)
    masses = shares * (_SMALLEST_OF_LISTS / shares.min())
    shrink = min(1.0, _MOST_MASSES / math.fsum(masses))
    none = np.zeros(0, np.uint32)
    levels = _bytes_of(np.maximum(shrink * masses, 1.0))
    return LanguageModel(levels, none, none, np.zeros(0, np.uint8))


def count(texts: Iterable[NDArray[np.int32]], size: int) -> Counts:
    """Count the words and bigrams of ``texts``, each int32[t] of ids; ``size`` means unknown.

    A bigram has two known, neighboring words of one text.
    """
    words, word_texts = np.zeros((2, size), np.int64)
    pairs, times, pair_texts = np.zeros((3, 0), np.int64)
    waiting: list[NDArray[np.int32]] = []
    tokens = 0
    most_texts = (2**63 - 1) // size**2  # a bigram and the number of its text are one integer

    def merge() -> None:
        nonlocal pairs, times, pair_texts, tokens
        if not waiting:
            return
        gap = np.array([size], np.int32)
        ids = np.concatenate([part for text in waiting for part in (text, gap)]).astype(np.int64)
        number = np.repeat(np.arange(len(waiting)), [len(text) + 1 for text in waiting])
        known = ids < size
        found, often, having = _tally(ids[known], number[known], len(waiting))
        words[found] += often
        word_texts[found] += having
        known = known[:-1] & known[1:]
        new, often, having = _tally(
            (ids[:-1] * size + ids[1:])[known], number[:-1][known], len(waiting)
        )
        pairs, inverse = np.unique(np.concatenate([pairs, new]), return_inverse=True)
        # Counts are far below 2^53.
        times, pair_texts = (
            np.bincount(inverse, np.concatenate(parts), len(pairs)).astype(np.int64)
            for parts in ([times, often], [pair_texts, having])
        )
        waiting.clear()
        tokens = 0

    for ids in texts:
        waiting.append(ids)
        tokens += len(ids)
        if tokens >= _TOKENS_AT_ONCE or len(waiting) == most_texts:
            merge()
    merge()
    return Counts(words, word_texts, pairs, times, pair_texts)


def frequent(counts: Counts, least: int = LEAST) -> Frequent:
    """Return the counts of words and bigrams in at least ``least`` texts."""
    enough = counts.pair_texts >= least
    return Frequent(
        least,
        np.where(counts.word_texts >= least, counts.words, 0),
        counts.pairs[enough],
        counts.times[enough],
    )


def model_of_counts(shown: Frequent, most: int = BIGRAMS) -> LanguageModel:
    """Return the model of the counts of texts.

    Args:
        shown: counts of at least one word, and of bigrams.
        most: largest number of bigrams, those that raise the text's probability most.
    """
    size = len(shown.words)
    expected = _expected(shown)
    masses, total = _scaled(expected), math.fsum(expected)
    shares = expected / total
    before, after = np.divmod(shown.pairs, size)
    seen = (shown.times - _DISCOUNT) / shown.words[before]
    followed = np.bincount(before, shown.times - _DISCOUNT, size)
    backoff = (shown.words - followed) / np.maximum(shown.words, 1)
    likely = seen + backoff[before] * shares[after]
    gained = shown.times * np.log(likely / (backoff[before] * shares[after]))
    kept = np.sort(np.argsort(-gained, kind="stable")[:most])
    before, after, likely = before[kept], after[kept], likely[kept]
    # In a tiny vocabulary, all words may follow a word; only rounding errors are left.
    left, others = (
        np.maximum(1 - np.bincount(before, part, size), _SMALLEST_PROBABILITY)
        for part in (likely, shares[after])
    )
    left /= others
    gains = masses.sum() * (likely / left[before] - shares[after])
    gains = np.minimum(gains, _MOST_GAIN * float(masses.max()))
    useful = gains >= 1
    return LanguageModel(
        _bytes_of(masses),
        before[useful].astype(np.uint32),
        after[useful].astype(np.uint32),
        _bytes_of(gains[useful]),
    )


def _expected(shown: Frequent) -> NDArray[np.float64]:
    """Return the assumed count [n] of each word: its shown count, or one from its rank.

    The law for ranks is scaled to the shown words, and rarer words never exceed these: a word in
    enough texts occurs at least ``least`` times.
    """
    ranks = _of_ranks(len(shown.words))
    counted = shown.words > 0
    scale = int(shown.words.sum()) / math.fsum(ranks[counted])  # the same on every machine
    return np.where(counted, shown.words, np.minimum(scale * ranks, shown.least))


def _of_ranks(size: int) -> NDArray[np.float64]:
    """Return numbers proportional to the frequencies of ``size`` words by rank."""
    ranks: NDArray[np.float64] = 1 / (np.arange(size) + _ZIPF_OFFSET)
    return ranks


def _tally(
    things: NDArray[np.int64], texts: NDArray[np.int64], number: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the different ``things``, ascending, their counts, and the numbers of their texts.

    Args:
        things: int64[m], below 2^63 / number.
        texts: int64[m], the text of each, from 0 to number - 1.
        number: number of texts.
    """
    both, often = np.unique(things * number + texts, return_counts=True)
    both //= number
    first = np.flatnonzero(np.diff(both, prepend=-1))
    return both[first], np.add.reduceat(often, first), np.diff(first, append=len(both))


def _scaled(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return masses proportional to ``shares``; the smallest is ``_SMALLEST_MASS``."""
    masses: NDArray[np.float64] = shares * (_SMALLEST_MASS / shares.min())
    return masses


def _bytes_of(masses: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the byte of ``LEVELS`` that is nearest to each mass."""
    between = (LEVELS[1:-1] + LEVELS[2:]) / 2
    return (np.searchsorted(between, masses) + 1).astype(np.uint8)
