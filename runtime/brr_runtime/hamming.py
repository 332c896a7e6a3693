"""Exact Hamming search over packed codes, in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brr_runtime.hamming_batch import MOST_BITS, QUERIES, nearest_in_batch, pack_codes

_BLOCK = 1 << 16  # codes per step: the XOR buffer of 512 KB stays in L2 cache
_GROUP = 3  # planes whose counts fit a byte together: 3 * 64 < 256
_RADIX_SORT_FROM = 32  # neighbours from which one stable sort beats repeated minima
_PRODUCT_FROM = 128  # queries from which one matrix product beats a scan for each


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

    Safe to share between threads. The first large batch of queries adds a matrix of 4/3 bytes per
    word and bit (17 MB for 50,000 words x 256 bits) and keeps it.
    """

    def __init__(self, codes: NDArray[np.uint64]) -> None:
        """Index ``codes`` uint64[n, bits / 64]; 64-bit codes are not copied."""
        self.planes = np.ascontiguousarray(codes.T)
        self._dtype = np.uint8 if len(self.planes) <= _GROUP else np.uint16
        self._taken = np.iinfo(self._dtype).max  # farther than any code
        self._matrix: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return int(self.planes.shape[1])

    def distances(self, query: NDArray[np.uint64]) -> NDArray[np.uint8 | np.uint16]:
        """Return the distances [n] from ``query`` uint64[bits / 64] to every code."""
        result = np.empty(len(self), self._dtype)
        size = min(len(self), _BLOCK)
        differing = np.empty(size, np.uint64)
        counts = np.empty(size, np.uint8)
        partial = np.empty(size, np.uint8)
        for start in range(0, len(self), size):
            total = result[start : start + size]
            width = len(total)
            words, count, subtotal = differing[:width], counts[:width], partial[:width]
            for plane, codes in enumerate(self.planes[:, start : start + size]):
                np.bitwise_xor(codes, query[plane], out=words)
                if plane % _GROUP:
                    _count(words, count)
                    np.add(subtotal, count, out=subtotal)
                else:
                    _count(words, subtotal)
                if plane + 1 == len(self.planes) or plane % _GROUP == _GROUP - 1:
                    if plane < _GROUP:
                        total[...] = subtotal
                    else:
                        np.add(total, subtotal, out=total)
        return result

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
        in_product = len(self.planes) * 64 <= MOST_BITS and k < _RADIX_SORT_FROM
        for start in range(0, len(queries), QUERIES):
            part = slice(start, start + QUERIES)
            if in_product and len(queries[part]) >= _PRODUCT_FROM:
                ids[part], found[part] = self._nearest_in_product(queries[part], k)
            else:
                for row, query in enumerate(queries[part], start):
                    ids[row], found[row] = self._nearest_in_scan(query, k)
        return ids, found

    def _nearest_in_scan(
        self, query: NDArray[np.uint64], k: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        distances = self.distances(query)
        if k >= _RADIX_SORT_FROM:
            ids = np.argsort(distances, kind="stable")[:k]
            return ids, distances[ids].astype(np.int64)
        ids = np.empty(k, np.intp)
        found = np.empty(k, np.int64)
        for rank in range(k):
            ids[rank] = best = distances.argmin()
            found[rank] = distances[best]
            distances[best] = self._taken
        return ids, found

    def _nearest_in_product(
        self, queries: NDArray[np.uint64], k: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        matrix = self._matrix
        if matrix is None:
            matrix = self._matrix = pack_codes(self.planes)
        ids, found = nearest_in_batch(matrix, len(self), queries, k)
        ids = np.minimum(ids, len(self) - 1)
        differing = self.planes[:, ids] ^ queries.T[:, :, None]
        counts = np.empty(differing.shape, np.uint8)
        _count(differing, counts)
        for row in np.flatnonzero((counts.sum(axis=0, dtype=np.int64) != found).any(axis=1)):
            ids[row], found[row] = self._nearest_in_scan(queries[row], k)
        return ids, found
