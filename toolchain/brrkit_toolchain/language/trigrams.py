"""A trigram model over the bigram one.

    Pr[x | g, h] = max(c(g, h, x) - D, 0) / c(g, h) + backoff(g, h) * Pr[x | h]

with an absolute discount (Chen and Goodman 1999, section 2.7); the lower model is ``Bigrams``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.language.bigrams import Bigrams

_DISCOUNT = 0.75

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Trigrams:
    """Seen trigrams, on top of a bigram model. A pair is the number g * (s + 1) + h.

    Attributes:
        language: the bigram model.
        pairs: int64[p], the pairs that occurred before a word, sorted.
        starts: int64[p + 1], start of each pair's words.
        words: int32[q], words after each pair, sorted.
        seen: float32[q], the discounted probabilities of seen trigrams.
        backoff: float32[p], for each pair.
    """

    language: Bigrams
    pairs: NDArray[np.int64]
    starts: NDArray[np.int64]
    words: Ids
    seen: NDArray[np.float32]
    backoff: NDArray[np.float32]

    @cached_property
    def of_first(self) -> NDArray[np.int64]:
        """The first place in ``pairs`` of each word g, and the end, int64[s + 2]."""
        states = self.language.start + 1
        return np.searchsorted(self.pairs, np.arange(states + 1) * states).astype(np.int64)

    def probabilities(self, texts: Sequence[Ids]) -> NDArray[np.float64]:
        """Return the probability of each word of ``texts``, one after the other.

        Args:
            texts: at least one text, each int32[t] with at least one word.
        """
        states = self.language.start + 1
        ids = np.concatenate(texts).astype(np.int64)
        before = np.concatenate([self.language.histories(text) for text in texts]).astype(np.int64)
        likely = np.asarray(self.language.seen[before, ids]).ravel()
        likely += self.language.backoff[before] * self.language.continuation[ids]
        if not len(self.pairs):
            return likely
        third = np.concatenate([np.arange(len(text)) > 1 for text in texts])
        pair, known = _places(self.pairs, (np.roll(before, 1) * states + before)[third])
        of_pair = np.repeat(np.arange(len(self.pairs)), np.diff(self.starts))
        place, seen = _places(of_pair * states + self.words, pair * states + ids[third])
        likely[third] *= np.where(known, self.backoff[pair], 1)
        likely[third] += np.where(known & seen, self.seen[place], 0)
        return likely


def _places(
    numbers: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the place of each of ``wanted`` in sorted ``numbers``, and whether it is found."""
    places = np.searchsorted(numbers, wanted).clip(0, len(numbers) - 1)
    return places, numbers[places] == wanted


def learn_trigrams(texts: Sequence[Ids], language: Bigrams) -> Trigrams:
    """Learn trigrams on top of ``language`` from ``texts``, each ids int32[t]."""
    states = language.start + 1
    ids = np.concatenate([np.empty(0, np.int64), *texts])
    number = np.repeat(np.arange(len(texts)), np.fromiter(map(len, texts), np.intp))
    found = ((ids[:-2] * states + ids[1:-1]) * states + ids[2:])[number[:-2] == number[2:]]
    triples, counts = np.unique(found, return_counts=True)
    before, words = np.divmod(triples, states)
    pairs, starts = np.unique(before, return_index=True)
    different = np.diff(np.append(starts, len(triples)))
    totals = np.bincount(np.repeat(np.arange(len(pairs)), different), counts, len(pairs))
    return Trigrams(
        language,
        pairs,
        np.append(starts, len(triples)),
        words.astype(np.int32),
        ((counts - _DISCOUNT) / np.repeat(totals, different)).astype(np.float32),
        (_DISCOUNT * different / totals).astype(np.float32),
    )
