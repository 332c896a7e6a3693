"""Exact Hamming search over packed codes, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 16  # cells (query, word) per step: the XOR buffer of 512 KB stays in L2 cache
_BATCH = 8  # queries per step
_RADIX_SORT_FROM = 32  # neighbours from which one stable sort beats repeated minima


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


class HammingIndex:
    """The codes of a vocabulary, stored as planes of 64 bits so that every pass is contiguous.

    Holds no state that a query changes: safe to share between threads.
    """

    def __init__(self, codes: NDArray[np.uint64]) -> None:
        """Index ``codes`` uint64[n, bits / 64]; 64-bit codes are not copied."""
        self.planes = np.ascontiguousarray(codes.T)
        self.bits = 64 * len(self.planes)
        # 255 fits a byte, so only codes of 256 bits and more need two bytes per distance.
        self._dtype = np.uint8 if self.bits < 256 else np.uint16

    def __len__(self) -> int:
        return int(self.planes.shape[1])

    def distances(self, queries: NDArray[np.uint64]) -> NDArray[np.uint8 | np.uint16]:
        """Return the distances [m, n] from ``queries`` uint64[m, bits / 64] to every code."""
        result = np.empty((len(queries), len(self)), self._dtype)
        step = min(len(self), max(1, _BLOCK // max(1, len(queries))))
        differing = np.empty((len(queries), step), np.uint64)
        counts = np.empty((len(queries), step), np.uint8)
        for start in range(0, len(self), step):
            block = self.planes[:, start : start + step]
            total = result[:, start : start + step]
            width = block.shape[1]
            for plane, codes in enumerate(block):
                np.bitwise_xor(codes, queries[:, plane, None], out=differing[:, :width])
                _count(differing[:, :width], counts[:, :width])
                if plane:
                    np.add(total, counts[:, :width], out=total)
                else:
                    total[...] = counts[:, :width]
        return result

    def batches(
        self, queries: NDArray[np.uint64]
    ) -> Iterator[tuple[slice, NDArray[np.uint8 | np.uint16]]]:
        """Yield the distances of a few queries at a time, so that memory stays bounded."""
        for start in range(0, len(queries), _BATCH):
            part = slice(start, min(start + _BATCH, len(queries)))
            yield part, self.distances(queries[part])

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
        for part, distances in self.batches(queries):
            if k >= _RADIX_SORT_FROM:
                ids[part] = np.argsort(distances, axis=1, kind="stable")[:, :k]
                found[part] = np.take_along_axis(distances, ids[part], axis=1)
                continue
            rows = np.arange(len(distances))
            for rank in range(k):
                ids[part, rank] = best = distances.argmin(axis=1)
                found[part, rank] = distances[rows, best]
                if rank + 1 < k:
                    distances[rows, best] = np.iinfo(self._dtype).max
        return ids, found
