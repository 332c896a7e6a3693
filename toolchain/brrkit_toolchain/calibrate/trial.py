"""Trials: the attack success on some texts at a setting, and the utility.

Outputs are drawn by inversion from the same random numbers at every setting, two a token. The coins
of passing words are the same, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.mechanisms.exponential import BIGRAM
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    TextAttackers,
    judge_texts,
    knowing_no_more,
)
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.readers.batching import Floats, Ids
from brrkit_toolchain.attackers.texts.readers.sentence_reader import Rooms
from brrkit_toolchain.attackers.texts.success import (
    Success,
    policy_classes,
    reading_of,
    success_over,
    word_classes,
)
from brrkit_toolchain.attackers.texts.text_attack import known_ids, released_before
from brrkit_toolchain.calibrate.goals import TextAttackSuccess
from brrkit_toolchain.calibrate.limits import SettingGrid
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.bigram_base import BigramReleaser
from brrkit_toolchain.channel.drawing.random_numbers import first_above
from brrkit_toolchain.channel.evidence import Likelihoods
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.codes.scans import ids_at
from brrkit_toolchain.language.texts import TypedText


class Trial:
    """The attack success on some texts, at any setting."""

    def __init__(
        self,
        grid: SettingGrid,
        knows: Knowledge,
        goal: TextAttackSuccess,
        texts: Sequence[TypedText],
        seed: int,
        rooms: Rooms | None = None,
    ) -> None:
        self._grid, self._typed, self._seed = grid, texts, seed
        self._rooms = Rooms() if rooms is None else rooms
        self._bundle = grid.bundle
        weighted = grid.channel.weighted
        self._follows = weighted is not None and weighted.base == BIGRAM
        policy = grid.channel.typed
        self._policy = None if policy.is_empty else policy
        self._texts = [text.ids for text in texts]
        self._knows, self._goal = knows, goal
        self._attackers = knowing_no_more(goal.attacker)
        self._guesses = TextAttackers(knows, self._attackers, self._policy)
        ids = np.concatenate(self._texts)
        typed_as = np.concatenate([text.typed_as for text in texts])
        if goal.over == "ordinary":
            self._chosen = policy_classes(policy, ids, typed_as)[goal.over]
        else:
            digits = np.concatenate([text.digits for text in texts])
            self._chosen = word_classes(ids, digits, knows.bigrams.words)[goal.over]
        self._places = np.repeat(np.arange(len(texts)), [len(text) for text in self._texts])
        if not self._chosen.any():
            raise ParameterError(
                f"{goal.text}: has no words of the vocabulary that count ({goal.over}); give "
                "another text"
            )
        inputs = known_ids(typed_as, grid.channel.stand_ins, seed)
        coins = np.random.default_rng([seed, 1]).random(len(ids))
        self._passed = (coins < policy.shares[inputs]) & (typed_as < len(policy.ids))
        self._inputs = policy.ids[inputs]
        self._tried: dict[tuple[float, int], Estimate] = {}
        self._numbers = np.random.default_rng(seed).random((2, len(ids)))

    def first(self, tokens: int, of_a_text: int) -> Trial:
        """Return the trial of the first texts with this number of tokens together.

        Args:
            tokens: approximate number of all tokens.
            of_a_text: largest number of a text's first tokens.
        """
        starts = [text.start(of_a_text) for text in self._typed]
        ends = np.cumsum([len(text.ids) for text in starts])
        starts = starts[: int(np.searchsorted(ends, tokens)) + 1]
        if sum(len(text.ids) for text in starts) == self.tokens:
            return self
        return Trial(self._grid, self._knows, self._goal, starts, self._seed, self._rooms)

    def with_task_weight(self, task_weight: int | None) -> Trial:
        """Return the trial of the same texts with another task weight."""
        grid = self._grid.with_task_weight(task_weight)
        if grid.channel.setting == self._grid.channel.setting:
            return self
        other = copy(self)
        other._grid, other._tried = grid, {}
        return other

    @property
    def bundle(self) -> WordBundle:
        """The bundle whose settings are tried."""
        return self._bundle

    @property
    def tokens(self) -> int:
        """The number of words in the texts, including unknown words."""
        return len(self._inputs)

    def channel(self, epsilon: float, radius: int) -> Channel:
        """Return the channel of a setting without a cap."""
        return self._grid.at(epsilon, radius)

    def success(self, epsilon: float, radius: int) -> float:
        """Return the attack success of the best attacker."""
        return self._success(epsilon, radius).value

    def limit(self, epsilon: float, radius: int, tokens: int) -> float:
        """Return the upper end of its 95% interval, expected given much text of the language.

        The interval has the width that ``tokens`` tokens like these would give.
        """
        found = self._success(epsilon, radius)
        most = found.value + (found.high - found.value) * sqrt(self.tokens / tokens)
        likely = Estimate(found.value, found.low, min(most, 1.0))
        return self._knows.expected(likely, self._goal.attacker, self._goal.over).high

    def distance(self, epsilon: float, radius: int) -> float:
        """Return the mean distance from a typed word to its output, in the words' own bits."""
        if not self._follows and not self._bundle.task_bits:
            return self.expected_distance(epsilon, radius, None)
        codes = self._bundle.codes[:, : self._bundle.word_bits // 64]
        outputs, _ = self._released(epsilon, radius)
        apart = unpack(codes[outputs] ^ codes[self._inputs]).sum(axis=1)
        return float(apart[self._chosen].mean())

    def expected_distance(self, epsilon: float, radius: int, cap: float | None) -> float:
        """Return the expected value of this distance if each word is a text of its own."""
        channel = self._grid.at(epsilon, radius, cap)
        expected = channel.everything.distance(channel.weights)
        return float(expected[self._inputs[self._chosen]].mean())

    def _success(self, epsilon: float, radius: int) -> Estimate:
        setting = epsilon, radius
        if setting not in self._tried:
            self._grid.on_try()
            self._tried[setting] = self._best(*self._released(epsilon, radius)).top1
        return self._tried[setting]

    def _released(self, epsilon: float, radius: int) -> tuple[NDArray[np.int64], Likelihoods]:
        """Return the outputs [t], and the likelihoods of the inputs."""
        channel = self.channel(epsilon, radius)
        outputs, weighted = draw(channel, self._inputs, self._numbers), channel.weighted
        if self._follows and weighted is not None:
            follow = BigramReleaser(
                lambda ids: (outputs, channel.totals[ids]),
                weighted,
                np.random.default_rng(self._seed).bytes,
            )
            outputs = follow(self._inputs, self._places, self._passed)
        else:
            outputs = np.where(self._passed, self._inputs, outputs)
        evidence = channel.evidence.knowing_forms(self._knows.forms)
        return outputs, evidence.remembering(outputs)

    def without_outputs(self) -> float:
        """Return the attack success of the best attacker without any output."""

        def nothing(_outputs: Ids, _before: Ids, room: Floats) -> None:
            room[:] = 1

        return self._best(self._inputs, Likelihoods(nothing)).top1.value

    def _best(self, outputs: NDArray[np.int64], likelihoods: Likelihoods) -> Success:
        """Return the largest success of attackers who know no more than the goal's attacker."""
        ends = np.cumsum([len(text) for text in self._texts])[:-1]
        parts = np.split(outputs, ends)
        before = np.split(released_before(outputs, self._places), ends)
        own, chosen = (self._texts, parts, before), np.split(self._chosen, ends)
        right = np.concatenate(
            judge_texts(self._guesses, *own, likelihoods, rooms=self._rooms, counted=chosen)
        )
        reading = reading_of(self._goal.over)
        found = [
            success_over(right[:, number, reading], self._places, self._chosen)
            for number in range(len(self._attackers))
        ]
        return max((one for one in found if one), key=lambda one: one.top1.value)


def draw(
    channel: Channel,
    inputs: NDArray[np.intp],
    numbers: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the output of each of ``inputs`` [t], drawn with ``numbers`` float64[2, t].

    The first number decides the distance, and the second the word at this distance. So outputs
    change little from one setting to the next.
    """
    near = channel.everything
    masses = np.cumsum(near.masses[inputs] * channel.weights, axis=1)
    level = (numbers[0] * masses[:, -1]).astype(np.int64).clip(0, masses[:, -1] - 1)
    at = first_above(masses, np.arange(len(inputs)), level.astype(np.uint64))
    positions = (numbers[1] * near.masses[inputs, at]).astype(np.uint64)
    order = np.argsort(inputs)  # a word's draws are side by side, to scan its distances once
    words, starts = np.unique(inputs[order], return_index=True)
    outputs = np.empty(len(inputs), np.int64)
    outputs[order] = ids_at(
        near.codes.T.copy(),
        near.codes[words],
        np.append(starts, len(inputs)),
        at[order],
        positions[order],
        near.measure,
    )
    return outputs
