"""Which words are measured, and how often each is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError

SAMPLE, DRAWS = 1_000, 5
"""Words that are drawn, and releases of each, where nothing else is said: ``brr calibrate`` and
``brr measure`` print the same of the same setting."""

MOST_RELEASES = 10_000_000
"""Of one measurement; they are held in memory, in less than a gigabyte."""


@dataclass(frozen=True)
class WordSample:
    """Words as they might be typed, one after the other.

    It is also what an attacker knows who draws their guess: the prior of a word is its share of the
    sample, and no other word is thought possible.

    Attributes:
        tokens: ids [T]; a frequent word comes several times.
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
    """Refuse a sample that says nothing, or that takes gigabytes.

    Args:
        size: number of tokens.
        draws: releases of each.

    Raises:
        ParameterError: there are less than two of one, or too many.
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
        population: ids [p] to draw from.
        size: number of tokens.
        seed: of the draw.
        draws: releases that each token is meant for.

    Raises:
        ParameterError: the sample says nothing or takes gigabytes, or the seed is negative.
    """
    check_sample(size, draws)
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, not {seed}")
    drawn = np.random.default_rng(seed).choice(population, size, p=zipf(population))
    return WordSample(np.asarray(drawn, np.intp))


def chosen_words(bundle: WordBundle, words: Sequence[str], draws: int = DRAWS) -> WordSample:
    """Return the ``words`` as a sample, each as often as it is given.

    Raises:
        ParameterError: one is out of vocabulary; it is named by its position. Or there are too few
            draws of each.
    """
    normalize = bundle.tokenizer.normalize
    found = [bundle.vocabulary.find(normalize(word)) for word in words]
    if None in found:
        raise ParameterError(
            f"word {found.index(None) + 1} of {len(found)} is out of vocabulary; leave it out"
        )
    check_sample(max(2, len(found)), draws)
    return WordSample(np.array(found, np.intp))
