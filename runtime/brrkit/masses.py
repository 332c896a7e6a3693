"""The small language model of a bundle: words that are more likely outputs, also after others.

Masses of words and gains of bigrams are positive integers, each stored as one byte. A mechanism's
base measure consists of them: ``spec/bundle-format.md``, "Masses and bigrams".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit.packed import PackedNumbers
from brrkit.randomness import RandomSource, uniform_below

LEVELS = np.array([v if v < 16 else (8 + v % 8) << (v // 8 - 1) for v in range(256)], np.int64)
"""The integer for each byte; no mass has the byte 0."""

MOST = 1 << 47
"""Upper bound on sums of a base measure over the vocabulary, which are also exact as doubles."""


def draw_by(cumulative: NDArray[np.int64], random: RandomSource) -> int:
    """Draw the id of the word that replaces an unknown word, in proportion to the masses.

    Args:
        cumulative: ``Masses.cumulative``.
        random: source of random bytes; this takes one uniform integer.
    """
    number = uniform_below(int(cumulative[-1]), random)
    return int(np.searchsorted(cumulative, number, side="right"))


@dataclass(frozen=True)
class Masses:
    """The weight of each word as an output, and its gains after other words.

    Attributes:
        words: uint8[n], the mass of each word as a byte of ``LEVELS``, by id.
        before: the id of each bigram's first word, in ascending order.
        after: the id of each bigram's second word, ascending within a first word.
        gains: uint8[b], addition of each bigram to its second word's mass, as a byte of ``LEVELS``.
    """

    words: NDArray[np.uint8]
    before: PackedNumbers
    after: PackedNumbers
    gains: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def bigrams(self) -> int:
        """The number of bigrams."""
        return self.before.count

    @property
    def total(self) -> int:
        """The sum of all words' masses."""
        return int(LEVELS[self.words].sum())

    @property
    def cumulative(self) -> NDArray[np.int64]:
        """The sums int64[n] of the masses up to each word, by id; the last is ``total``."""
        return np.cumsum(LEVELS[self.words])

    @property
    def most(self) -> int:
        """The largest sum of masses and gains over the vocabulary, after any word."""
        return self.total + self._most_gained()

    def following(self, before: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the ids [k], ascending, that follow ``before``, and their gains [k]."""
        first, last = self._starts[before : before + 2].tolist()
        return self._seconds[first:last].astype(np.intp), LEVELS[self.gains[first:last]]

    def damage(self) -> str | None:
        """Return the error in the content, or None, when every sum fits into 64 bits."""
        for name, levels in (("masses", self.words), ("gains", self.gains)):
            if levels.size and not levels.min():
                return f"tensor {name!r} has a 0"
        before, after = self.before.unpack(), self.after.unpack()
        for name, ids in (("before", before), ("after", after)):
            if ids.max(initial=0) >= len(self):
                return f"tensor {name!r} names a missing word"
        if not np.all(np.diff(before.astype(np.int64) * len(self) + after) > 0):
            return "tensors 'before' and 'after' aren't in order, or have a pair twice"
        if self.most > MOST:
            return "tensors 'masses' and 'gains' sum to more than 2^47"
        return None

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """The start [n + 1] of each first word's bigrams, by id; the last is the number of bigrams.

        They are computed at the first word after another, because a search for each takes longer
        than everything else here.
        """
        starts = np.zeros(len(self) + 1, np.intp)
        before = self.before.unpack().astype(np.intp)  # there is no safe cast on 32-bit systems
        np.cumsum(np.bincount(before, minlength=len(self)), out=starts[1:])
        return starts

    @cached_property
    def _seconds(self) -> NDArray[np.uint32]:
        """The id of each bigram's second word, unpacked at the first word after another."""
        return self.after.unpack()

    def _most_gained(self) -> int:
        """Return the largest sum of gains after one word."""
        if not self.bigrams:
            return 0
        before = self.before.unpack()
        starts = np.flatnonzero(np.diff(before, prepend=before[0] + np.uint32(1)))
        return int(np.add.reduceat(LEVELS[self.gains], starts).max())
