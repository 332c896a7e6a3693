"""Groups of texts that are read together, in lanes, and their outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapreplace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.readers.lanes import LANES

Floats = NDArray[np.float32]

Ids = NDArray[Any]
"""Ids of words, int32 or int64[t]."""

Likelihoods = Callable[[Ids, Ids, Floats], object]
"""A channel's likelihoods: takes the ids of outputs, those of the outputs before, and an array for
Pr[y | x] float32[t, s]. A factor in each row makes its largest number about 1."""

_MOST_LANE_STEPS = 160  # 500 MB of beliefs for all lanes at 50,000 words


@dataclass(frozen=True)
class ReleasedLanes:
    """The outputs for texts in lanes; a lane's texts follow one another.

    Attributes:
        outputs: ids [t] of each lane's outputs; at most ``LANES`` lanes.
        before: ids [t] of the output before each of these, in its text.
        lengths: lengths of the texts of each lane.
        likelihoods: likelihoods of the channel; called from several threads.
    """

    outputs: Sequence[Ids]
    before: Sequence[Ids]
    lengths: Sequence[Sequence[int]]
    likelihoods: Likelihoods

    @classmethod
    def of(cls, likelihoods: Sequence[Floats], lengths: Sequence[Sequence[int]]) -> ReleasedLanes:
        """Return outputs with ``likelihoods`` float32[t, s], by lane, for texts of ``lengths``.

        The largest number of each row must be about 1.
        """
        rows = np.concatenate(likelihoods)
        numbers = np.split(np.arange(len(rows)), np.cumsum(list(map(len, likelihoods)))[:-1])

        def given(outputs: Ids, _before: Ids, room: Floats) -> None:
            room[:] = rows[outputs]

        return cls(numbers, numbers, lengths, given)

    @property
    def steps(self) -> int:
        """The number of words in the longest lane."""
        return max(map(len, self.outputs))

    def at(self, t: int, lanes: range, rows: Floats) -> None:
        """Write the likelihoods of the t-th word of each of ``lanes`` into ``rows`` [lanes, s].

        They are 0 where a lane has no such word.
        """
        there = self.lanes_at(t, lanes)
        outputs, before = ([ids[lane][t] for lane in there] for ids in (self.outputs, self.before))
        self.likelihoods(np.array(outputs, int), np.array(before, int), rows[: len(there)])
        rows[len(there) :] = 0
        for place in reversed(range(len(there))):  # longest lanes first: few rows move
            target = there[place] - lanes.start
            if target != place:
                rows[target], rows[place] = rows[place], 0

    def lanes_at(self, t: int, lanes: range) -> list[int]:
        """Return those of ``lanes`` with a t-th word."""
        return [i for i, ids in enumerate(self.outputs) if i in lanes and t < len(ids)]


def text_slices(lengths: Sequence[int]) -> list[slice]:
    """Return the slices of a lane's texts, which have these ``lengths``."""
    ends = np.cumsum(lengths).tolist()
    return [slice(end - length, end) for length, end in zip(lengths, ends, strict=True)]


def assign_lanes(lengths: Sequence[int]) -> list[list[list[int]]]:
    """Return the numbers of texts of these ``lengths``, by group and lane, to be read together.

    Lanes have about the same length, and groups about the same number of lanes; the longest come
    first. For many texts, the number of groups is even, for two threads.
    """
    groups = 2 * ceil(sum(lengths) / (2 * LANES * _MOST_LANE_STEPS))
    lanes: list[list[int]] = [[] for _ in range(groups * LANES)]
    filled = [(0, lane) for lane in range(len(lanes))]  # a heap
    for text in sorted(range(len(lengths)), key=lambda text: -lengths[text]):
        length, lane = filled[0]
        heapreplace(filled, (length + lengths[text], lane))
        lanes[lane].append(text)
    order = [lane for _, lane in sorted(filled, reverse=True) if lanes[lane]]
    parts = np.array_split(order, max(1, ceil(len(order) / LANES)))
    return [[lanes[lane] for lane in part.tolist()] for part in parts if len(part)]
