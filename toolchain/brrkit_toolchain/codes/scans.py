"""Compiled scans of all codes: distances from one code to all others, and searches by them.

NumPy takes 15 seconds or more for the 2.5 billion distances of 50,000 words. A compiled loop that
stores no distances takes one second. These functions don't hold the interpreter's lock.
``over_rows`` divides rows among threads, so that a progress bar moves, and Ctrl-C works.

``planes`` is always uint64[bits / 64, n], as in ``HammingIndex``, because the compiler vectorizes
loops over whole rows of one dimension. Ids ascend; ties go to the lower id.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from brrkit_toolchain.io.compiled import compiled, inlined
from brrkit_toolchain.io.progress import Progress

_ROWS_PER_TASK = 512  # takes some hundredths of a second for 50,000 words
_WORDS_RULED_OUT_AT_ONCE = 256
_FEW_DRAWS = 32  # draws of a word; up to this number, single searches are faster than partial sums
_IDS_COUNTED_AT_ONCE = 1 << 10  # ids counted before a search one by one
_IDS_PER_PARTIAL_SUM = 1 << 8


@intrinsic  # type: ignore[untyped-decorator]
def popcount(_context: Any, _word: Any) -> Any:
    """Count the bits of a uint64 with the processor's instruction."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@inlined
def scan(
    planes: NDArray[np.uint64], query: NDArray[np.uint64], first: int, distances: NDArray[Any]
) -> None:
    """Write the distances from a query to the codes from ``first``, until ``distances`` is full.

    Call it inside a kernel.

    Args:
        planes: the codes.
        query: uint64[bits / 64].
        first: id of a code.
        distances: unsigned integers [m] of at least 16 bits, written to.
    """
    words, odd = len(distances), len(planes) % 2
    if odd:
        own, others = query[0], planes[0, first:]
        for i in range(words):
            distances[i] = popcount(own ^ others[i])
    else:
        for i in range(words):
            distances[i] = 0
    for plane in range(odd, len(planes), 2):  # two at once, since additions take as long
        own, next_own = query[plane], query[plane + 1]
        others, next_others = planes[plane, first:], planes[plane + 1, first:]
        for i in range(words):
            distances[i] += popcount(own ^ others[i]) + popcount(next_own ^ next_others[i])


def over_rows(
    kernel: Callable[[int, int], Any],
    rows: int,
    *,
    description: str,
    progress: bool,
    threads: int | None = None,
) -> None:
    """Call ``kernel(start, stop)`` for ranges that cover ``rows``, in several threads.

    Args:
        kernel: function that releases the interpreter's lock, and writes only its rows' results.
        rows: number of rows.
        description: description of the progress bar.
        progress: show a progress bar on standard error, if that is a terminal.
        threads: number of threads; by default, one for each core.
    """
    if rows <= _ROWS_PER_TASK:  # not worth a thread
        kernel(0, rows)
        return
    starts = range(0, rows, _ROWS_PER_TASK)
    with (
        ThreadPoolExecutor(threads or os.cpu_count()) as pool,
        Progress(total=rows, desc=description, unit=" words", progress=progress) as bar,
    ):
        waiting = {pool.submit(kernel, i, min(i + _ROWS_PER_TASK, rows)): i for i in starts}
        for done in as_completed(waiting):
            done.result()
            bar.update(min(_ROWS_PER_TASK, rows - waiting[done]))


@compiled
def distances(planes: NDArray[np.uint64], query: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return the distances uint16[n] from a query uint64[bits / 64] to every code."""
    result = np.empty(planes.shape[1], np.uint16)
    scan(planes, query, 0, result)
    return result


@compiled
def ids_at(
    planes: NDArray[np.uint64],
    queries: NDArray[np.uint64],
    starts: NDArray[np.intp],
    distances: NDArray[np.intp],
    positions: NDArray[np.uint64],
    measure: NDArray[np.int64],
) -> NDArray[np.intp]:
    """Return the ids at given distances, chosen by their cumulative measure.

    Args:
        planes: the codes.
        queries: uint64[q, bits / 64].
        starts: intp[q + 1]; query r has the distances and positions from ``starts[r]`` to
            ``starts[r + 1]``.
        distances: intp[m], distances from the query.
        positions: uint64[m], each below the measure of all ids at its distance.
        measure: int64[n], positive measure of each id.
    """
    result = np.empty(len(distances), np.intp)
    scanned = np.empty(planes.shape[1], np.uint16)
    # At each distance, the measure of all ids up to the end of a part.
    until = np.empty((-(-len(scanned) // _IDS_PER_PARTIAL_SUM), 64 * planes.shape[0] + 1), np.int64)
    for row in range(len(queries)):
        scan(planes, queries[row], 0, scanned)
        if starts[row + 1] - starts[row] <= _FEW_DRAWS:
            for draw in range(starts[row], starts[row + 1]):
                number = np.int64(positions[draw])
                result[draw] = _find(scanned, distances[draw], number, measure)
            continue
        _sum_parts(scanned, measure, until)
        for draw in range(starts[row], starts[row + 1]):
            distance, number = distances[draw], np.int64(positions[draw])
            low, high = 0, len(until) - 1
            while low < high:
                middle = (low + high) // 2
                if until[middle, distance] > number:
                    high = middle
                else:
                    low = middle + 1
            if low:
                number -= until[low - 1, distance]
            i = low * _IDS_PER_PARTIAL_SUM
            while True:
                if scanned[i] == distance:
                    number -= measure[i]
                    if number < 0:
                        break
                i += 1
            result[draw] = i
    return result


@inlined
def _sum_parts(
    scanned: NDArray[np.uint16], measure: NDArray[np.int64], until: NDArray[np.int64]
) -> None:
    for part in range(len(until)):
        sums = until[part]
        for distance in range(len(sums)):
            sums[distance] = until[part - 1, distance] if part else 0
        block = scanned[part * _IDS_PER_PARTIAL_SUM : (part + 1) * _IDS_PER_PARTIAL_SUM]
        masses = measure[part * _IDS_PER_PARTIAL_SUM : (part + 1) * _IDS_PER_PARTIAL_SUM]
        for i in range(len(block)):
            sums[block[i]] += masses[i]


@inlined
def _find(
    scanned: NDArray[np.uint16], distance: int, number: int, measure: NDArray[np.int64]
) -> int:
    """Return the id at ``distance`` whose part of the cumulative measure contains ``number``."""
    start = 0
    while True:
        block, masses = (
            scanned[start : start + _IDS_COUNTED_AT_ONCE],
            measure[start : start + _IDS_COUNTED_AT_ONCE],
        )
        total = np.int64(0)
        for i in range(len(block)):
            total += masses[i] if block[i] == distance else 0
        if number < total:
            break
        number -= total
        start += _IDS_COUNTED_AT_ONCE
    i = 0
    while True:
        if block[i] == distance:
            number -= masses[i]
            if number < 0:
                return start + i
        i += 1


def nearest(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], k: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the ids and distances [m, k] of the k codes nearest to ``queries`` [m, bits / 64]."""
    ids = np.empty((len(queries), k), np.intp)
    found = np.empty((len(queries), k), np.int64)

    def search(start: int, stop: int) -> None:
        _nearest(planes, queries[start:stop], ids[start:stop], found[start:stop])

    over_rows(search, len(queries), description="Nearest", progress=False)
    return ids, found


@compiled
def _nearest(
    planes: NDArray[np.uint64],
    queries: NDArray[np.uint64],
    ids: NDArray[np.intp],
    found: NDArray[np.int64],
) -> None:
    scanned = np.empty(planes.shape[1], np.uint16)
    for row in range(len(queries)):
        scan(planes, queries[row], 0, scanned)
        distance, place = -1, len(scanned)
        for rank in range(ids.shape[1]):
            place = _first_at(scanned, distance, place + 1)
            if place == len(scanned):
                distance = _least_beyond(scanned, distance)
                place = _first_at(scanned, distance, 0)
            ids[row, rank], found[row, rank] = place, distance


@inlined
def _first_at(scanned: NDArray[np.uint16], distance: int, start: int) -> int:
    """Return the first place from ``start`` with a code at ``distance``, or the end."""
    wanted = np.uint16(distance)
    for first in range(start, len(scanned), _WORDS_RULED_OUT_AT_ONCE):
        block = scanned[first : first + _WORDS_RULED_OUT_AT_ONCE]
        there = False
        for i in range(len(block)):  # vectorized: few blocks have such a code
            there |= block[i] == wanted
        if there:
            for i in range(len(block)):
                if block[i] == wanted:
                    return first + i
    return len(scanned)


@inlined
def _least_beyond(scanned: NDArray[np.uint16], distance: int) -> int:
    """Return the smallest distance above ``distance``."""
    low, least = np.uint16(distance + 1), np.uint16(2**16 - 1)
    for i in range(len(scanned)):
        least = min(least, scanned[i] if scanned[i] >= low else np.uint16(2**16 - 1))
    return int(least)


def most_probable(
    seen: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    tables: NDArray[np.float64],
    scales: NDArray[np.float64],
    *,
    progress: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the largest table[d] * scale[x] for each table and each seen code, and its x: [t, m].

    One scan of the codes serves all tables. Among several words x, it chooses the one with the
    largest of the first scales, then the first.

    Args:
        seen: uint64[m, bits / 64].
        codes: uint64[n, bits / 64] of the words x.
        tables: [t, bits + 1], by the distance d from the code to x; none increases.
        scales: [t, n], each table's; not negative.
        progress: show a bar on standard error.
    """
    best = np.full((len(seen), len(tables)), -1.0)
    named = np.empty(best.shape, np.int64)
    order = np.argsort(-scales[0], kind="stable")
    planes, falling = np.ascontiguousarray(codes[order].T), np.ascontiguousarray(scales[:, order].T)
    blocks = np.maximum.reduceat(falling, np.arange(0, len(order), _WORDS_RULED_OUT_AT_ONCE))
    largest = np.maximum.accumulate(blocks[::-1])[::-1].copy()  # in each block, and after it

    def search(start: int, stop: int) -> None:
        rows = slice(start, stop)
        _name(seen[rows], planes, tables, falling, largest, best[rows], named[rows])

    over_rows(search, len(seen), description="Attack", progress=progress)
    return best.T, order[named].T


@compiled
def _name(
    seen: NDArray[np.uint64],
    planes: NDArray[np.uint64],
    tables: NDArray[np.float64],
    scales: NDArray[np.float64],
    largest: NDArray[np.float64],
    best: NDArray[np.float64],
    named: NDArray[np.int64],
) -> None:
    """Do the work of ``most_probable`` for some codes: write [m, t] from ``scales`` [n, t].

    ``largest`` [blocks, t] contains the largest scales in each block of words and all after it.
    """
    words, bits = planes.shape[1], tables.shape[1] - 1
    room = np.empty(_WORDS_RULED_OUT_AT_ONCE, np.uint16)
    reach = np.empty(len(tables), np.intp)
    for y in range(len(seen)):
        found, reach[:] = best[y], bits
        for first in range(0, words, _WORDS_RULED_OUT_AT_ONCE):
            tops, farthest = largest[first // _WORDS_RULED_OUT_AT_ONCE], -1
            for each in range(len(tables)):
                # No word from here on is more probable at a larger distance.
                while reach[each] >= 0 and tables[each, reach[each]] * tops[each] <= found[each]:
                    reach[each] -= 1
                farthest = max(farthest, reach[each])
            if farthest < 0:
                break
            distances = room[: min(_WORDS_RULED_OUT_AT_ONCE, words - first)]
            scan(planes, seen[y], first, distances)
            closest = distances[0]
            for x in range(len(distances)):
                closest = min(closest, distances[x])
            if closest > farthest:
                continue
            for x in range(len(distances)):
                if distances[x] <= farthest:
                    for each in range(len(tables)):
                        joint = tables[each, distances[x]] * scales[first + x, each]
                        if joint > found[each]:
                            found[each], named[y, each] = joint, first + x
