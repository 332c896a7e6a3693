"""Groups of texts that are read together, in lanes, and their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapreplace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.readers.lanes import LANES
from brrkit_toolchain.channel.evidence import Likelihoods

Floats = NDArray[np.float32]

Ids = NDArray[Any]
"""Ids of words, int32 or int64[t]."""

_MOST_LANE_STEPS = 160  # 500 MB of beliefs for all lanes at 50,000 words


@dataclass(frozen=True)
class ReleasedLanes:
    """The outputs for texts in lanes; a lane's texts follow one another.

    Attributes:
        outputs: ids [t] of each lane's outputs; at most ``LANES`` lanes.
        before: ids [t] of the output before each of these, in its text.
        lengths: lengths of the texts of each lane.
        likelihoods: likelihoods of the channel.
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

        return cls(numbers, numbers, lengths, Likelihoods(given))

    @property
    def steps(self) -> int:
        """The number of words in the longest lane."""
        return max(map(len, self.outputs))

    def room(self, states: int) -> Floats:
        """Return memory for the likelihoods of a step, with the rows that are kept."""
        kept = self.likelihoods.rows
        room = np.empty((1 + LANES + len(kept), states), np.float32)
        room[0] = 0
        if len(kept):
            room[1 + LANES :] = kept
        return room

    def at(self, t: int, room: Floats) -> NDArray[np.intp]:
        """Return the rows of ``room`` with the likelihoods of the t-th word of each lane [LANES].

        They are 0 where a lane has no such word.

        Args:
            t: number of the step.
            room: memory from ``room``, written to.
        """
        rows, kept, there = np.zeros(LANES, np.intp), self.likelihoods.places, self.lanes_at(t)
        if kept:
            for lane in there:
                place = kept.get(int(self.outputs[lane][t]))
                rows[lane] = 0 if place is None else 1 + LANES + place
            there = [lane for lane in there if not rows[lane]]
        if there:
            rows[there] = np.arange(1, 1 + len(there))
            outputs, before = (
                np.array([ids[lane][t] for lane in there], int)
                for ids in (self.outputs, self.before)
            )
            self.likelihoods.compute(outputs, before, room[1 : 1 + len(there)])
        return rows

    def lanes_at(self, t: int) -> list[int]:
        """Return the lanes with a t-th word."""
        return [lane for lane, ids in enumerate(self.outputs) if t < len(ids)]


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
