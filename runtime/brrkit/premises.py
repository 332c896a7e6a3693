"""Checks of the proofs' premises about the integers that decide draws, after their computation.

For any setting in range, ``brrkit.exact`` computes integers that meet them, unless the machine or
the code is faulty. The checks are those of the machine-checked proofs
(``proofs/theories/Checker.v``), with e^x rounded down to 256 bits, more than in the computation of
the integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from brrkit.errors import ParameterError
from brrkit.exact import KEEP_ONE, exp_bounds

_BITS = 256
_FLIP_ONE = 1 << 32


def check_weights(
    weights: Sequence[int], epsilon: float, largest: int, total: int, cap: float | None
) -> None:
    """Check a table of ``exponential``.

    Args:
        weights: W[0], ..., W[L].
        epsilon: epsilon per bit of distance.
        largest: the largest possible distance L between two codes.
        total: upper bound on sums of the base measure over the vocabulary.
        cap: largest loss between any two words; None for none.

    Raises:
        ParameterError: the weights aren't positive and not increasing, one for each distance; the
            first isn't floor((2^63 - 1) / ``total``); a step loses more than epsilon / 2; or the
            last is below e^(-cap / 2) times the first.
    """
    step = _power(epsilon, 2)
    _expect(
        len(weights) == largest + 1
        and weights[0] == (KEEP_ONE - 1) // total
        and weights[-1] > 0
        and all(near >= far and _within(near, far, step) for near, far in pairwise(weights))
        and (cap is None or _within(weights[0], weights[-1], _power(cap, 2)))
    )


def check_flips(threshold: int, epsilon: float) -> None:
    """Check a flip threshold.

    Raises:
        ParameterError: the threshold means more than one half, or a bit loses more than epsilon.
    """
    kept = _FLIP_ONE - threshold
    _expect(threshold <= kept and _within(kept, threshold, _power(epsilon)))


def check_keep(threshold: int, cap: float, symbols: int) -> None:
    """Check a keep threshold.

    Raises:
        ParameterError: two of ``symbols`` lose more than the cap.
    """
    drawn = KEEP_ONE - threshold
    _expect(_within(drawn + symbols * threshold, drawn, _power(cap)))


def _power(exponent: float, divisor: int = 1) -> int:
    """Return e^(exponent / divisor), rounded down, in units of 2^-256."""
    low, _ = exp_bounds(Fraction(exponent) / divisor, _BITS)
    return low


def _within(numerator: int, denominator: int, power: int) -> bool:
    """Return whether a ratio is at most a power."""
    return numerator << _BITS <= denominator * power


def _expect(holds: bool) -> None:
    if not holds:
        raise ParameterError(
            "the integers computed for this setting fail the premises of the proofs; this machine "
            "or this version of brrkit is faulty: try others, and report it"
        )
