"""Groups of words to compare with one another: a few random words, each with its neighbors.

Some groups are drawn from all words, some from the most frequent quarter, some from the most
frequent sixteenth, and so on. Frequent words are typed most, and these groups compare them with
neighbors among frequent words.
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
    "words": 56,  # in a group; a multiple of 8 fills the processor's vectors
    "seeds": 3,  # random words in a group
    "neighbors": 18,  # neighbors that each of these adds, until the group is full
    "furthest": 300,  # largest rank of a neighbor; every octave is equally likely
    "words_per_level": 4,  # ratio of a level's size to the next level's
    "fewest_words": 3_000,  # smallest number of words in a level
    "whole_share": 3,  # ratio of groups from all words to groups from each other level
}


class Levels:
    """Levels of ever more frequent words, with each word's neighbors within its level.

    Attributes:
        sizes: int64[levels], number of words in each level; the first has all words.
        starts: int64[levels], first row of each level in ``near``.
        near: int32[sum of sizes, furthest], ids of each word's neighbors, the nearest first.
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
        integers: int16[n, d], result of ``integer_directions``; the most frequent words first.
        draws: random numbers for the sketches.
        progress: show progress bars on standard error, if that is a terminal.
    """
    words = len(integers)
    levels = Levels(_level_sizes(words), min(SETTINGS["furthest"], words - 1))
    planes = sketches(integers, draws)
    for level, size in enumerate(levels.sizes):
        among = np.ascontiguousarray(planes[:, :size])
        nearest_words(integers[:size], among, levels.rows(level), progress)
    return levels


def _level_sizes(words: int) -> list[int]:
    """Return the number of most frequent words in each level; the first has all ``words``."""
    sizes = [words]
    while sizes[-1] >= SETTINGS["fewest_words"] * SETTINGS["words_per_level"]:
        sizes.append(sizes[-1] // SETTINGS["words_per_level"])
    return sizes


class Groups:
    """A sequence of random groups of equal size.

    Attributes:
        size: number of words in a group.
    """

    def __init__(self, levels: Levels, draws: Draws) -> None:
        self._levels = levels
        self._draws = draws
        furthest = levels.near.shape[1]
        neighbors = min(SETTINGS["neighbors"], furthest)
        full = min(SETTINGS["words"], SETTINGS["seeds"] * (1 + neighbors))
        self.size = min(full, int(levels.sizes.min()))
        self._chances = np.cumsum(_chances(furthest, neighbors))
        self._last = np.zeros(levels.sizes[0], np.int64)  # number of each word's last group
        self._taken = 0

    def take(self, count: int) -> Ids:
        """Return the ids of the next groups, int64[count, size]; a group's words all differ."""
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
    """Return the probability of each rank, float64[furthest]; their sum is ``neighbors``.

    It is 1 for the nearest, and then proportional to 1 / rank, so that every octave of the others
    is equally likely.
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
        near: neighbors of all levels.
        starts: first row in ``near`` of each group's level.
        sizes: size of each group's level.
        shares: random numbers for each group, which choose its seeds and their neighbors.
        chances: cumulative sums of the ranks' probabilities.
        last: number of each word's last group, from 1.
        taken: number of groups so far.
        groups: ids, written to.
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
            # Take the ranks at which the sum passes an integer plus this share: equally many in
            # each draw.
            passed = shares[group, seeds + seed]
            for rank in range(len(neighbors)):
                if chances[rank] > passed:
                    passed += 1
                    other = neighbors[rank]
                    if count < len(members) and last[other] != number:
                        last[other] = number
                        members[count] = other
                        count += 1
        # Seeds may share neighbors, so the next words take the free places.
        word = members[0]
        while count < len(members):
            word = (word + 1) % size
            if last[word] != number:
                last[word] = number
                members[count] = word
                count += 1
