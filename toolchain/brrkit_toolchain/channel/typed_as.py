"""The effect of a bundle's policy on a typed word: the map g, and the words that may pass.

    K_h(y|x) = p [x passes] [y = x] + (1 - p [x passes]) M_h(y | g(x))

is the device's output distribution after the released word h. M is the mechanism, g(x) is the word
that x is typed as, and p = T / 2^63. Proof: ``docs/explanation/proofs.md``, "Passing words".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.randomness import RandomSource
from brrkit_toolchain.channel.drawing.random_numbers import random_uint64

COIN_BITS = 63
"""Number of bits of the uniform integer that decides whether a word passes."""


@dataclass(frozen=True)
class TypedAs:
    """The words that a vocabulary's words are typed as, and the probability that each passes.

    Attributes:
        ids: intp[n], g(x) of each word x: x itself, or the head of its list.
        threshold: T; 0 if no word passes.
        passing: bool[n], whether each word may pass.
        heads: head of each list, by the list's name.
    """

    ids: NDArray[np.intp]
    threshold: int
    passing: NDArray[np.bool_]
    heads: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, bundle: WordBundle) -> TypedAs:
        """Return the effect of the policy of ``bundle``, if it has one."""
        found, policy = cls.nothing(len(bundle)), bundle.policy
        for each in policy.lists:
            found.ids[list(each.members)] = each.head
        if policy.passing is not None:
            found.passing[list(policy.passing.words)] = True
        return replace(
            found,
            threshold=policy.passing.threshold if policy.passing else 0,
            heads={each.name: each.head for each in policy.lists},
        )

    @classmethod
    def nothing(cls, words: int) -> TypedAs:
        """Return the identity on ``words`` words, without a policy."""
        return cls(np.arange(words), 0, np.zeros(words, np.bool_))

    @property
    def is_empty(self) -> bool:
        """Whether each word is typed as itself, and none passes, like without a policy."""
        return not (self.threshold or self.heads)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The probability float64[n] that each word passes, which is p or 0.

        Exact: p is a double.
        """
        return np.where(self.passing, self.threshold / 2**COIN_BITS, 0.0)

    @cached_property
    def ordinary(self) -> NDArray[np.bool_]:
        """Whether each word bool[n] is on no list, and doesn't pass."""
        found = ~self.passing
        found[self.members] = False
        found[list(self.heads.values())] = False
        return found

    def of_list(self, name: str) -> NDArray[np.intp]:
        """Return the ids of the members of a list, its head first."""
        return np.flatnonzero(self.ids == self.heads[name])

    @cached_property
    def members(self) -> NDArray[np.intp]:
        """Ids of the words that are typed as another one."""
        return np.flatnonzero(self.ids != np.arange(len(self.ids)))

    def passed(
        self,
        ids: NDArray[np.intp],
        random: RandomSource,
        stood_in: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Return whether each of ``ids`` [m] passes; draws a coin for each, if any word may pass.

        Args:
            ids: ids of the words.
            random: source of random bytes.
            stood_in: bool[m], whether each replaces an unknown word; these never pass.
        """
        if not self.threshold:
            return np.zeros(len(ids), np.bool_)
        coins = random_uint64(len(ids), random) >> np.uint64(64 - COIN_BITS)
        found: NDArray[np.bool_] = self.passing[ids] & (coins < np.uint64(self.threshold))
        return found if stood_in is None else found & ~stood_in
