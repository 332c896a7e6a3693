"""Groups of words that are compared with one another: a few random words, each with neighbors.

Some groups are of all words, some of the most frequent quarter only, some of the most frequent
sixteenth, and so on: these are the words that are typed, and there they find their neighbors among
one another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.portable import Doubles, Draws
from brrkit_toolchain.codes.vectors import Integers
from brrkit_toolchain.io.compiled import compiled

from .nearest import nearest_words, sketches

Ids = npt.NDArray[np.int64]

SETTINGS = {
    "seeds": 4,  # random words of a group ...
    "neighbors": 27,  # ... and how many of its nearest each brings along ...
    "furthest": 300,  # ... up to this one, every octave as often
    "words_per_level": 4,  # a level's words to those of the next
    "fewest_words": 3_000,  # of a level
    "whole_share": 3,  # groups from all words to those from each other level
}


class Levels:
    """The most frequent words, and more and more frequent ones; the neighbors of each in its own.

    Attributes:
        sizes: how many words each has, int64[levels], all words first.
        starts: where each one's rows are in ``near``, int64[levels].
        near: ids of the words nearest to each, the nearest first, int32[sum of sizes, furthest].
    """

    def __init__(self, sizes: Sequence[int], furthest: int) -> None:
        self.sizes = np.array(sizes, np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.near = np.empty((sum(sizes), furthest), np.int32)

    def rows(self, level: int) -> npt.NDArray[np.int32]:
        """Return the neighbors of a level's words."""
        start = self.starts[level]
        return self.near[start : start + self.sizes[level]]


def find_levels(integers: Integers, draws: Draws, progress: bool) -> Levels:
    """Find the neighbors in each level.

    Args:
        integers: what ``integer_directions`` returns, int16[n, d], most frequent words first.
        draws: for what they are found with.
        progress: whether to show progress bars where standard error is a terminal.
    """
    words = len(integers)
    levels = Levels(_level_sizes(words), min(SETTINGS["furthest"], words - 1))
    planes = sketches(integers, draws)
    for level, size in enumerate(levels.sizes):
        among = np.ascontiguousarray(planes[:, :size])
        nearest_words(integers[:size], among, levels.rows(level), progress)
    return levels


def _level_sizes(words: int) -> list[int]:
    """Return how many words each level has, the most frequent ones, all ``words`` first."""
    sizes = [words]
    while sizes[-1] >= SETTINGS["fewest_words"] * SETTINGS["words_per_level"]:
        sizes.append(sizes[-1] // SETTINGS["words_per_level"])
    return sizes


class Groups:
    """Random groups, one after the other; all have as many words.

    Attributes:
        size: how many words a group has.
    """

    def __init__(self, levels: Levels, draws: Draws) -> None:
        self._levels = levels
        self._draws = draws
        furthest = levels.near.shape[1]
        neighbors = min(SETTINGS["neighbors"], furthest)
        self.size = min(SETTINGS["seeds"] * (1 + neighbors), int(levels.sizes.min()))
        self._chances = np.cumsum(_chances(furthest, neighbors))
        self._last = np.zeros(levels.sizes[0], np.int64)  # the group that each word was in last
        self._taken = 0

    def take(self, count: int) -> Ids:
        """Return the ids of the next groups, int64[count, size], no two of a group alike."""
        whole = SETTINGS["whole_share"]
        drawn = self._draws.below(whole + len(self._levels.sizes) - 1, count)
        levels = np.maximum(drawn - whole + 1, 0)
        shares = self._draws.shares(count, 2 * SETTINGS["seeds"])
        groups = np.empty((count, self.size), np.int64)
        _fill(
            self._levels.near,
            self._levels.starts[levels],
            self._levels.sizes[levels],
            shares,
            self._chances,
            self._last,
            self._taken,
            groups,
        )
        self._taken += count
        return groups


def _chances(furthest: int, neighbors: int) -> Doubles:
    """Return with which chance each rank is drawn, float64[furthest], ``neighbors`` in all.

    1, or less in proportion to 1 / rank, so that of the further ones every octave comes as often.
    """
    ranks = np.arange(1.0, furthest + 1)
    low, high = 0.0, float(neighbors * furthest)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _total(middle / ranks) < neighbors else (low, middle)
    return np.minimum(1.0, high / ranks)


def _total(chances: Doubles) -> float:
    return float(np.add.accumulate(np.minimum(1.0, chances))[-1])


@compiled
def _fill(
    near: npt.NDArray[np.int32],
    starts: Ids,
    sizes: Ids,
    shares: Doubles,
    chances: Doubles,
    last: Ids,
    taken: int,
    groups: Ids,
) -> None:
    """Write the words of ``groups``.

    Args:
        near: of all levels.
        starts: of each group's level: where its rows are in ``near``.
        sizes: of each group's level.
        shares: for each group, who the seeds are, and which of their neighbors come along.
        chances: with which one neighbor or a nearer one is drawn, summed.
        last: for each word the number of the group that it was in last, from 1 on.
        taken: how many groups there were.
        groups: written to.
    """
    seeds = shares.shape[1] // 2
    for group in range(len(groups)):
        members, number = groups[group], taken + group + 1
        start, size = starts[group], sizes[group]
        count = 0
        for seed in range(seeds):
            word = min(np.int64(shares[group, seed] * size), size - 1)
            neighbors = near[start + word]
            if count < len(members) and last[word] != number:
                last[word] = number
                members[count] = word
                count += 1
            # Every rank where the sum passes a whole number and this share: as many in each draw.
            passed = shares[group, seeds + seed]
            for rank in range(len(neighbors)):
                if chances[rank] > passed:
                    passed += 1
                    other = neighbors[rank]
                    if count < len(members) and last[other] != number:
                        last[other] = number
                        members[count] = other
                        count += 1
        # Seeds may share neighbors: the next words take the free places.
        word = members[0]
        while count < len(members):
            word = (word + 1) % size
            if last[word] != number:
                last[word] = number
                members[count] = word
                count += 1
