"""The words nearest to each by cosine: candidates by sketches, which are then compared exactly.

A sketch is the signs of 256 random sums of a row's numbers, less their means. All sketches are
compared, by their Hamming distances; cosines are computed for the few hundred nearest by these
(Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002). A word's 10
nearest are nearly always among them, its hundredth mostly: enough for words to meet.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.lanes import fetch
from brrkit_toolchain.codes.packing import pack
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.codes.scans import over_rows, scan
from brrkit_toolchain.codes.vectors import Integers, integer_products
from brrkit_toolchain.io.compiled import compiled, inlined

Ids = npt.NDArray[np.int32]
Planes = npt.NDArray[np.uint64]

SKETCH = 256
"""Bits of a sketch."""

_CANDIDATES_PER_NEIGHBOR = 1.5  # that are compared, about
_MOST_CANDIDATES_PER_NEIGHBOR = 8
_SAMPLING_STRIDE = 8  # one word in so many says how far away candidates are
_FEWEST_WORDS_TO_SAMPLE = 8_192
_WORDS_AT_ONCE = 16  # that are compared with a tile of all while the cache has it
_WORDS_PER_TILE = 8_192
_WORDS_RULED_OUT_AT_ONCE = 32
_ROWS_AHEAD = 8  # of a product: the memory brings them meanwhile
_INTEGERS_PER_LINE = 32  # of the cache


def sketches(integers: Integers, draws: Draws) -> Planes:
    """Return a sketch for each of ``integers`` int16[n, d]: uint64[SKETCH / 64, n]."""
    signs = np.where(draws.shares(integers.shape[1], SKETCH) < 0.5, -1, 1).astype(np.float32)
    sums = integer_products(integers, signs)
    means = sums.sum(axis=0, dtype=np.float64) / len(sums)
    return np.ascontiguousarray(pack(sums >= means).T)


def nearest_words(integers: Integers, planes: Planes, near: Ids, progress: bool) -> None:
    """Write the ids of the words nearest to each by cosine, the nearest first.

    Of equal ones the first comes first.

    Args:
        integers: int16[n, d], what ``integer_directions`` returns.
        planes: uint64[SKETCH / 64, n], their ``sketches``.
        near: int32[n, k], written to; k is less than n. A word isn't its own neighbor.
        progress: whether to show a progress bar where standard error is a terminal.
    """
    k = near.shape[1]

    def search(start: int, stop: int) -> None:
        best = np.empty((stop - start, k), np.int64)
        _search(integers, planes, start, best)
        best.sort(axis=1)
        near[start:stop] = -best[:, ::-1] % 2**32

    over_rows(search, len(integers), description="neighbors", progress=progress)


@compiled
def _search(integers: Integers, planes: Planes, start: int, best: npt.NDArray[np.int64]) -> None:
    """Write the k best of each row from ``start`` on, as product * 2^32 - id, in any order."""
    words, k = len(integers), best.shape[1]
    scanned = np.empty((min(_WORDS_AT_ONCE, len(best)), words), np.uint16)
    found = np.empty(
        min(_MOST_CANDIDATES_PER_NEIGHBOR * k, words) + _WORDS_RULED_OUT_AT_ONCE, np.int32
    )
    keys = np.empty(len(found), np.int64)
    for base in range(0, len(best), _WORDS_AT_ONCE):
        some = min(_WORDS_AT_ONCE, len(best) - base)
        for first in range(0, words, _WORDS_PER_TILE):
            for row in range(some):
                own = planes[:, start + base + row].copy()
                scan(planes, own, first, scanned[row, first : first + _WORDS_PER_TILE])
        for row in range(some):
            word, distances = start + base + row, scanned[row]
            distances[word] = 2**16 - 1
            limit = _limit(
                distances, min(int(_CANDIDATES_PER_NEIGHBOR * k), words - 1), 64 * len(planes)
            )
            count = _within(distances, limit, found)
            while count < k:
                limit += 8
                count = _within(distances, limit, found)
            for place in range(count):
                if place + _ROWS_AHEAD < count:
                    for column in range(0, integers.shape[1], _INTEGERS_PER_LINE):
                        fetch(integers, found[place + _ROWS_AHEAD], column)
                product = _product(integers[word], integers[found[place]])
                keys[place] = product * 2**32 - found[place]
            _bring_last(keys[:count], k)
            best[base + row] = keys[count - k : count]


@inlined
def _limit(distances: npt.NDArray[np.uint16], wanted: int, bits: int) -> int:
    """Return the distance within which about this many words are."""
    counts = np.zeros(bits + 1, np.int64)
    stride = _SAMPLING_STRIDE if len(distances) >= _FEWEST_WORDS_TO_SAMPLE else 1
    for i in range(0, len(distances), stride):
        if distances[i] <= bits:
            counts[distances[i]] += stride
    limit = 0
    total = counts[0]
    while total < wanted and limit < bits:
        limit += 1
        total += counts[limit]
    return limit


@inlined
def _within(distances: npt.NDArray[np.uint16], limit: int, found: Ids) -> int:
    """Write the ids of the words within a distance, the first if there isn't room for all."""
    count = 0
    for first in range(0, len(distances), _WORDS_RULED_OUT_AT_ONCE):
        block = distances[first : first + _WORDS_RULED_OUT_AT_ONCE]
        least = block[0]
        for i in range(len(block)):  # many at a time: most blocks have none
            least = min(least, block[i])
        if least <= limit:
            for i in range(len(block)):
                found[count] = first + i
                count += block[i] <= limit
            if count + _WORDS_RULED_OUT_AT_ONCE > len(found):
                break
    return count


@inlined
def _product(left: Integers, right: Integers) -> np.int64:
    """Return the product of two rows, which is below 2^31."""
    total = np.int32(0)
    for c in range(len(left)):
        total = np.int32(total + np.int32(np.int32(left[c]) * np.int32(right[c])))
    return np.int64(total)  # type: ignore[no-any-return]


@compiled
def _bring_last(keys: npt.NDArray[np.int64], k: int) -> None:
    """Bring the k largest to the end, the least of them first (Hoare's selection).

    ``np.partition`` does, too, and takes seconds to compile.
    """
    place, low, high = len(keys) - k, 0, len(keys) - 1
    while low < high:
        pivot, i, j = keys[(low + high) // 2], low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i, j = i + 1, j - 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return
