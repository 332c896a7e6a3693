"""Texts that are read together: which are side by side, in lanes, and what came out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapreplace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.readers.lanes import LANES

Floats = NDArray[np.float32]

Ids = NDArray[Any]
"""Of words, int32 or int64[t]."""

Likelihoods = Callable[[Ids, Ids, Floats], object]
"""Of a channel: ids that came out, those before them, and room for Pr[y | x] float32[t, s], with a
factor in each row that makes the largest about 1."""

_ROWS_IN_CACHE = 16
_MOST_LANE_STEPS = 160  # 500 MB of beliefs for all lanes at 50,000 words


@dataclass(frozen=True)
class ReleasedLanes:
    """What came out of the texts of some lanes, one text behind the other.

    Attributes:
        outputs: ids [t] of each lane, ``LANES`` at most.
        before: ids [t] of what came out before each, in its text.
        lengths: of the texts of each lane.
        likelihoods: of the channel; called from several threads.
    """

    outputs: Sequence[Ids]
    before: Sequence[Ids]
    lengths: Sequence[Sequence[int]]
    likelihoods: Likelihoods

    @classmethod
    def of(cls, likelihoods: Sequence[Floats], lengths: Sequence[Sequence[int]]) -> ReleasedLanes:
        """Return what has ``likelihoods`` float32[t, s], by lane, of texts of such ``lengths``.

        A row's largest is about 1.
        """
        rows = np.concatenate(likelihoods)
        numbers = np.split(np.arange(len(rows)), np.cumsum(list(map(len, likelihoods)))[:-1])

        def given(outputs: Ids, _before: Ids, room: Floats) -> None:
            room[:] = rows[outputs]

        return cls(numbers, numbers, lengths, given)

    @property
    def steps(self) -> int:
        """Words of the longest lane."""
        return max(map(len, self.outputs))

    def at(self, t: int, rows: Floats) -> None:
        """Write the likelihoods of the t-th word of each lane into ``rows`` [LANES, s].

        They are 0 where a lane has none.
        """
        there = [lane for lane, ids in enumerate(self.outputs) if t < len(ids)]
        outputs, before = ([ids[lane][t] for lane in there] for ids in (self.outputs, self.before))
        self.likelihoods(np.array(outputs, int), np.array(before, int), rows[: len(there)])
        rows[len(there) :] = 0
        for place in reversed(range(len(there))):  # the longest lanes come first: mostly none moves
            lane = there[place]
            if lane != place:
                rows[lane], rows[place] = rows[place], 0

    def by_rows(self, lane: int, part: slice, states: int) -> Iterator[tuple[slice, Floats]]:
        """Yield the likelihoods [some, s] of a lane's words, and which of its ``part`` they are.

        They are few at a time, and are gone when the next ones come.
        """
        outputs, before = self.outputs[lane][part], self.before[lane][part]
        room = np.empty((_ROWS_IN_CACHE, states), np.float32)
        for some in row_blocks(len(outputs)):
            rows = room[: len(outputs[some])]
            self.likelihoods(outputs[some], before[some], rows)
            yield some, rows


def row_blocks(length: int) -> list[slice]:
    """Return parts of a few rows each, which stay in the cache."""
    return [
        slice(start, min(start + _ROWS_IN_CACHE, length))
        for start in range(0, length, _ROWS_IN_CACHE)
    ]


def text_slices(lengths: Sequence[int]) -> list[slice]:
    """Return where the texts of a lane are, which have such ``lengths``."""
    ends = np.cumsum(lengths).tolist()
    return [slice(end - length, end) for length, end in zip(lengths, ends, strict=True)]


def assign_lanes(lengths: Sequence[int]) -> list[list[list[int]]]:
    """Return the numbers of texts of such ``lengths``, by group and lane, to be read together.

    Lanes are about as long, and groups an even number, for two threads.
    """
    groups = 2 * ceil(sum(lengths) / (2 * LANES * _MOST_LANE_STEPS))
    lanes: list[list[int]] = [[] for _ in range(groups * LANES)]
    filled = [(0, lane) for lane in range(len(lanes))]  # a heap
    for text in sorted(range(len(lengths)), key=lambda text: -lengths[text]):
        length, lane = filled[0]
        heapreplace(filled, (length + lengths[text], lane))
        lanes[lane].append(text)
    order = [lane for _, lane in sorted(filled, reverse=True) if lanes[lane]]
    starts = range(0, len(order), LANES)
    return [[lanes[lane] for lane in order[start : start + LANES]] for start in starts]
