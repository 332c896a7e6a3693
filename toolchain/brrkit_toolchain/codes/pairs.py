"""Every pair of codes, compiled: for what needs the distance of each word to each other.

The 2.5 billion distances of 50,000 words take NumPy a quarter of a minute and more, and a compiled
loop that keeps none of them a second. A kernel works on a range of rows, without the interpreter's
lock; ``over_rows`` gives the ranges to threads, so that a bar moves and Ctrl-C is heard.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray
from tqdm import tqdm

_ROWS = 512  # of a range: some hundredths of a second at 50,000 words
_BLOCK = 256  # words that are ruled out at once


@intrinsic  # type: ignore[untyped-decorator]
def popcount(_context: Any, _word: Any) -> Any:
    """Count the bits of a uint64 by the processor's instruction."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always")  # type: ignore[untyped-decorator]
def distance(codes: NDArray[np.uint64], i: int, j: int) -> int:
    """Return the Hamming distance of ``codes`` uint64[n, bits / 64] i and j, inside a kernel."""
    result = np.uint64(0)
    for plane in range(codes.shape[1]):
        result += popcount(codes[i, plane] ^ codes[j, plane])
    return result  # type: ignore[no-any-return]


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
        kernel: releases the interpreter's lock; writes what belongs to its rows only.
        rows: how many there are.
        description: of the progress bar.
        progress: show it on standard error, where that is a terminal.
        threads: by default one for each core.
    """
    starts = range(0, rows, _ROWS)
    with (
        ThreadPoolExecutor(threads or os.cpu_count()) as pool,
        tqdm(
            total=rows, desc=description, unit=" words", disable=None if progress else True
        ) as bar,
    ):
        waiting = {pool.submit(kernel, i, min(i + _ROWS, rows)): i for i in starts}
        for done in as_completed(waiting):
            done.result()
            bar.update(min(_ROWS, rows - waiting[done]))


def histograms(codes: NDArray[np.uint64], *, progress: bool = True) -> NDArray[np.int32]:
    """Return h int32[n, bits + 1]: how many words are at each distance from each word.

    Args:
        codes: uint64[n, bits / 64].
        progress: show a bar on standard error.
    """
    result = np.zeros((len(codes), 64 * codes.shape[1] + 1), np.int32)
    over_rows(
        lambda start, stop: _histograms(codes, start, stop, result),
        len(codes),
        description="Distances",
        progress=progress,
    )
    return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _histograms(
    codes: NDArray[np.uint64], start: int, stop: int, result: NDArray[np.int32]
) -> None:
    for i in range(start, stop):
        for j in range(len(codes)):
            result[i, distance(codes, i, j)] += 1


def most_probable(
    seen: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    table: NDArray[np.float64],
    scales: NDArray[np.float64],
    *,
    progress: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for each code that is seen the largest table[d] * scales[x], and which x has it.

    Of several the one with the largest scale, then the first.

    Args:
        seen: uint64[m, bits / 64].
        codes: uint64[n, bits / 64] of the words x.
        table: [bits + 1], by the distance d of the code to x; never increasing.
        scales: [n], none negative.
        progress: show a bar on standard error.
    """
    best, named = np.empty(len(seen)), np.empty(len(seen), np.int64)
    order = np.argsort(-scales, kind="stable")  # a block's scales are nearly equal: a tight ceiling
    seen, codes = np.ascontiguousarray(seen.T), np.ascontiguousarray(codes[order].T)
    falling = scales[order]
    over_rows(
        lambda start, stop: _name(seen, codes, table, falling, start, stop, best, named),
        len(best),
        description="Attack",
        progress=progress,
    )
    return best, order[named]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _name(
    seen: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    table: NDArray[np.float64],
    scales: NDArray[np.float64],
    start: int,
    stop: int,
    best: NDArray[np.float64],
    named: NDArray[np.int64],
) -> None:
    """Do the work of ``most_probable`` for a range.

    Codes are uint64[bits / 64, n], a column each, which lets the compiler compare many at a time;
    ``scales`` never increase.
    """
    planes, words = codes.shape
    distances = np.empty(_BLOCK, np.uint16)
    for y in range(start, stop):
        largest, place = -1.0, 0
        for first in range(0, words, _BLOCK):
            count = min(_BLOCK, words - first)
            distances[:] = 0
            for plane in range(planes):
                code, others = seen[plane, y], codes[plane, first : first + count]
                for x in range(count):
                    distances[x] += np.uint16(popcount(code ^ others[x]))
            nearest = distances[0]
            for x in range(count):
                nearest = min(nearest, distances[x])
            if table[nearest] * scales[first] > largest:
                for x in range(count):
                    joint = table[distances[x]] * scales[first + x]
                    if joint > largest:
                        largest, place = joint, first + x
        best[y], named[y] = largest, place
