"""Section "The first draw's random bytes" of ``docs/memory.md``."""

from __future__ import annotations

import hashlib
import struct
from fractions import Fraction
from typing import Any

from brr_toolchain.bundle.reference.mechanisms import DEFAULT_T, Read, flip_threshold, weight_table


def setting(
    mechanism: str, epsilon: float, parameters: dict[str, Any], bits: int, size: int
) -> bytes:
    """Return the numbers that decide a mechanism's draws on ``size`` words, as bytes."""
    if mechanism == "exponential":
        radius = parameters.get("radius", bits // 8)
        weights = weight_table(Fraction(epsilon) / 2, bits, size, radius)
        return hashlib.sha256(struct.pack(f"<{bits + 1}q", *weights)).digest()
    result = struct.pack("<q", flip_threshold(epsilon))
    if mechanism == "vickrey":
        t = parameters.get("t", DEFAULT_T)
        if isinstance(t, list):
            return result + b"\1" + b"".join(struct.pack("<d", rate) for rate in t)
        return result + b"\0" + struct.pack("<q", round(t * 2**32))
    return result


def first_draw(
    key: bytes, number: int, unit: str, mechanism: str, numbers: bytes, word: str, *, known: bool
) -> Read:
    """Return the random bytes of a word's first draw.

    Args:
        key: 32 bytes.
        number: of the period.
        unit: the SHA-256 of the index, in hexadecimal digits.
        mechanism: its name.
        numbers: its ``setting``.
        word: the vocabulary's, or a normalized unknown one.
        known: whether it is the vocabulary's.
    """
    fields = [
        b"brrkit memory",
        struct.pack("<q", number),
        unit.encode(),
        mechanism.encode(),
        numbers,
        b"known" if known else b"unknown",
        word.encode("utf-8", "replace"),
    ]
    position = 0

    def read(size: int) -> bytes:
        nonlocal position
        start, position = position, position + size
        blocks = range(start // 32, -(-position // 32))
        drawn = b"".join(_hmac(key, [*fields, struct.pack("<q", i)]) for i in blocks)
        return drawn[start % 32 :][:size]

    return read


def _hmac(key: bytes, fields: list[bytes]) -> bytes:
    """RFC 2104 with SHA-256 and a key of 32 bytes, of fields after their lengths."""
    message = b"".join(struct.pack("<I", len(field)) + field for field in fields)
    padded = key + bytes(32)
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()
