"""The measured words, and the frequency of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError

SAMPLE, DRAWS = 1_000, 5
"""Default numbers of drawn words, and of releases of each. ``brr calibrate`` and ``brr measure``
print the same results for the same setting."""

MOST_RELEASES = 10_000_000
"""Largest number of releases in a measurement; they take less than a gigabyte of memory."""


@dataclass(frozen=True)
class WordSample:
    """Words as they might be typed, one after the other.

    The sample is also an attacker's prior: the prior probability of a word is its share of the
    sample, and that of other words is 0.

    Attributes:
        tokens: ids [T]; a frequent word occurs several times.
    """

    tokens: NDArray[np.intp]

    @cached_property
    def words(self) -> NDArray[np.intp]:
        """The different ids [m], ascending."""
        return np.unique(self.tokens)

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """The share [m] of each of ``words`` among the tokens."""
        return np.unique(self.tokens, return_counts=True)[1] / len(self.tokens)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The place [T] of each token in ``words``."""
        rows: NDArray[np.intp] = np.searchsorted(self.words, self.tokens)
        return rows

    def typed(self, count: int, generator: np.random.Generator) -> NDArray[np.intp]:
        """Return ``count`` ids, drawn independently from the prior."""
        return self.tokens[generator.integers(len(self.tokens), size=count)]


def check_sample(size: int, draws: int) -> None:
    """Raise an error for a sample that is too small, or that takes gigabytes.

    Args:
        size: number of tokens.
        draws: number of releases of each token.

    Raises:
        ParameterError: there are fewer than two tokens or draws, or too many.
    """
    if size < 2:
        raise ParameterError(f"the sample must have at least 2 words, not {size}")
    if draws < 2:
        raise ParameterError(f"draws must be at least 2, not {draws}")
    if size * draws > MOST_RELEASES:
        raise ParameterError(
            f"{size:,} words, each released {draws:,} times, are more than {MOST_RELEASES:,} "
            "releases; use fewer"
        )


def zipf(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the relative frequency of words by their rank from 0: Zipf's law, 1 / (rank + 1)."""
    frequencies: NDArray[np.float64] = 1 / (ranks + 1.0)
    frequencies /= frequencies.sum()
    return frequencies


def sample_words(
    population: NDArray[np.intp], size: int = SAMPLE, seed: int = 0, draws: int = DRAWS
) -> WordSample:
    """Draw tokens independently, each word in proportion to Zipf's law on its id, which is a rank.

    Args:
        population: ids [p] from which to draw.
        size: number of tokens.
        seed: seed of the draw.
        draws: planned number of releases of each token.

    Raises:
        ParameterError: the sample is too small or takes gigabytes, or the seed is negative.
    """
    check_sample(size, draws)
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, not {seed}")
    drawn = np.random.default_rng(seed).choice(population, size, p=zipf(population))
    return WordSample(np.asarray(drawn, np.intp))


def chosen_words(bundle: WordBundle, words: Sequence[str], draws: int = DRAWS) -> WordSample:
    """Return the ``words`` as a sample, with their repetitions.

    Raises:
        ParameterError: a word is out of vocabulary (the message has its position), or there are too
            few draws of each.
    """
    normalize = bundle.tokenizer.normalize
    found = [bundle.vocabulary.find(normalize(word)) for word in words]
    if None in found:
        raise ParameterError(
            f"word {found.index(None) + 1} of {len(found)} is out of vocabulary; leave it out"
        )
    check_sample(max(2, len(found)), draws)
    return WordSample(np.array(found, np.intp))
