"""Section "The first draw's random bytes" of ``spec/state-files.md``."""

from __future__ import annotations

import hashlib
import struct

from brrkit_toolchain.bundle.reference.numbers import Read


def first_draw(
    key: bytes, number: int, unit: str, mechanism: str, numbers: bytes, word: str | None
) -> Read:
    """Return the random bytes of a word's first draw.

    Args:
        key: 32 bytes.
        number: number of the period.
        unit: the SHA-256 of the index, in hexadecimal digits.
        mechanism: name of the mechanism.
        numbers: result of the mechanism's ``setting``.
        word: the typed word of the vocabulary; None for an unknown word.
    """
    fields = [
        b"brrkit memory",
        struct.pack("<q", number),
        unit.encode(),
        mechanism.encode(),
        numbers,
        b"unknown" if word is None else b"known",
        b"" if word is None else word.encode(),
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
