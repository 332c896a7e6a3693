"""Exact Hamming search over packed codes, in NumPy: one scan of all codes for each query.

Each query of a batch has its own scan. A matrix product for all queries isn't faster at 64 bits.
The threads of its BLAS wait for one another, which takes ten times as long on a busy machine.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CODES_PER_STEP = 1 << 16  # codes whose XOR buffer, 512 KB, stays in the L2 cache
_PLANES_PER_GROUP = 3  # 3 * 64 < 256, so the sum of their counts fits into a byte
_RADIX_SORT_FROM = 32  # number of neighbors from which a stable sort is faster than repeated minima


def _bitwise_count(words: NDArray[np.uint64], out: NDArray[np.uint8]) -> None:
    """Population count for NumPy 1 (NumPy 2 has ``numpy.bitwise_count``); destroys ``words``."""
    words -= (words >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = (words >> np.uint64(2)) & np.uint64(0x3333333333333333)
    words &= np.uint64(0x3333333333333333)
    words += pairs
    words += words >> np.uint64(4)
    words &= np.uint64(0x0F0F0F0F0F0F0F0F)
    words *= np.uint64(0x0101010101010101)
    words >>= np.uint64(56)
    out[...] = words


if hasattr(np, "bitwise_count"):

    def _count(words: NDArray[np.uint64], out: NDArray[np.uint8]) -> None:
        np.bitwise_count(words, out=out)
else:
    _count = _bitwise_count


def weigh_codes(codes: NDArray[np.uint64], task_bits: int, task_weight: int) -> NDArray[np.uint64]:
    """Return codes whose Hamming distance counts each task bit ``task_weight`` times.

    Task bits that count several times are repeated.

    Args:
        codes: uint64[n, bits / 64]; the last ``task_bits`` bits of each are task bits.
        task_bits: number of task bits, a multiple of 64 below bits; 0 if there are none.
        task_weight: weight of a differing task bit, at least 0.

    Returns:
        uint64[n, (bits - task_bits + task_weight * task_bits) / 64]; ``codes`` itself if each bit
        counts once.
    """
    if task_bits == 0 or task_weight == 1:
        return codes
    own = codes.shape[1] - task_bits // 64
    return np.hstack([codes[:, :own], *[codes[:, own:]] * task_weight])


class HammingIndex:
    """The codes of a vocabulary, stored as planes of 64 bits for contiguous passes.

    It is safe to share between threads, and starts no threads.
    """

    def __init__(self, codes: NDArray[np.uint64]) -> None:
        """Index ``codes`` uint64[n, bits / 64]; 64-bit codes are not copied."""
        self.planes = np.ascontiguousarray(codes.T)
        self._dtype = np.uint8 if len(self.planes) <= _PLANES_PER_GROUP else np.uint16
        self._taken = np.iinfo(self._dtype).max  # farther than any code
        starts = range(0, len(self), _CODES_PER_STEP)
        self._blocks = [(i, list(self.planes[:, i : i + _CODES_PER_STEP])) for i in starts]

    def __len__(self) -> int:
        return int(self.planes.shape[1])

    def distances(self, query: NDArray[np.uint64]) -> NDArray[np.uint8 | np.uint16]:
        """Return the distances [n] from ``query`` uint64[bits / 64] to every code."""
        found: NDArray[np.uint8 | np.uint16] = self.scan(query).copy()
        return found

    def nearest(
        self, queries: NDArray[np.uint64], k: int = 1
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the ids and distances [m, k] of the k nearest codes; ties go to the lower rank.

        Args:
            queries: uint64[m, bits / 64].
            k: from 1 to n.
        """
        ids = np.empty((len(queries), k), np.intp)
        found = np.empty((len(queries), k), np.int64)
        for row in range(len(queries)):  # faster than iterating over the array
            distances = self.scan(queries[row])
            if k >= _RADIX_SORT_FROM:
                ids[row] = np.argsort(distances, kind="stable")[:k]
                found[row] = distances[ids[row]]
                continue
            for rank in range(k):
                ids[row, rank] = best = distances.argmin()
                found[row, rank] = distances[best]
                distances[best] = self._taken
        return ids, found

    def scan(
        self, query: NDArray[np.uint64], out: NDArray[np.uint8] | None = None
    ) -> NDArray[np.uint8 | np.uint16]:
        """Return the distances [n] from ``query`` uint64[bits / 64] to every code.

        The result is in ``out``; without it, in a buffer that this thread's next scan of any index
        overwrites.
        """
        if out is None:
            out = _SCRATCH.distances(self.planes.shape[1], self._dtype)
        if len(self.planes) > 1 and self.planes.size <= _CODES_PER_STEP:
            _scan_few(self.planes, query, out)
            return out
        for start, planes in self._blocks:
            _scan(planes, query, out[start : start + _CODES_PER_STEP])
        return out


class _Scratch(threading.local):
    """A thread's scratch space for scans; otherwise, the system would map it for each word."""

    def __init__(self) -> None:
        self.differing = np.empty(_CODES_PER_STEP, np.uint64)
        self.counts = np.empty(_CODES_PER_STEP, np.uint8)
        self.subtotal = np.empty(_CODES_PER_STEP, np.uint8)
        self._distances = np.empty(0, np.uint16)

    def distances(self, count: int, dtype: type[np.uint8 | np.uint16]) -> NDArray[Any]:
        """Return space for ``count`` distances."""
        if len(self._distances) < count:
            self._distances = np.empty(count, np.uint16)
        return self._distances.view(dtype)[:count]


_SCRATCH = _Scratch()


def _scan_few(planes: NDArray[np.uint64], query: NDArray[np.uint64], total: NDArray[Any]) -> None:
    """Do the work of ``_scan`` in three calls: for few codes, calls take longer than counting."""
    differing = _SCRATCH.differing[: planes.size].reshape(planes.shape)
    counts = _SCRATCH.counts[: planes.size].reshape(planes.shape)
    np.bitwise_xor(planes, query[:, None], out=differing)
    _count(differing, counts)
    np.add.reduce(counts, axis=0, dtype=total.dtype, out=total)


def _scan(
    planes: Sequence[NDArray[np.uint64]], query: NDArray[np.uint64], total: NDArray[Any]
) -> None:
    """Write the distances [m] from ``query`` to the codes in ``planes``, each [m], into ``total``.

    The counts of a group of planes are bytes, which are then added.
    """
    if len(planes) <= _PLANES_PER_GROUP:
        _count_group(planes, query, total)
        return
    subtotal = _SCRATCH.subtotal[: len(total)]
    for first in range(0, len(planes), _PLANES_PER_GROUP):
        last = first + _PLANES_PER_GROUP
        _count_group(planes[first:last], query[first:last], subtotal)
        if first:
            np.add(total, subtotal, out=total)
        else:
            total[...] = subtotal


def _count_group(
    planes: Sequence[NDArray[np.uint64]], query: NDArray[np.uint64], total: NDArray[Any]
) -> None:
    """Write the distances [m] in a group of planes, whose counts fit into a byte, to ``total``."""
    differing = _SCRATCH.differing[: len(total)]
    np.bitwise_xor(planes[0], query[0], out=differing)
    _count(differing, total)
    for plane in range(1, len(planes)):
        counts = _SCRATCH.counts[: len(total)]
        np.bitwise_xor(planes[plane], query[plane], out=differing)
        _count(differing, counts)
        np.add(total, counts, out=total)
