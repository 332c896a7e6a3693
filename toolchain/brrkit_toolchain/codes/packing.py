"""Packing of bits into words of 64 bits, and back; the only module that defines the bit order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def pack(bits: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Pack bits[n, b] (b a multiple of 64) into words uint64[n, b // 64].

    Bit j of a code is bit j % 64 of word j // 64, which in little-endian bytes is bit j % 8
    of byte j // 8.
    """
    octets = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(octets).view("<u8").astype(np.uint64)


def unpack(packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Unpack words uint64[n, w] into bits bool[n, 64 * w], the inverse of `pack`."""
    octets = np.ascontiguousarray(packed, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(np.bool_)
