"""A vocabulary in parts: the base measure of each by distance, and the words of one at a distance.

A drawn word is looked for in one part, so that the time says little of how many are as far.
"""

from __future__ import annotations

import sys
import threading

import numpy as np
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex

_NUMBERED_PART = 1 << 12  # words, if the part's number stands beside their distances
_LARGEST_PART = 1 << 14  # words, otherwise: what NumPy allocates for so few isn't mapped anew
_BYTE_VALUES = 1 << 8
_LOWEST_BYTE = 0 if sys.byteorder == "little" else np.intp().itemsize - 1


class _Scratch(threading.local):
    """A thread's scratch space for distances of a byte, each beside the number of its word's part.

    It is kept, so that a scan only writes the distances.
    """

    def __init__(self) -> None:
        self._cells = np.empty(0, np.intp)

    def cells(self, count: int) -> NDArray[np.intp]:
        """Return ``count`` cells: the part's number times 256, plus what was written last."""
        if len(self._cells) < count:
            self._cells = np.arange(count) // _NUMBERED_PART * _BYTE_VALUES
        return self._cells[:count]


_SCRATCH = _Scratch()


class Parts:
    """The parts of a vocabulary with a base measure. Safe to share between threads.

    Distances between codes of 64 bits are written into the lowest bytes of integers, whose other
    bytes have the number of the word's part: one sum over the vocabulary then has those of all
    parts. Those between longer codes are added up elsewhere first; to copy them there takes more
    time than a sum for each part does.
    """

    def __init__(self, index: HammingIndex, masses: NDArray[np.int64]) -> None:
        """Divide the codes of ``index``, whose words have the base measure ``masses`` [n]."""
        count, planes = len(index), len(index.planes)
        self._index, self._masses = index, masses
        self._numbered = planes == 1
        self._step = _BYTE_VALUES if self._numbered else 0
        # Else they are of equal size.
        self._size = _NUMBERED_PART if self._numbered else -(-count // -(-count // _LARGEST_PART))
        self._distances = 64 * planes + 1
        starts = range(0, count, self._size)
        self._parts = [(part := slice(i, i + self._size), masses[part]) for i in starts]

    def scan(self, query: NDArray[np.uint64]) -> NDArray[np.integer]:
        """Return what the other methods take: each word's distance [n], with its part's number.

        It is in a buffer that this thread's next scan overwrites, of any parts.

        Args:
            query: uint64[bits / 64].
        """
        if not self._numbered:
            return self._index.scan(query)
        cells = _SCRATCH.cells(len(self._masses))
        self._index.scan(query, cells.view(np.uint8)[_LOWEST_BYTE :: cells.itemsize])
        return cells

    def measures(self, scanned: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return each part's base measure [parts, bits + 1] at each distance."""
        # Of integers, and in less time than numpy.bincount; more so where distances are equal.
        if self._numbered:
            sums = np.zeros(len(self._parts) * _BYTE_VALUES, np.int64)
            np.add.at(sums, scanned, self._masses)
            return sums.reshape(-1, _BYTE_VALUES)[:, : self._distances]
        measures = np.zeros((len(self._parts), self._distances), np.int64)
        for sums, (part, masses) in zip(measures, self._parts, strict=True):
            np.add.at(sums, scanned[part].astype(np.intp), masses)
        return measures

    def places(
        self, scanned: NDArray[np.integer], ids: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.integer]]:
        """Return where in ``measures`` the words ``ids`` [k] count: parts and distances [k]."""
        parts = ids // self._size
        return parts, scanned[ids] - parts * self._step

    def words_at(
        self, scanned: NDArray[np.integer], part: int, distance: int
    ) -> tuple[int, NDArray[np.intp], NDArray[np.int64]]:
        """Return a part's words at a distance.

        Returns:
            The id of the part's first word; how far behind it the words at the distance are [k],
            ascending; and their base measure [k], a copy.
        """
        words, masses = self._parts[part]
        there = (scanned[words] == part * self._step + distance).nonzero()[0]
        return words.start, there, masses[there]
