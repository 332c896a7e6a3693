"""Sections "Numbers" and "Random bytes" of the specification, in NumPy and Python integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

DEFAULT_T = 0.5
_BITS_OF_BYTE = np.array([byte.bit_count() for byte in range(256)], np.uint8)


def flip_threshold(epsilon: float) -> int:
    """Return ceil(2^32 / (1 + e^epsilon)) from a 100-digit exponential."""
    with localcontext() as context:
        context.prec = 100
        quotient = Decimal(2**32) / (1 + Decimal(epsilon).exp())
        return int(quotient.to_integral_value(rounding=ROUND_CEILING))


def flip(code: bytes, random: bytes, threshold: int) -> bytes:
    """Return ``code`` with bit i flipped where the i-th random number is below the threshold.

    Args:
        code: bits / 8 bytes; bit j is bit j mod 8 of byte j div 8.
        random: 4 bytes for each bit: little-endian signed numbers, compared with T - 2^31.
        threshold: T.
    """
    numbers = np.frombuffer(random, "<i4").astype(np.int64)
    flips = np.packbits(numbers < threshold - 2**31, bitorder="little")
    return bytes(np.bitwise_xor(np.frombuffer(code, np.uint8), flips))


def distances(codes: NDArray[np.uint64], code: bytes) -> NDArray[np.int64]:
    """Return the Hamming distance from ``code`` to each of ``codes`` uint64[n, bits / 64]."""
    differing = np.ascontiguousarray(codes).view(np.uint8) ^ np.frombuffer(code, np.uint8)
    result: NDArray[np.int64] = _BITS_OF_BYTE[differing].sum(axis=1, dtype=np.int64)
    return result


Read = Callable[[int], bytes]
"""Gives the next random bytes."""


@dataclass(frozen=True)
class GoldenRelease:
    """What a mechanism did with a code.

    Attributes:
        word_id: the word that it chose.
        details: what it went through, as a golden case records it.
    """

    word_id: int
    details: dict[str, int | str]


def brr(codes: NDArray[np.uint64], code: bytes, epsilon: float, read: Read) -> GoldenRelease:
    """BRR, Algorithm 3: randomized response, then the nearest code, ties to the lower rank."""
    threshold = flip_threshold(epsilon)
    noised = flip(code, read(32 * len(code)), threshold)
    to_all = distances(codes, noised)
    nearest = int(to_all.argmin())
    return GoldenRelease(
        nearest,
        {"threshold": threshold, "noised": noised.hex(), "distance": int(to_all[nearest])},
    )


def vickrey(
    codes: NDArray[np.uint64],
    code: bytes,
    epsilon: float,
    read: Read,
    t: float | Sequence[float] = DEFAULT_T,
) -> GoldenRelease:
    """Vickrey, Algorithm 1 (a number t) or 3 (a list), with every word a candidate."""
    threshold = flip_threshold(epsilon)
    noised = flip(code, read(32 * len(code)), threshold)
    to_all = distances(codes, noised)
    candidates = np.argsort(to_all, kind="stable")[: len(t) if isinstance(t, Sequence) else 2]
    weights = vickrey_weights(to_all[candidates].tolist(), t)
    chosen = pick(weights, uniform_below(sum(weights), read))
    word_id = int(candidates[chosen])
    return GoldenRelease(
        word_id,
        {
            "threshold": threshold,
            "noised": noised.hex(),
            "rank": chosen,
            "distance": int(to_all[word_id]),
        },
    )


def vickrey_weights(distances: Sequence[int], t: float | Sequence[float]) -> list[int]:
    """Return w_1 ... w_k, for the distances d_1 ... d_k of the nearest from a noised code."""
    if isinstance(t, Sequence):
        exponents = [Fraction(rate) * d for rate, d in zip(t, distances, strict=True)]
        return [_floor(2**32, min(exponents) - exponent) for exponent in exponents]
    second = round(t * 2**32)
    weights = [(2**32 - second) * distances[1], second * distances[0]]
    return weights if any(weights) else [2**32 - second, second]


def exponential(
    codes: NDArray[np.uint64],
    code: bytes,
    epsilon: float,
    read: Read,
    radius: int | None = None,
    slope: float | None = None,
) -> GoldenRelease:
    """The exponential mechanism: a distance by its total weight, then a word at that distance.

    The slope is epsilon / 2, unless a certificate gives another.
    """
    to_all = distances(codes, code).tolist()
    exact = Fraction(epsilon) / 2 if slope is None else Fraction(slope)
    totals = exponential_weights(to_all, exact, 8 * len(code), radius)
    distance = pick(totals, uniform_below(sum(totals), read))
    there = [i for i, d in enumerate(to_all) if d == distance]
    word_id = there[uniform_below(len(there), read)]
    return GoldenRelease(word_id, {"distance": distance})


def exponential_weights(
    distances: Sequence[int], slope: Fraction, bits: int, radius: int | None
) -> list[int]:
    """Return h[d] * W[d] for d = 0 ... bits, for the distances of all words from a code."""
    radius = bits // 8 if radius is None else radius
    weights = weight_table(slope, bits, len(distances), radius)
    counts = Counter(distances)
    return [weight * counts[d] for d, weight in enumerate(weights)]


def weight_table(slope: Fraction, bits: int, vocabulary_size: int, radius: int = 0) -> list[int]:
    """Return W[0..bits]: floor((2^63 - 1) / n), then ceil(W[d] * 2^64 / G)."""
    within, beyond = _floor(2**64, slope / 8), _floor(2**64, slope)
    weights = [(2**63 - 1) // vocabulary_size]
    for distance in range(bits):
        growth = within if distance < radius else beyond
        weights.append((weights[-1] * 2**64 + growth - 1) // growth)
    return weights


def uniform_below(bound: int, read: Read) -> int:
    """Return the first 8-byte number that is below the bound once cut to the bound's bits."""
    bits = (bound - 1).bit_length()
    while True:
        number = int.from_bytes(read(8), "little") % (1 << bits)
        if number < bound:
            return number


def pick(weights: Sequence[int], number: int) -> int:
    """Return the first index up to which the weights sum to more than ``number``."""
    index = 0
    while number >= sum(weights[: index + 1]):
        index += 1
    return index


def _floor(scale: int, exponent: Fraction) -> int:
    """Return floor(scale * e^exponent) from a 100-digit exponential."""
    with localcontext() as context:
        context.prec = 100
        power = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        return int((scale * power).to_integral_value(rounding=ROUND_FLOOR))


MECHANISMS: dict[str, Callable[..., GoldenRelease]] = {
    "brr": brr,
    "vickrey": vickrey,
    "exponential": exponential,
}
"""By the names of ``brr_runtime.mechanisms.MECHANISMS``."""
