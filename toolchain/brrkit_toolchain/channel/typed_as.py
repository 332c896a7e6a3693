"""What a bundle's policy makes of a typed word: g, and which words may pass as they are.

    K_h(y|x) = p [x passes] [y = x] + (1 - p [x passes]) M_h(y | g(x))

is what comes out of a device after the released word h: M is the mechanism, g(x) what x is typed
as, and p = T / 2^63. Proof: ``docs/explanation/proofs.md``, "Passing words".
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
"""Of the uniform integer that decides whether a passing word comes out as typed."""


@dataclass(frozen=True)
class TypedAs:
    """What the words of a vocabulary are typed as, and how often each passes.

    Attributes:
        ids: intp[n], g(x) of each word x; itself, but for the members of a list.
        threshold: T; 0 where no word passes.
        passing: bool[n], which words may pass.
        heads: by the name of a list, what its members and forms are typed as.
    """

    ids: NDArray[np.intp]
    threshold: int
    passing: NDArray[np.bool_]
    heads: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, bundle: WordBundle) -> TypedAs:
        """Return what the policy of ``bundle`` says, if it has one."""
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
        """Return what is true of ``words`` words without a policy."""
        return cls(np.arange(words), 0, np.zeros(words, np.bool_))

    @property
    def is_empty(self) -> bool:
        """Whether each word is typed as itself, and none passes: as without a policy."""
        return not (self.threshold or self.heads)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """How often each word comes out as typed by its coin, float64[n]: p, or 0.

        Exact: p is a double.
        """
        return np.where(self.passing, self.threshold / 2**COIN_BITS, 0.0)

    @cached_property
    def ordinary(self) -> NDArray[np.bool_]:
        """Which words bool[n] are in no list, and don't pass."""
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
        """Return which of ``ids`` [m] come out as typed; a coin is drawn for each, if words pass.

        Args:
            ids: of the words.
            random: source of random bytes.
            stood_in: bool[m], which of them take an unknown word's place: these never pass.
        """
        if not self.threshold:
            return np.zeros(len(ids), np.bool_)
        coins = random_uint64(len(ids), random) >> np.uint64(64 - COIN_BITS)
        found: NDArray[np.bool_] = self.passing[ids] & (coins < np.uint64(self.threshold))
        return found if stood_in is None else found & ~stood_in
