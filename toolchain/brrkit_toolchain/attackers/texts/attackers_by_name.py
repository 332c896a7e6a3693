"""The attackers by name, and their guesses on one text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Literal

import numpy as np

from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.readers.batching import (
    Floats,
    Ids,
    Likelihoods,
    ReleasedLanes,
    assign_lanes,
    row_blocks,
    text_slices,
)
from brrkit_toolchain.attackers.texts.readers.neighbor_reader import NeighborReader
from brrkit_toolchain.attackers.texts.readers.sentence_reader import room_for
from brrkit_toolchain.attackers.texts.readers.trigram_reader import TrigramReader
from brrkit_toolchain.attackers.texts.success import judge, kinds_of_words
from brrkit_toolchain.channel.typed_as import TypedAs

Attacker = Literal["isolated", "frequencies", "sentence", "informed"]
"""Attackers, in ascending order of knowledge.

- isolated: knows the mechanism and one output, and assumes that all words are equally likely.
- frequencies: also knows the words' frequencies.
- sentence: also knows the frequencies of word sequences, and all outputs of the text.
- informed: knows the frequencies of word pairs, the output, and all other words as typed.
"""

ATTACKERS: tuple[Attacker, ...] = ("isolated", "frequencies", "sentence", "informed")

ATTACKERS_AND_BASELINE = (*ATTACKERS, "language_alone")
"""The attackers, and a baseline that knows as much as ``informed``, except the output."""


class TextAttackers:
    """Some of ``ATTACKERS_AND_BASELINE``, with their knowledge of a language; thread-safe."""

    def __init__(
        self,
        knows: Knowledge,
        attackers: Sequence[str] = ATTACKERS_AND_BASELINE,
        policy: TypedAs | None = None,
    ) -> None:
        """Prepare the knowledge of ``attackers``; ``policy`` is the bundle's."""
        self.attackers = attackers
        self._frequencies = knows.bigrams.words.astype(np.float32)
        self._kinds = kinds_of_words(knows.bigrams.words, policy)
        self._sentence = TrigramReader(knows)
        self._informed = NeighborReader(knows.bigrams)
        self._around = not {"informed", "language_alone"}.isdisjoint(attackers)

    @property
    def states(self) -> int:
        """The number of words, including the unknown word."""
        return len(self._frequencies)

    def __call__(
        self, typed: Sequence[Sequence[Ids]], released: ReleasedLanes, room: Floats
    ) -> list[list[Floats]]:
        """Return the probability of each attacker's right guess on each token of texts, by lane.

        The result for a text is float32[t, attackers, r, 2]; r is by ``success.READINGS``, and the
        last axis by the number of guesses.

        Args:
            typed: ids int32[t] of each text, by lane.
            released: the outputs for these texts.
            room: memory for beliefs, from ``sentence_reader.room_for``; written to.
        """
        read = self._sentence(released, room) if "sentence" in self.attackers else None
        result: list[list[Floats]] = []
        for lane, texts in enumerate(typed):
            beliefs = None if read is None else read[:, lane]
            parts = text_slices(released.lengths[lane])
            result.append(
                [
                    self._judge(ids, released, lane, part, beliefs)
                    for ids, part in zip(texts, parts, strict=True)
                ]
            )
        return result

    def _judge(
        self, typed: Ids, released: ReleasedLanes, lane: int, part: slice, beliefs: Floats | None
    ) -> Floats:
        """Return the probabilities of right guesses on a text, the ``part`` of a ``lane``."""
        right = np.empty((len(typed), len(self.attackers), len(self._kinds) + 1, 2), np.float32)
        if beliefs is not None:
            read, number = beliefs[part], self.attackers.index("sentence")
            for some in row_blocks(len(typed)):
                right[some, number] = judge(read[some], typed[some], self._kinds)
        if beliefs is not None and len(self.attackers) == 1:
            return right
        for some, output in released.by_rows(lane, part, self.states):
            alone = self._informed(typed, some) if self._around else output
            believed: dict[str, tuple[Floats, ...]] = {
                "isolated": (output,),
                "frequencies": (output, self._frequencies),
                "informed": (output, alone),
                "language_alone": (alone,),
            }
            for number, attacker in enumerate(self.attackers):
                if attacker in believed:
                    belief, *factors = believed[attacker]
                    right[some, number] = judge(belief, typed[some], self._kinds, *factors)
        return right


def knowing_no_more(attacker: Attacker) -> tuple[Attacker, ...]:
    """Return the attackers who know no more than ``attacker``; the last one is ``attacker``."""
    return ATTACKERS[: ATTACKERS.index(attacker) + 1]


def judge_texts(
    attackers: TextAttackers,
    typed: Sequence[Ids],
    released: Sequence[Ids],
    before: Sequence[Ids],
    likelihoods: Likelihoods,
    done: Callable[[int], object] = lambda _tokens: None,
) -> list[Floats]:
    """Return the result of ``attackers`` for each text; two threads read several texts at a time.

    Args:
        attackers: the attackers.
        typed: ids of each text.
        released: ids of the outputs for each text.
        before: ids of the outputs before each of these.
        likelihoods: likelihoods of a channel.
        done: function called with the number of newly finished tokens.
    """
    result: list[Floats] = [np.empty(0, np.float32)] * len(typed)
    lengths = list(map(len, typed))
    groups, own = assign_lanes(lengths), local()
    longest = max((sum(lengths[i] for i in lane) for lanes in groups for lane in lanes), default=0)

    def make_room() -> None:
        """Allocate a thread's memory once: a new allocation takes longer than its use."""
        own.room = room_for(attackers.states, longest)

    def guess(lanes: Sequence[Sequence[int]]) -> int:
        def joined(ids: Sequence[Ids]) -> list[Ids]:
            return [np.concatenate([ids[i] for i in lane]) for lane in lanes]

        parts = [[lengths[i] for i in lane] for lane in lanes]
        together = ReleasedLanes(joined(released), joined(before), parts, likelihoods)
        found = attackers([[typed[i] for i in lane] for lane in lanes], together, own.room)
        for lane, judged in zip(lanes, found, strict=True):
            for i, right in zip(lane, judged, strict=True):
                result[i] = right
        return sum(map(sum, parts))

    with ThreadPoolExecutor(2, initializer=make_room) as pool:
        for tokens in pool.map(guess, groups):
            done(tokens)
    return result
