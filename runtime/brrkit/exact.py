"""Probabilities as integers: what decides a random outcome, computed without floating point.

``exp`` of a C library differs by an ulp between platforms, and one ulp too much would release
more than was promised. Here e^x is enclosed between two integers, with any number of bits, by
operations that every language has (add, multiply, shift, divide on big integers).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from brrkit.errors import ParameterError

EPSILON_MIN = 1e-9
"""Below about 9.3e-10 the flip probability of 32 bits can't be told from one half."""

EPSILON_MAX = 22.18
"""Above ln(2**32 - 1) = 22.1807... even one in 2**32 would flip too rarely for the request."""

CAP_MIN = 1e-9
"""A cap below that is a mechanism that says nothing."""

CAP_MAX = 88.0
"""W[0] is below 2^63, and e^(88 / 2) is above: no larger cap makes a difference."""

KEEP_ONE = 1 << 63
"""A probability of one, as ``keep_threshold`` counts it."""

_GENTLER_WITHIN_RADIUS = 8
"""How many times more gently weights fall within the radius than beyond it, and why:
``docs/explanation/mechanisms.md``."""


def as_number(value: object) -> float:
    """Return ``value`` as a float, or NaN, which no range admits, if it isn't a number."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float.

    Raises:
        ParameterError: it isn't a finite number in [EPSILON_MIN, EPSILON_MAX].
    """
    value = as_number(epsilon)
    if not EPSILON_MIN <= value <= EPSILON_MAX:
        raise ParameterError(
            f"epsilon must be a number from {EPSILON_MIN:g} to {EPSILON_MAX:g} "
            f"(per bit of Hamming distance), not {value:g}"
        )
    return value


def check_cap(cap: float) -> float:
    """Return ``cap`` as a float.

    Raises:
        ParameterError: it isn't a number in [CAP_MIN, CAP_MAX].
    """
    value = as_number(cap)
    if not CAP_MIN <= value <= CAP_MAX:
        raise ParameterError(f"cap must be a number from {CAP_MIN:g} to {CAP_MAX:g}")
    return value


def default_second_epsilon(epsilon: float) -> float:
    """Return the epsilon of the second draws of a memory whose first draws have ``epsilon``."""
    return min(2 * epsilon, EPSILON_MAX)


def default_second_cap(cap: float) -> float:
    """Return the cap of the second reports of a memory whose first ones have ``cap``."""
    return min(2 * cap, CAP_MAX)


def exp_bounds(x: Fraction, precision: int) -> tuple[int, int]:
    """Return integers (low, high) with low <= e^x * 2^precision <= high, for x >= 0.

    Taylor series of x / 2^k < 2^-8, then k squarings; every step rounds down for ``low`` and up
    for ``high``. The results are the same integers in every implementation.

    Args:
        x: the exponent, a non-negative rational.
        precision: number of fractional bits, at least 16.
    """
    one = 1 << precision
    halvings = math.floor(x).bit_length() + 8
    numerator = x.numerator << precision
    denominator = x.denominator << halvings
    reduced_low = numerator // denominator
    reduced_high = -(-numerator // denominator)

    low = term = one
    index = 1
    while term:
        term = (term * reduced_low >> precision) // index
        low += term
        index += 1

    high = term = one
    index = 1
    while term > 1:
        term = -(-term * reduced_high // (one * index))
        high += term
        index += 1
    high += 1  # the omitted terms sum to less than the last one, which was at most 1

    for _ in range(halvings):
        low = low * low >> precision
        high = -(-high * high >> precision)
    return low, high


def _settle(x: Fraction, evaluate: Callable[[int, int], int], precision: int = 64) -> int:
    """Return the integer that ``evaluate(e^x * 2^precision, precision)`` gives for exact e^x.

    ``evaluate`` is monotonic and never jumps exactly at e^x, which is transcendental for x > 0:
    so with enough bits both ends of the enclosure agree. The first ``precision`` only saves time.
    """
    while True:
        low, high = (evaluate(bound, precision) for bound in exp_bounds(x, precision))
        if low == high:
            return low
        precision *= 2


def flip_threshold(epsilon: float) -> int:
    """Return T = ceil(2^32 / (1 + e^epsilon)): flip when a uniform 32-bit number is below T.

    The double ``epsilon`` is taken as the exact rational that it is, and T is the one correct
    integer (BRR, Algorithm 2, with the probability rounded toward more flips).
    Proof: ``docs/explanation/proofs.md``, "The randomizer".

    Raises:
        ParameterError: epsilon is out of range.
    """
    return _settle(
        Fraction(check_epsilon(epsilon)),
        lambda e, precision: -(-(1 << 32 + precision) // ((1 << precision) + e)),
    )


def keep_threshold(cap: float, symbols: int) -> int:
    """Return T = floor(2^63 (e^cap - 1) / (e^cap - 1 + symbols)): keep a symbol below T.

    Otherwise any of the symbols is drawn uniformly. The double ``cap`` is taken as the exact
    rational that it is. Proof that no two symbols lose more:
    ``docs/explanation/proofs.md``, "Counts".

    Args:
        cap: from CAP_MIN to CAP_MAX.
        symbols: their number k.
    """

    def threshold(e: int, precision: int) -> int:
        gain = e - (1 << precision)
        return (gain << 63) // (gain + (symbols << precision))

    return _settle(Fraction(cap), threshold, 192)


def threshold_epsilon(threshold: int) -> float:
    """Return ln((2^32 - T) / T), the epsilon per bit that a flip threshold T gives, rounded up."""
    return log_up(2**32 - threshold, threshold)


def weights_epsilon(weights: Sequence[int]) -> float:
    """Return 2 ln(max W[d] / W[d+1]), the epsilon that a weight table gives, rounded up.

    The exponential mechanism loses half of it by the weight and half by the normalizer.
    Proof: ``docs/explanation/proofs.md``, "exponential".
    """
    steepest = (1, 1)
    for near, far in pairwise(weights):
        if near * steepest[1] > far * steepest[0]:
            steepest = (near, far)
    return 2 * log_up(*steepest)


def log_up(numerator: int, denominator: int, parts: int = 1) -> float:
    """Return the smallest double that isn't below ln(numerator / denominator) / parts >= 0."""

    def reaches(x: float) -> bool:
        whole = parts * Fraction(x)
        return bool(_settle(whole, lambda e, p: e * denominator >= numerator << p, 128))

    # Off by some ulps, up or down.
    value = math.log1p((numerator - denominator) / denominator) / parts
    while not reaches(value):
        value = math.nextafter(value, math.inf)
    while value > 0 and reaches(below := math.nextafter(value, 0)):
        value = below
    return value


def decay(x: Fraction) -> int:
    """Return floor(2^32 * e^-x) for x >= 0."""
    if x == 0:
        return 1 << 32
    if x >= 23:  # 2^32 < e^22.2
        return 0
    return _settle(x, lambda e, precision: (1 << 32 + precision) // e)


def weight_table(
    epsilon: float, bits: int, total: int, radius: int = 0, cap: float | None = None
) -> list[int]:
    """Return the weights W[0..bits] of the exponential mechanism, as integers.

    W[0] = floor((2^63 - 1) / total), so that any total over the vocabulary fits a signed 64-bit
    integer; W[d+1] = ceil(W[d] * 2^64 / G) with G = floor(2^64 * e^(epsilon / 2)), and with G =
    floor(2^64 * e^(epsilon / 16)) for d < radius. Hence W[d] <= e^(epsilon / 2) * W[d+1] exactly,
    W never increases, and it stays constant where the integers run out. With a cap, W[d] is at
    least ceil(W[0] / e^(cap / 2)), the exponential rounded down to a 2^64th. Proof:
    ``docs/explanation/proofs.md``, "exponential".

    Args:
        epsilon: per bit of Hamming distance, taken as the exact rational that it is.
        bits: length of a code.
        total: what no sum of the base measure over the vocabulary exceeds.
        radius: in bits, from 0 to ``bits``.
        cap: largest loss between any two words, from CAP_MIN to CAP_MAX; None for none.

    Raises:
        ParameterError: epsilon is out of range.
    """
    half = Fraction(check_epsilon(epsilon)) / 2
    weights = [(2**63 - 1) // total]
    least = 0 if cap is None else -(-(weights[0] << 64) // _growth(Fraction(cap) / 2))
    for share, steps in ((_GENTLER_WITHIN_RADIUS, radius), (1, bits - radius)):
        growth = _growth(half / share)
        for _ in range(steps):
            weights.append(max(-(-(weights[-1] << 64) // growth), least))
    return weights


def _growth(exponent: Fraction) -> int:
    """Return floor(2^64 * e^exponent)."""
    return _settle(exponent, lambda e, precision: e >> (precision - 64))
