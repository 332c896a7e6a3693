"""Whole numbers of a fixed number of bits, one after the other, read where they are mapped."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_UINT32 = struct.Struct("<I")


def width_of(count: int) -> int:
    """Return the number of bits of a number below ``count``, for 2 <= count <= 2^24."""
    return (count - 1).bit_length()


def packed_size(count: int, width: int) -> int:
    """Return the number of bytes of ``count`` packed numbers of ``width`` bits.

    Three bytes more than their bits take: the four bytes from any number's first are there.
    """
    return (count * width + 7) // 8 + 3


@dataclass(frozen=True)
class PackedNumbers:
    """``count`` numbers below 2^width: the bits of number i are those from i * width on.

    Attributes:
        content: ``packed_size(count, width)`` bytes; bit j is bit j mod 8 of byte j div 8, the
            least significant being 0, in the numbers too.
        count: how many.
        width: bits of a number, at most 24, so that four bytes always hold one.
    """

    content: memoryview
    count: int
    width: int

    def __getitem__(self, position: int) -> int:
        bit = position * self.width
        (loaded,) = _UINT32.unpack_from(self.content, bit >> 3)
        return int(loaded) >> (bit & 7) & ((1 << self.width) - 1)

    def between(self, first: int, last: int) -> NDArray[np.uint32]:
        """Return those of positions ``first`` to ``last - 1``, in less time than one by one."""
        bits = np.arange(first * self.width, last * self.width, self.width)
        loaded = np.ndarray(len(self.content) - 3, "<u4", self.content, 0, (1,))[bits >> 3]
        numbers: NDArray[np.uint32] = loaded >> (bits & 7).astype(np.uint32)
        numbers &= np.uint32((1 << self.width) - 1)
        return numbers

    def unpack(self) -> NDArray[np.uint32]:
        """Return all numbers."""
        numbers = np.empty(self.count, np.uint32)
        for lane in range(min(8, self.count)):
            # Every eighth number starts ``width`` bytes on, at the same bit of its byte.
            start, bit = divmod(lane * self.width, 8)
            column = numbers[lane::8]
            loaded = np.ndarray(column.shape, "<u4", self.content, start, (self.width,))
            column[:] = loaded >> np.uint32(bit) & np.uint32((1 << self.width) - 1)
        return numbers
