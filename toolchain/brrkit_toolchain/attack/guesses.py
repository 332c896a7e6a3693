"""The attackers by name: each one's guesses, on one text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attack.informed import NeighborReader
from brrkit_toolchain.attack.knowledge import Knowledge
from brrkit_toolchain.attack.rereading import Reader
from brrkit_toolchain.attack.sequence import Floats, parts_of, room_for, side_by_side
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

Likelihoods = Callable[[Ids, Ids, Floats], Floats]
"""Of a channel: of ids that came out, and of those before them; the last is room for the result."""

_ROWS = 16  # tokens of beliefs at a time: what all attackers take stays in the cache


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

    @property
    def states(self) -> int:
        """How many words there are, with the unknown one."""
        return len(self._frequencies)

    def __call__(
        self, typed: Sequence[Sequence[Ids]], likelihoods: Sequence[Floats], room: Floats
    ) -> list[list[Floats]]:
        """Return how probably each attacker is right about each token of some texts, by lane.

        What it gives for a text, float32[t, attackers, 2, 2], is by ``success.READINGS``, then by
        the number of guesses.

        Args:
            typed: ids int32[t] of the texts of each lane, ``lanes.LANES`` at most.
            likelihoods: Pr[y_t | x] float32[t, s] of what was released for those of each lane, but
                for a factor of each row.
            room: for beliefs, of ``sequence.room_for``; written to.
        """
        lengths = [list(map(len, texts)) for texts in typed]
        read = None
        if "sentence" in self.attackers:
            read = self._sentence(likelihoods, lengths, room)
        result: list[list[Floats]] = []
        for lane, texts in enumerate(typed):
            beliefs = likelihoods[lane] if read is None else read[:, lane]
            result.append(
                [
                    self._judge(ids, likelihoods[lane][part], beliefs[part])
                    for ids, part in zip(texts, parts_of(lengths[lane]), strict=True)
                ]
            )
        return result

    def _judge(self, typed: Ids, likelihoods: Floats, read: Floats) -> Floats:
        right = np.empty((len(typed), len(self.attackers), 2, 2), np.float32)
        for start in range(0, len(typed), _ROWS):
            part = slice(start, start + _ROWS)
            output = likelihoods[part]
            alone = self._informed(typed, part) if self._around else output
            believed: dict[str, tuple[Floats, ...]] = {
                "isolated": (output,),
                "frequencies": (output, self._frequencies),
                "sentence": (read[part],),
                "informed": (output, alone),
                "language_alone": (alone,),
            }
            for number, attacker in enumerate(self.attackers):
                belief, *factors = believed[attacker]
                right[part, number] = judge(belief, typed[part], self._content, *factors)
        return right


def knowing_no_more(attacker: Attacker) -> tuple[Attacker, ...]:
    """Return the attackers who know no more than ``attacker``, who is the last of them."""
    return ATTACKERS[: ATTACKERS.index(attacker) + 1]


def guess_all(
    guesses: Guesses,
    typed: Sequence[Ids],
    released: Sequence[Ids],
    before: Sequence[Ids],
    likelihoods: Likelihoods,
    done: Callable[[int], object] = lambda _tokens: None,
) -> list[Floats]:
    """Return what ``guesses`` gives for each of some texts, several read together, in two threads.

    Args:
        guesses: of the attackers.
        typed: ids of each text.
        released: what came out for it.
        before: what came out before each of these.
        likelihoods: of a channel.
        done: is told of so many tokens more.
    """
    result: list[Floats] = [np.empty(0, np.float32)] * len(typed)
    lengths = list(map(len, typed))
    groups, own = side_by_side(lengths), local()

    def make_room() -> None:
        """Give a thread its room: memory that the system gives anew costs more than its use."""
        own.likelihoods, own.found = room_for(guesses.states, lengths, groups)

    def guess(lanes: Sequence[Sequence[int]]) -> int:
        def joined(ids: Sequence[Ids]) -> list[Ids]:
            return [np.concatenate([ids[i] for i in lane]) for lane in lanes]

        parts = parts_of([sum(lengths[i] for i in lane) for lane in lanes])
        rooms = (own.likelihoods[part] for part in parts)
        seen = list(map(likelihoods, joined(released), joined(before), rooms))
        found = guesses([[typed[i] for i in lane] for lane in lanes], seen, own.found)
        for lane, judged in zip(lanes, found, strict=True):
            for i, right in zip(lane, judged, strict=True):
                result[i] = right
        return sum(map(len, seen))

    with ThreadPoolExecutor(2, initializer=make_room) as pool:
        for tokens in pool.map(guess, groups):
            done(tokens)
    return result
