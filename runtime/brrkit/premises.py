"""What the proofs ask of the integers that decide a draw, checked where they are computed.

``brrkit.exact`` computes no others, for any setting that is in range; a faulty machine, or a fault
of ours, might. The checks are those of the machine-checked proofs (``proofs/theories/Checker.v``),
with e^x rounded down to 256 bits, where the integers were computed with fewer.
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
        epsilon: per bit of distance.
        largest: the largest distance L that two codes can have.
        total: what no sum of the base measure over the vocabulary exceeds.
        cap: largest loss between any two words; None for none.

    Raises:
        ParameterError: they aren't positive and falling, one for each distance; the first isn't
            what ``total`` leaves of 2^63 - 1; a step loses more than epsilon / 2; or the last is
            below e^(-cap / 2) times the first.
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
        ParameterError: it is above one half, or a bit loses more than epsilon.
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
    """Tell whether a ratio is at most a power."""
    return numerator << _BITS <= denominator * power


def _expect(holds: bool) -> None:
    if not holds:
        raise ParameterError(
            "the integers computed for this setting fail the premises of the proofs; this machine "
            "or this version of brrkit is faulty: try others, and report it"
        )
