"""The attackers by name, and their guesses on one text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.readers.batching import (
    Floats,
    Ids,
    ReleasedLanes,
    assign_lanes,
    text_slices,
)
from brrkit_toolchain.attackers.texts.readers.neighbor_reader import NeighborReader
from brrkit_toolchain.attackers.texts.readers.sentence_reader import Emissions, Rooms
from brrkit_toolchain.attackers.texts.readers.trigram_reader import TrigramReader
from brrkit_toolchain.attackers.texts.success import NOT_GUESSED, judge, kinds_of_words
from brrkit_toolchain.channel.evidence import Likelihoods
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
        self._frequencies = knows.bigrams.words.astype(np.float32)[None]
        self._level = np.ones_like(self._frequencies)
        self._kinds = kinds_of_words(knows.bigrams.words, policy)
        self._sentence = TrigramReader(knows)
        self._informed = NeighborReader(knows.bigrams)
        self._around = not {"informed", "language_alone"}.isdisjoint(attackers)

    @property
    def states(self) -> int:
        """The number of words, including the unknown word."""
        return len(self._level[0])

    def __call__(
        self,
        typed: Sequence[Sequence[Ids]],
        released: ReleasedLanes,
        room: Floats,
        counted: Sequence[Sequence[NDArray[np.bool_]]],
    ) -> list[list[Floats]]:
        """Return the probability of each attacker's right guess on each token of texts, by lane.

        The result for a text is float32[t, attackers, r, 2]; r is by ``success.READINGS``, and the
        last axis by the number of guesses.

        Args:
            typed: ids int32[t] of each text, by lane; the longest lanes come first.
            released: the outputs for these texts.
            room: memory for beliefs, from ``sentence_reader.Rooms``; written to.
            counted: bool[t] of each text, by lane: the tokens that are guessed; the result for
                others is 0.
        """
        judged = [
            np.where(np.concatenate(chosen), np.concatenate(texts), NOT_GUESSED)
            for texts, chosen in zip(typed, counted, strict=True)
        ]
        before = [np.concatenate([self._informed.before(ids) for ids in texts]) for texts in typed]
        after = [np.concatenate([self._informed.after(ids) for ids in texts]) for texts in typed]
        shape = released.steps, len(typed), len(self.attackers), len(self._kinds) + 1, 2
        right = np.empty(shape, np.float32)
        around = np.empty((len(typed), self.states), np.float32)

        def at(ids: Sequence[Ids], t: int) -> Ids:
            return np.array([ids[lane][t] for lane in released.lanes_at(t)], np.int32)

        def judge_alone(t: int, emissions: Emissions) -> None:
            """Judge those who know one output, or all other words as typed."""
            words = at(judged, t)
            output, rows = emissions.likelihoods, emissions.rows[: len(words)]
            alone, each = around[: len(words)], np.arange(len(words))
            if self._around:
                self._informed.read(at(before, t), at(after, t), alone)
            believed = {
                "isolated": (output, rows, self._level),
                "frequencies": (output, rows, self._frequencies),
                "informed": (output, rows, alone),
                "language_alone": (alone, each, self._level),
            }
            for number, attacker in enumerate(self.attackers):
                if attacker in believed:
                    belief, places, factors = believed[attacker]
                    found = judge(belief, words, self._kinds, factors, places)
                    right[t, : len(words), number] = found

        if "sentence" in self.attackers:
            read = self._sentence(released, room, judge_alone)
            number = self.attackers.index("sentence")
            for t in range(released.steps):
                words = at(judged, t)
                belief = read[t, : len(words)]
                right[t, : len(words), number] = judge(belief, words, self._kinds, self._level)
        else:
            likelihoods = released.room(self.states)
            for t in range(released.steps):
                judge_alone(t, Emissions(likelihoods, released.at(t, likelihoods)))
        return [
            [right[part, lane] for part in text_slices(lengths)]
            for lane, lengths in enumerate(released.lengths)
        ]


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
    rooms: Rooms | None = None,
    counted: Sequence[NDArray[np.bool_]] | None = None,
) -> list[Floats]:
    """Return the result of ``attackers`` for each text; two threads read several texts at a time.

    Args:
        attackers: the attackers.
        typed: ids of each text.
        released: ids of the outputs for each text.
        before: ids of the outputs before each of these.
        likelihoods: likelihoods of a channel.
        done: function called with the number of newly finished tokens.
        rooms: memory that earlier calls used; by default none.
        counted: bool[t] of each text, the tokens that are guessed; by default all. The result for
            other tokens is 0.
    """
    if counted is None:
        counted = [np.ones(len(text), np.bool_) for text in typed]
    result: list[Floats] = [np.empty(0, np.float32)] * len(typed)
    lengths = list(map(len, typed))
    groups, kept = assign_lanes(lengths), Rooms() if rooms is None else rooms
    longest = max((sum(lengths[i] for i in lane) for lanes in groups for lane in lanes), default=0)

    def guess(lanes: Sequence[Sequence[int]]) -> int:
        def joined(ids: Sequence[Ids]) -> list[Ids]:
            return [np.concatenate([ids[i] for i in lane]) for lane in lanes]

        parts = [[lengths[i] for i in lane] for lane in lanes]
        together = ReleasedLanes(joined(released), joined(before), parts, likelihoods)
        with kept.lend(attackers.states, longest) as room:
            own, chosen = ([[of[i] for i in lane] for lane in lanes] for of in (typed, counted))
            found = attackers(own, together, room, chosen)
        for lane, judged in zip(lanes, found, strict=True):
            for i, right in zip(lane, judged, strict=True):
                result[i] = right
        return sum(map(sum, parts))

    with ThreadPoolExecutor(2) as pool:
        for tokens in pool.map(guess, groups):
            done(tokens)
    return result
