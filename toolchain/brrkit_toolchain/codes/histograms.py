"""The number of words, or their measure, at each distance from a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.io.compiled import compiled

from .scans import over_rows, scan

_BITS_OF_A_SUM = 31  # one number contains two sums


def all_histograms(
    codes: NDArray[np.uint64],
    words: NDArray[np.intp] | None = None,
    measure: NDArray[np.int64] | None = None,
    *,
    progress: bool = False,
) -> NDArray[np.int64]:
    """Return int64[m, bits + 1]: the number of words at each distance from each of ``words``.

    Args:
        codes: uint64[n, bits / 64].
        words: ids [m]; by default, all.
        measure: int64[n], weight of each word in the counts; by default, 1.
        progress: show a bar on standard error.
    """
    planes = codes.T.copy()
    queries = codes.copy() if words is None else codes[words]
    counted = np.ones(len(codes), np.int64) if measure is None else measure
    result = np.empty((len(queries), 64 * len(planes) + 1), np.int64)

    def count(start: int, stop: int) -> None:
        result[start:stop] = histograms(planes, queries[start:stop], counted)

    over_rows(count, len(queries), description="Distances", progress=progress)
    return result


def histograms(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], measure: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return int64[m, bits + 1]: the measure [n] at each distance from each query [m, ...]."""
    # Cells for pairs of distances fit into a first-level cache only for codes of 64 bits.
    small = len(planes) == 1 and int(measure.sum()) < 1 << _BITS_OF_A_SUM
    counted: NDArray[np.int64] = (_in_pairs if small else _in_lanes)(planes, queries, measure)
    return counted


@compiled
def _in_pairs(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], measure: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum two words at once: a cell for both distances sums both masses in a number.

    The second word comes half a vocabulary after the first, so that the compiler vectorizes the
    computation of cells.
    """
    distances = 64 * planes.shape[0] + 1
    result = np.zeros((len(queries), distances), np.int64)
    scanned = np.empty(planes.shape[1], np.uint16)
    half = len(scanned) // 2
    both, chosen = np.empty(half, np.int64), np.empty(half, np.uint16)
    for i in range(half):
        both[i] = measure[i] + (measure[half + i] << _BITS_OF_A_SUM)
    cells = np.empty((distances, distances), np.int64)
    flat = cells.ravel()
    for row in range(len(queries)):
        scan(planes, queries[row], 0, scanned)
        flat[:] = 0
        for i in range(half):
            chosen[i] = scanned[i] * np.uint16(distances) + scanned[half + i]
        for i in range(half):
            flat[np.uint64(chosen[i])] += both[i]
        found = result[row]
        for distance in range(distances):
            total = np.int64(0)
            for other in range(distances):
                cell = cells[distance, other]
                total += cell & ((1 << _BITS_OF_A_SUM) - 1)
                found[other] += cell >> _BITS_OF_A_SUM
            found[distance] += total
        if len(scanned) % 2:
            found[scanned[-1]] += measure[-1]
    return result


@compiled
def _in_lanes(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], measure: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count neighboring codes in different rows, so that no increment waits for the one before."""
    bits = 64 * planes.shape[0]
    result = np.zeros((len(queries), bits + 1), np.int64)
    scanned = np.empty(planes.shape[1], np.uint16)
    lanes = np.empty((4, bits + 1), np.int64)
    even = len(scanned) // 4 * 4
    for row in range(len(queries)):
        scan(planes, queries[row], 0, scanned)
        lanes[:] = 0
        for i in range(0, even, 4):
            lanes[0, scanned[i]] += measure[i]
            lanes[1, scanned[i + 1]] += measure[i + 1]
            lanes[2, scanned[i + 2]] += measure[i + 2]
            lanes[3, scanned[i + 3]] += measure[i + 3]
        for i in range(even, len(scanned)):
            lanes[0, scanned[i]] += measure[i]
        for distance in range(bits + 1):
            for lane in range(len(lanes)):
                result[row, distance] += lanes[lane, distance]
    return result
