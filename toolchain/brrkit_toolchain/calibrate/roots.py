"""Searches for the epsilon at which a measure reaches a limit, and rounding to either side."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil, exp, floor, inf, log, log10

from scipy.optimize import brentq

LOG_ODDS_SLOPE = 2.5
"""Approximate slope of the log odds of a success over an epsilon's logarithm."""

_EPSILON_ACCURACY = 2e-4
"""Relative tolerance of a crossing."""

_EPSILON_DIGITS = 4
_LARGEST_STEP = 1.5
"""From one epsilon's logarithm to the next one's, where a crossing is sought by secants."""


def crossing(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return the epsilon at which ``gap`` changes its sign, to a few ten thousandths.

    Args:
        gap: function that is monotonic in epsilon.
        low: lower end of the search, above 0.
        high: upper end of the search. If the sign doesn't change between the ends, the result is
            the end with the smaller gap.
    """

    @cache
    def known(x: float) -> float:
        return gap(min(max(exp(x), low), high))

    first, last = log(low), log(high)
    if known(first) * known(last) > 0:
        return low if abs(known(first)) < abs(known(last)) else high
    root: float = brentq(known, first, last, xtol=_EPSILON_ACCURACY)
    return exp(root)


def crossing_near(
    gap: Callable[[float], float], start: float, low: float, high: float, accuracy: float
) -> float:
    """Return the epsilon at which the costly function ``gap`` changes its sign.

    The search uses secants, within known lower and upper bounds.

    Args:
        gap: function that grows with epsilon, nearly linearly with its logarithm.
        start: an epsilon near the crossing, from ``low`` to ``high``.
        low: smallest epsilon; the result if the gap is positive there.
        high: largest epsilon; the result if the gap is negative there.
        accuracy: relative size of the last step, whose gap isn't computed.
    """
    first, last, slope = log(low), log(high), LOG_ODDS_SLOPE
    x, below, above = min(max(log(start), first), last), -inf, inf
    before: tuple[float, float] | None = None
    while True:
        found = gap(min(max(exp(x), low), high))
        if found >= 0 and x == first:
            return low
        if found <= 0 and x == last:
            return high
        below, above = (max(below, x), above) if found < 0 else (below, min(above, x))
        if before is not None and (found - before[1]) * (x - before[0]) > 0:
            slope = (found - before[1]) / (x - before[0])
        before = x, found
        x = min(max(x + min(max(-found / slope, -_LARGEST_STEP), _LARGEST_STEP), first), last)
        if not below < x < above and above - below < inf:
            x = (below + above) / 2
        if min(abs(x - before[0]), above - below) <= accuracy:
            return exp(x)


def round_down(epsilon: float) -> float:
    """Return ``epsilon`` rounded down to four digits."""
    return round_to_meet(lambda _: True, epsilon, down=True)


def round_to_meet(met: Callable[[float], bool], epsilon: float, *, down: bool) -> float:
    """Return an epsilon of four digits that surely meets a goal.

    A root may be on either side of the limit, but the result must meet it. So the root is rounded
    to the right side, and its last digit is changed until the goal is met.

    Args:
        met: function that tells whether an epsilon meets the goal.
        epsilon: approximate limit.
        down: whether to round down.
    """
    unit: float = 10.0 ** (_EPSILON_DIGITS - 1 - floor(log10(epsilon)))
    number = floor(epsilon * unit) if down else ceil(epsilon * unit)
    while not met(number / unit):
        number += -1 if down else 1
    return number / unit
