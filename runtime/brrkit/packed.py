"""Consecutive integers with a fixed number of bits, read from mapped memory."""

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

    There are three more bytes than for the bits, so that four bytes can be read from any number's
    first byte.
    """
    return (count * width + 7) // 8 + 3


@dataclass(frozen=True)
class PackedNumbers:
    """``count`` numbers below 2^width; number i has the bits from i * width.

    Attributes:
        content: ``packed_size(count, width)`` bytes; bit j is bit j mod 8 of byte j div 8. Bit 0 is
            the least significant, also in the numbers.
        count: number of numbers.
        width: number of bits of a number, at most 24, so that four bytes always contain it.
    """

    content: memoryview
    count: int
    width: int

    def __getitem__(self, position: int) -> int:
        bit = position * self.width
        (loaded,) = _UINT32.unpack_from(self.content, bit >> 3)
        return int(loaded) >> (bit & 7) & ((1 << self.width) - 1)

    def unpack(self) -> NDArray[np.uint32]:
        """Return all numbers."""
        numbers = np.empty(self.count, np.uint32)
        for lane in range(min(8, self.count)):
            # Every eighth number starts ``width`` bytes later, at the same bit of its byte.
            start, bit = divmod(lane * self.width, 8)
            column = numbers[lane::8]
            loaded = np.ndarray(column.shape, "<u4", self.content, start, (self.width,))
            column[:] = loaded >> np.uint32(bit) & np.uint32((1 << self.width) - 1)
        return numbers
