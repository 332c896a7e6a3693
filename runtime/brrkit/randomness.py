"""Random bytes, and integers drawn from them without bias."""

from __future__ import annotations

from collections.abc import Callable

from brrkit.errors import RandomnessError

RandomSource = Callable[[int], bytes]
"""Returns the given number of random bytes; ``os.urandom``, except in tests and experiments."""


def draw(size: int, random: RandomSource) -> bytes:
    """Return ``size`` random bytes.

    Raises:
        RandomnessError: the system has none, or the source gave another number of bytes, whose use
            would be biased.
    """
    try:
        content = random(size)
    except (OSError, NotImplementedError):
        raise RandomnessError("the system provides no random bytes; nothing was released") from None
    if len(content) != size:
        raise RandomnessError(f"the random source returned {len(content)} bytes instead of {size}")
    return content


def uniform_below(bound: int, random: RandomSource) -> int:
    """Return a uniform integer in [0, bound), for 1 <= bound <= 2^63.

    It takes 8 bytes (little-endian), keeps as many low bits as bound - 1 has, and starts again if
    the number isn't below the bound. A remainder would favor small numbers.
    """
    mask = (1 << (bound - 1).bit_length()) - 1
    while True:
        number = int.from_bytes(draw(8, random), "little") & mask
        if number < bound:
            return number
