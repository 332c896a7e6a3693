"""The attackers by name: each one's guesses, on one text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attack.informed import NeighborReader
from brrkit_toolchain.attack.knowledge import Knowledge
from brrkit_toolchain.attack.rereading import Reader
from brrkit_toolchain.attack.sequence import Floats, together
from brrkit_toolchain.attack.success import content_words, judge

Attacker = Literal["isolated", "frequencies", "sentence", "informed"]
"""From the one who knows least.

- isolated: the mechanism, and one output; all words are as likely beforehand.
- frequencies: also how frequent each word is.
- sentence: also which words follow which, and all outputs of the text.
- informed: which words follow which, the output, and every other word of the text as typed.
"""

ATTACKERS: tuple[Attacker, ...] = ("isolated", "frequencies", "sentence", "informed")

EVERYBODY = (*ATTACKERS, "language_alone")
"""Also ``informed`` without any output: what is known anyway."""

Ids = NDArray[Any]
"""Of words, int32 or int64[t]."""

_ROWS = 64  # tokens of beliefs at a time


class Guesses:
    """Some of ``EVERYBODY``, who know a language. Safe to share between threads."""

    def __init__(self, knows: Knowledge, attackers: Sequence[str] = EVERYBODY) -> None:
        """Lay out what ``attackers`` know."""
        self.attackers = attackers
        self._frequencies = knows.bigrams.words.astype(np.float32)
        self._content = content_words(knows.bigrams.words)
        self._sentence = Reader(knows)
        self._informed = NeighborReader(knows.bigrams)
        self._around = not {"informed", "language_alone"}.isdisjoint(attackers)

    def __call__(self, typed: Sequence[Ids], likelihoods: Sequence[Floats]) -> list[Floats]:
        """Return how probably each attacker is right about each token.

        The result, float32[t, attackers, 2, 2], is by ``success.READINGS``, then by the number of
        guesses.

        Args:
            typed: ids int32[t] of each text.
            likelihoods: Pr[y_t | x] float32[t, s] of what was released for it, but for a factor of
                each row.
        """
        read = self._sentence(likelihoods) if "sentence" in self.attackers else likelihoods
        return [self._judge(*text) for text in zip(typed, likelihoods, read, strict=True)]

    def _judge(self, typed: Ids, likelihoods: Floats, read: Floats) -> Floats:
        right = np.empty((len(typed), len(self.attackers), 2, 2), np.float32)
        for start in range(0, len(typed), _ROWS):
            part = slice(start, start + _ROWS)
            alone = self._informed(typed, part) if self._around else likelihoods[part]
            for number, attacker in enumerate(self.attackers):
                belief = self._belief(attacker, likelihoods[part], read[part], alone)
                right[part, number] = judge(belief, typed[part], self._content)
        return right

    def _belief(
        self,
        attacker: str,
        output: NDArray[np.float32],
        read: NDArray[np.float32],
        alone: NDArray[np.floating],
    ) -> NDArray[np.floating]:
        if attacker == "isolated":
            return output
        if attacker == "frequencies":
            return output * self._frequencies
        if attacker == "sentence":
            return read
        return output * alone if attacker == "informed" else alone


def knowing_no_more(attacker: Attacker) -> tuple[Attacker, ...]:
    """Return the attackers who know no more than ``attacker``, who is the last of them."""
    return ATTACKERS[: ATTACKERS.index(attacker) + 1]


def guess_all(
    guesses: Guesses,
    typed: Sequence[Ids],
    released: Sequence[Ids],
    before: Sequence[Ids],
    likelihoods: Callable[[Ids, Ids], Floats],
    done: Callable[[int], object] = lambda _tokens: None,
) -> list[Floats]:
    """Return what ``guesses`` gives for each of some texts, several read together, in two threads.

    Args:
        guesses: of the attackers.
        typed: ids of each text.
        released: what came out for it.
        before: what came out before each of these.
        likelihoods: of a channel: of ids that came out, and of those before them.
        done: is told of so many tokens more.
    """
    order = sorted(range(len(typed)), key=lambda i: len(typed[i]))
    groups = []  # of texts about as long
    while order:
        size = together(len(typed[order[-1]]))
        groups.append(order[-size:])
        del order[-size:]

    def guess(group: Sequence[int]) -> list[Floats]:
        seen = [likelihoods(released[i], before[i]) for i in group]
        return guesses([typed[i] for i in group], seen)

    result: dict[int, Floats] = {}
    with ThreadPoolExecutor(2) as pool:
        for group, found in zip(groups, pool.map(guess, groups), strict=True):
            result.update(zip(group, found, strict=True))
            done(sum(len(typed[i]) for i in group))
    return [result[i] for i in range(len(typed))]
