"""The small language model of a bundle: which words are more likely outputs, and after which.

Masses of words and gains of bigrams are positive integers, each stored as one byte. What a
mechanism makes of them is its base measure: ``spec/bundle-format.md``, "Masses and
bigrams".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit.packed import PackedNumbers
from brrkit.randomness import RandomSource, uniform_below

LEVELS = np.array([v if v < 16 else (8 + v % 8) << (v // 8 - 1) for v in range(256)], np.int64)
"""The integer that each byte stands for; 0 is no byte of a mass."""

MOST = 1 << 47
"""What no sum of a base measure over the vocabulary exceeds: exact in a double, too."""


def draw_by(cumulative: NDArray[np.int64], random: RandomSource) -> int:
    """Return a word's id, each with its mass: what takes an unknown word's place.

    Args:
        cumulative: of ``Masses``.
        random: source of random bytes; one uniform integer.
    """
    number = uniform_below(int(cumulative[-1]), random)
    return int(np.searchsorted(cumulative, number, side="right"))


@dataclass(frozen=True)
class Masses:
    """The weight of each word as an output, and what it gains after another one.

    Attributes:
        words: uint8[n], the mass of each word as a byte of ``LEVELS``, by id.
        before: the id of each bigram's first word, in ascending order.
        after: the id of each bigram's second word, ascending within a first word.
        gains: uint8[b], what each bigram adds to its second word's mass, as a byte of ``LEVELS``.
    """

    words: NDArray[np.uint8]
    before: PackedNumbers
    after: PackedNumbers
    gains: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def bigrams(self) -> int:
        """Their number."""
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
        """The largest sum of masses and gains that any word before makes of the vocabulary."""
        return self.total + self._most_gained()

    def following(self, before: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the ids [k], ascending, that follow ``before``, and their gains [k]."""
        first, last = self._starts[before : before + 2].tolist()
        return self.after.between(first, last).astype(np.intp), LEVELS[self.gains[first:last]]

    def damage(self) -> str | None:
        """Return what is wrong with the content, or None: then every sum fits 64 bits."""
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
        """Where the bigrams [n + 1] of each first word start, by id; the last is their number.

        Counted at the first word after another: to search for it took longer than all else here.
        """
        starts = np.zeros(len(self) + 1, np.intp)
        before = self.before.unpack().astype(np.intp)  # with 32 bits, no safe cast exists
        np.cumsum(np.bincount(before, minlength=len(self)), out=starts[1:])
        return starts

    def _most_gained(self) -> int:
        """Return the largest sum of gains after one word."""
        if not self.bigrams:
            return 0
        before = self.before.unpack()
        starts = np.flatnonzero(np.diff(before, prepend=before[0] + np.uint32(1)))
        return int(np.add.reduceat(LEVELS[self.gains], starts).max())
