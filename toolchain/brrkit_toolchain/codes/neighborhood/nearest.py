"""Each word's nearest words by cosine: candidates from sketches, then compared exactly.

A sketch consists of the signs of 256 random sums of a row's numbers, less their means. All sketches
are compared by their Hamming distances. Cosines are computed for the few hundred nearest by these
(Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002). They nearly
always include a word's 10 nearest words, and usually its hundredth, which suffices for training.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.lanes import BLOCK, fetch, places_up_to
from brrkit_toolchain.codes.packing import pack
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.codes.scans import over_rows, popcount
from brrkit_toolchain.codes.vectors import Integers, integer_products
from brrkit_toolchain.io.compiled import compiled, inlined

Ids = npt.NDArray[np.int32]
Planes = npt.NDArray[np.uint64]

SKETCH = 256
"""Number of bits of a sketch."""

_CANDIDATES_PER_NEIGHBOR = 1.5  # approximate number of compared candidates
_MOST_CANDIDATES_PER_NEIGHBOR = 8
_SAMPLING_STRIDE = 8  # one in this number of words is sampled for the candidates' largest distance
_FEWEST_WORDS_TO_SAMPLE = 8_192
_NONE = -(2**62)  # less than any candidate's key
_FAR = 2**16 - 1  # more than any distance
_WORDS_AT_ONCE = 16  # compared with a tile of all words while it is in the cache
_WORDS_PER_TILE = 1_024
_ROWS_AHEAD = 8  # rows to prefetch before their products
_INTEGERS_PER_LINE = 32  # of a cache line


def sketches(integers: Integers, draws: Draws) -> Planes:
    """Return a sketch for each of ``integers`` int16[n, d]: uint64[SKETCH / 64, n]."""
    signs = np.where(draws.shares(integers.shape[1], SKETCH) < 0.5, -1, 1).astype(np.float32)
    sums = integer_products(integers, signs)
    means = sums.sum(axis=0, dtype=np.float64) / len(sums)
    return np.ascontiguousarray(pack(sums >= means).T)


def nearest_words(integers: Integers, planes: Planes, near: Ids, progress: bool) -> None:
    """Write the ids of each word's nearest words by cosine, the nearest first.

    Equally near words are in the order of their ids.

    Args:
        integers: int16[n, d], result of ``integer_directions``.
        planes: uint64[SKETCH / 64, n], their ``sketches``.
        near: int32[n, k], written to; k is less than n. A word isn't its own neighbor.
        progress: show a progress bar on standard error, if that is a terminal.
    """
    k = near.shape[1]

    def search(start: int, stop: int) -> None:
        most = min(_MOST_CANDIDATES_PER_NEIGHBOR * k, len(integers))
        keys = np.empty((stop - start, most + BLOCK), np.int64)
        keys = keys[:, : _search(integers, planes, start, k, keys)]
        keys.sort(axis=1)
        near[start:stop] = -keys[:, : -k - 1 : -1] % 2**32

    over_rows(search, len(integers), description="neighbors", progress=progress)


@compiled
def _search(
    integers: Integers, planes: Planes, start: int, k: int, keys: npt.NDArray[np.int64]
) -> int:
    """Write at least k candidates for each row from ``start``, as product * 2^32 - id.

    Returns:
        The largest number of candidates of a row; those with fewer continue with ``_NONE``.
    """
    words = len(integers)
    counts = np.empty(len(keys), np.int64)
    # Padded to whole blocks with a distance beyond all others.
    scanned = np.full((min(_WORDS_AT_ONCE, len(keys)), -(-words // BLOCK) * BLOCK), _FAR, np.uint16)
    found = np.empty(keys.shape[1], np.int32)
    for base in range(0, len(keys), _WORDS_AT_ONCE):
        some = min(_WORDS_AT_ONCE, len(keys) - base)
        for first in range(0, words, _WORDS_PER_TILE):
            for row in range(some):
                part = scanned[row, first : min(first + _WORDS_PER_TILE, words)]
                _scan(planes, start + base + row, first, part)
        for row in range(some):
            word, distances = start + base + row, scanned[row]
            distances[word] = _FAR
            wanted = min(int(_CANDIDATES_PER_NEIGHBOR * k), words - 1)
            limit = _limit(distances[:words], wanted, 64 * len(planes))
            count = _within(distances, limit, found)
            while count < k:
                limit += 8
                count = _within(distances, limit, found)
            for place in range(count):
                if place + _ROWS_AHEAD < count:
                    for column in range(0, integers.shape[1], _INTEGERS_PER_LINE):
                        fetch(integers, found[place + _ROWS_AHEAD], column)
                product = _product(integers[word], integers[found[place]])
                keys[base + row, place] = product * 2**32 - found[place]
            counts[base + row] = count
    most = counts.max()
    for row in range(len(keys)):
        for place in range(counts[row], most):
            keys[row, place] = _NONE
    return most  # type: ignore[no-any-return]


@inlined
def _scan(planes: Planes, word: int, first: int, distances: npt.NDArray[np.uint16]) -> None:
    """Write the distances from a word's sketch to those from ``first``, until it is full."""
    own, own_next = planes[0, word], planes[1, word]
    own_third, own_last = planes[2, word], planes[3, word]
    others, nexts = planes[0, first:], planes[1, first:]
    thirds, lasts = planes[2, first:], planes[3, first:]
    for i in range(len(distances)):
        # All planes at once: sums of some, and memory for them, take as long as the counts.
        distances[i] = (popcount(own ^ others[i]) + popcount(own_next ^ nexts[i])) + (
            popcount(own_third ^ thirds[i]) + popcount(own_last ^ lasts[i])
        )


@inlined
def _limit(distances: npt.NDArray[np.uint16], wanted: int, bits: int) -> int:
    """Return the distance that contains about the ``wanted`` number of words."""
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
    """Write the ids of the words within a distance, or of the first if ``found`` is too short."""
    count = 0
    for first in range(0, len(distances), BLOCK):
        places = places_up_to(distances, first, limit)
        while places != 0:
            others = places & (places - np.uint64(1))  # without the lowest
            found[count] = first + popcount((places ^ others) - np.uint64(1))
            count += 1
            places = others
        if count + BLOCK > len(found):
            break
    return count


@inlined
def _product(left: Integers, right: Integers) -> np.int64:
    """Return the product of two rows, which is below 2^31."""
    total = np.int32(0)
    for c in range(len(left)):
        total = np.int32(total + np.int32(np.int32(left[c]) * np.int32(right[c])))
    return np.int64(total)  # type: ignore[no-any-return]
