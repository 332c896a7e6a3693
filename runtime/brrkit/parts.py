"""A vocabulary in parts: base measures by distance, and a part's words at a distance.

A drawn word is searched in one part, so the duration reveals little about the number of words at
its distance.
"""

from __future__ import annotations

import sys
import threading

import numpy as np
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex

_NUMBERED_PART = 1 << 12  # words in a part if its number is stored with their distances
_LARGEST_PART = 1 << 14  # words in a part otherwise; NumPy reuses memory of this size
_BYTE_VALUES = 1 << 8
_LOWEST_BYTE = 0 if sys.byteorder == "little" else np.intp().itemsize - 1


class _Scratch(threading.local):
    """A thread's scratch space for one-byte distances, each with the number of its word's part.

    It is reused, so that a scan only writes the distances.
    """

    def __init__(self) -> None:
        self._cells = np.empty(0, np.intp)

    def cells(self, count: int) -> NDArray[np.intp]:
        """Return ``count`` cells: the part's number times 256, plus the last written distance."""
        if len(self._cells) < count:
            self._cells = np.arange(count) // _NUMBERED_PART * _BYTE_VALUES
        return self._cells[:count]


_SCRATCH = _Scratch()


class Parts:
    """The parts of a vocabulary with a base measure; thread-safe.

    Distances between codes of 64 bits are written into the lowest bytes of integers. The other
    bytes contain the number of the word's part, so one sum over the vocabulary gives those of all
    parts. Distances between longer codes are first summed elsewhere, and copying them would take
    longer than a sum for each part.
    """

    def __init__(self, index: HammingIndex, masses: NDArray[np.int64]) -> None:
        """Divide the codes of ``index``, whose words have the base measure ``masses`` [n]."""
        count, planes = len(index), len(index.planes)
        self._index, self._masses = index, masses
        self._numbered = planes == 1
        self._step = _BYTE_VALUES if self._numbered else 0
        # Otherwise, parts have equal sizes.
        self._size = _NUMBERED_PART if self._numbered else -(-count // -(-count // _LARGEST_PART))
        self._distances = 64 * planes + 1
        starts = range(0, count, self._size)
        self._parts = [(part := slice(i, i + self._size), masses[part]) for i in starts]

    def scan(self, query: NDArray[np.uint64]) -> NDArray[np.integer]:
        """Return each word's distance [n] with its part's number, for the other methods.

        The result is in a buffer that this thread's next scan of any parts overwrites.

        Args:
            query: uint64[bits / 64].
        """
        if not self._numbered:
            return self._index.scan(query)
        cells = _SCRATCH.cells(len(self._masses))
        self._index.scan(query, cells.view(np.uint8)[_LOWEST_BYTE :: cells.itemsize])
        return cells

    def measures(
        self, scanned: NDArray[np.integer], ids: NDArray[np.intp], gains: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return each part's base measure [parts, bits + 1] at each distance.

        Args:
            scanned: distances from ``scan``.
            ids: ids [k] of words that gain.
            gains: their gains [k].
        """
        # Sums of integers, faster than numpy.bincount, especially for equal distances.
        if self._numbered:
            sums = np.zeros(len(self._parts) * _BYTE_VALUES, np.int64)
            np.add.at(sums, scanned, self._masses)
            if len(ids):
                np.add.at(sums, scanned[ids], gains)
            return sums.reshape(-1, _BYTE_VALUES)[:, : self._distances]
        measures = np.zeros((len(self._parts), self._distances), np.int64)
        for sums, (part, masses) in zip(measures, self._parts, strict=True):
            np.add.at(sums, scanned[part].astype(np.intp), masses)
        if len(ids):
            np.add.at(measures, (ids // self._size, scanned[ids]), gains)
        return measures

    def words_at(
        self, scanned: NDArray[np.integer], part: int, distance: int
    ) -> tuple[int, NDArray[np.intp], NDArray[np.int64]]:
        """Return a part's words at a distance.

        Returns:
            The id of the part's first word; the offsets [k] from it of the words at the distance,
            ascending; and their base measure [k], a copy.
        """
        words, masses = self._parts[part]
        there = (scanned[words] == part * self._step + distance).nonzero()[0]
        return words.start, there, masses[there]
