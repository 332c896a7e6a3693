"""Random bytes, and integers drawn from them without bias."""

from __future__ import annotations

from collections.abc import Callable

RandomSource = Callable[[int], bytes]
"""Returns that many random bytes. ``os.urandom`` everywhere but in tests and experiments."""


def uniform_below(bound: int, random: RandomSource) -> int:
    """Return a uniform integer in [0, bound), for 1 <= bound <= 2^63.

    Takes 8 bytes (little-endian), keeps as many low bits as bound - 1 has, and starts over when
    the number isn't below the bound: a remainder would favour small numbers.
    """
    mask = (1 << (bound - 1).bit_length()) - 1
    while True:
        number = int.from_bytes(random(8), "little") & mask
        if number < bound:
            return number
