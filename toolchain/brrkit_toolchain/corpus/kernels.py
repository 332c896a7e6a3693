"""Compiled scans of all codes, for many queries in a call, without the interpreter's lock.

``planes`` is always uint64[bits / 64, n], as ``HammingIndex`` has it. Ids ascend; ties go to the
lower one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.codes.pairs import popcount

_FEW = 24  # draws of a word that are cheaper to find one by one than by sorting all ids
_STEP = 1 << 10  # ids that are counted before they are looked at


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def histograms(planes: NDArray[np.uint64], queries: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return h int64[m, bits + 1]: how many codes are at each distance from each query [m, ...]."""
    bits = 64 * planes.shape[0]
    result = np.zeros((len(queries), bits + 1), np.int64)
    distances = _buffer(planes)
    # Neighbouring codes count into different rows: an increment doesn't wait for the one before.
    lanes = np.empty((4, bits + 1), np.int64)
    even = len(distances) // 4 * 4
    for row in range(len(queries)):
        _scan(planes, queries[row], distances)
        lanes[:] = 0
        for i in range(0, even, 4):
            lanes[0, distances[i]] += 1
            lanes[1, distances[i + 1]] += 1
            lanes[2, distances[i + 2]] += 1
            lanes[3, distances[i + 3]] += 1
        for i in range(even, len(distances)):
            lanes[0, distances[i]] += 1
        result[row] = lanes.sum(axis=0)
    return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def cumulated_to(masses: NDArray[np.int64], rows: Any, numbers: Any) -> NDArray[np.intp]:
    """Return the first column of ``masses`` [rows[i]] that is above ``numbers[i]``, for each i.

    Args:
        masses: int64[r, c], each row ascending, its last column above all of the row's numbers.
        rows: intp[m].
        numbers: uint64[m], below 2^63.
    """
    result = np.empty(len(rows), np.intp)
    for i in range(len(rows)):
        row, number = rows[i], np.int64(numbers[i])
        low, high = 0, masses.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if masses[row, middle] > number:
                high = middle
            else:
                low = middle + 1
        result[i] = low
    return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def ids_at(
    planes: NDArray[np.uint64],
    queries: NDArray[np.uint64],
    starts: NDArray[np.intp],
    distances: NDArray[np.intp],
    positions: NDArray[np.uint64],
) -> NDArray[np.intp]:
    """Return the ids at given positions among those at given distances.

    Args:
        planes: the codes.
        queries: uint64[q, bits / 64].
        starts: intp[q + 1]; ``starts[r]`` to ``starts[r + 1]`` of what follows is of query r.
        distances: intp[m], from the query.
        positions: uint64[m], below the number of ids at that distance.
    """
    result = np.empty(len(distances), np.intp)
    scanned = _buffer(planes)
    ordered = np.empty(planes.shape[1], np.int32)
    ends = np.empty(64 * planes.shape[0] + 2, np.int64)
    for row in range(len(queries)):
        _scan(planes, queries[row], scanned)
        if starts[row + 1] - starts[row] <= _FEW:
            for draw in range(starts[row], starts[row + 1]):
                result[draw] = _find(scanned, distances[draw], np.int64(positions[draw]))
            continue
        ends[:] = 0
        for i in range(len(scanned)):
            ends[scanned[i] + 1] += 1
        for distance in range(1, len(ends)):
            ends[distance] += ends[distance - 1]
        for i in range(len(scanned)):  # a counting sort: ends[d] moves from d's first place
            ordered[ends[scanned[i]]] = i
            ends[scanned[i]] += 1
        for draw in range(starts[row], starts[row + 1]):
            first = ends[distances[draw] - 1] if distances[draw] else 0
            result[draw] = ordered[first + np.int64(positions[draw])]
    return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def nearest(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], k: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the ids and distances [m, k] of the k codes nearest to ``queries`` [m, bits / 64]."""
    ids = np.empty((len(queries), k), np.intp)
    found = np.empty((len(queries), k), np.int64)
    scanned = _buffer(planes)
    keys = np.empty(planes.shape[1], np.uint32)
    for row in range(len(queries)):
        _scan(planes, queries[row], scanned)
        for i in range(len(keys)):
            keys[i] = np.uint32(np.uint32(scanned[i] << 16) | np.uint32(i & 0xFFFF))
        last, distance = -1, 0
        for rank in range(k):
            last, distance = _next(keys, last, distance)
            ids[row, rank], found[row, rank] = last, distance
    return ids, found


@njit(inline="always")  # type: ignore[untyped-decorator]
def _next(keys: NDArray[np.uint32], last: int, distance: int) -> tuple[int, int]:
    """Return id and distance of the code that follows ``last``, at ``distance``, in that order.

    Args:
        keys: the distance of each code, then its id's lowest 16 bits: numbers of 32 bits, twice as
            fast to compare as 64.
        last: -1 for the first.
        distance: of ``last``.
    """
    most = np.uint32(0xFFFFFFFF)
    best = np.int64(1) << 62
    for start in range(0, len(keys), 1 << 16):
        # The least key that a code behind ``last`` has here. In its block that may carry over.
        low = np.uint32((distance << 16) + min(max(last + 1 - start, 0), 1 << 16))
        least = most
        block = keys[start : start + (1 << 16)]
        for i in range(len(block)):
            least = min(least, block[i] if block[i] >= low else most)
        if least < most:
            best = min(best, np.int64(least >> 16) << 32 | start + (least & 0xFFFF))
    return best & 0xFFFFFFFF, best >> 32


@njit(inline="always")  # type: ignore[untyped-decorator]
def _buffer(planes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return room for the distances of a query."""
    return np.empty(planes.shape[1], np.uint16)


@njit(inline="always")  # type: ignore[untyped-decorator]
def _scan(
    planes: NDArray[np.uint64], query: NDArray[np.uint64], distances: NDArray[np.uint16]
) -> None:
    """Write the distances [n] from a query to every code."""
    for i in range(len(distances)):
        distances[i] = popcount(planes[0, i] ^ query[0])
    for plane in range(1, len(planes)):
        for i in range(len(distances)):
            distances[i] += popcount(planes[plane, i] ^ query[plane])


@njit(inline="always")  # type: ignore[untyped-decorator]
def _find(scanned: NDArray[np.uint16], distance: int, position: int) -> int:
    """Return the id at ``position`` among those at ``distance``."""
    start = 0
    while True:
        block = scanned[start : start + _STEP]
        count = np.int32(0)
        for i in range(len(block)):
            count = np.int32(count + np.int32(block[i] == distance))
        if position < count:
            break
        position -= count
        start += _STEP
    i = 0
    while block[i] != distance or position:
        position -= block[i] == distance
        i += 1
    return start + i
