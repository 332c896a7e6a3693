"""Sections "Numbers" and "Random bytes" of the specification, in NumPy and Python integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

_BITS_OF_PAIR = np.array([pair.bit_count() for pair in range(1 << 16)], np.float32)  # of bytes

Read = Callable[[int], bytes]
"""Returns the next random bytes."""


def flip_threshold(epsilon: float) -> int:
    """Return ceil(2^32 / (1 + e^epsilon)) from a 100-digit exponential."""
    with localcontext() as context:
        context.prec = 100
        quotient = Decimal(2**32) / (1 + Decimal(epsilon).exp())
        return int(quotient.to_integral_value(rounding=ROUND_CEILING))


def flip(code: bytes, random: bytes, threshold: int) -> bytes:
    """Return ``code`` with bit i flipped if the i-th random number is below the threshold.

    Args:
        code: bits / 8 bytes; bit j is bit j mod 8 of byte j div 8.
        random: 4 bytes for each bit: little-endian signed numbers, compared with T - 2^31.
        threshold: T.
    """
    numbers = np.frombuffer(random, "<i4").astype(np.int64)
    flips = np.packbits(numbers < threshold - 2**31, bitorder="little")
    return bytes(np.bitwise_xor(np.frombuffer(code, np.uint8), flips))


def distances(
    codes: NDArray[np.uint64], code: bytes, task_bits: int = 0, task_weight: int = 1
) -> NDArray[np.int64]:
    """Return the distance from ``code`` to each of ``codes`` uint64[n, bits / 64].

    Each of the last ``task_bits`` bits counts ``task_weight`` times.
    """
    differing = (np.ascontiguousarray(codes) ^ np.frombuffer(code, np.uint64)).view(np.uint16)
    counted = np.full(len(code) // 2, 1, np.float32)
    counted[len(counted) - task_bits // 16 :] = task_weight
    sums = np.take(_BITS_OF_PAIR, differing) @ counted  # small integers: exact
    return sums.astype(np.int64)


@lru_cache(256)  # few settings have many golden cases
def weight_table(
    epsilon: Fraction, bits: int, total: int, radius: int = 0, cap: Fraction | None = None
) -> tuple[int, ...]:
    """Return W[0..bits]: floor((2^63 - 1) / M), then ceil(W[d] * 2^64 / G), at least F."""
    within, beyond = floor_exp(2**64, epsilon / 16), floor_exp(2**64, epsilon / 2)
    weights = [(2**63 - 1) // total]
    floor = 0
    if cap is not None:
        largest = floor_exp(2**64, cap / 2)
        floor = (weights[0] * 2**64 + largest - 1) // largest
    for distance in range(bits):
        growth = within if distance < radius else beyond
        weights.append(max((weights[-1] * 2**64 + growth - 1) // growth, floor))
    return tuple(weights)


def mass(byte: int) -> int:
    """Return m(v) of a byte v."""
    return byte if byte < 16 else (8 + byte % 8) * 2 ** (byte // 8 - 1)


def uniform_below(bound: int, read: Read) -> int:
    """Return the first 8-byte number, cut to the bound's bits, that is below the bound."""
    bits = (bound - 1).bit_length()
    while True:
        number = int.from_bytes(read(8), "little") % (1 << bits)
        if number < bound:
            return number


def pick(weights: Sequence[int], number: int) -> int:
    """Return the first index at which the sum of the weights exceeds ``number``."""
    return next(index for index, total in enumerate(accumulate(weights)) if number < total)


@cache
def floor_exp(scale: int, exponent: Fraction) -> int:
    """Return floor(scale * e^exponent) from a 100-digit exponential."""
    with localcontext() as context:
        context.prec = 100
        power = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        return int((scale * power).to_integral_value(rounding=ROUND_FLOOR))
