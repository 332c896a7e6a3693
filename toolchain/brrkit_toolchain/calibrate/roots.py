"""Where a measure reaches a limit, by SciPy's root finder; and roundings to either side of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil, exp, floor, inf, log, log10

from scipy.optimize import brentq

LOG_ODDS_SLOPE = 2.5
"""By which log odds of a success grow with an epsilon's logarithm, about."""

_EPSILON_ACCURACY = 2e-4
"""Relative, of a crossing."""

_EPSILON_DIGITS = 4
_LARGEST_STEP = 1.5
"""From one epsilon's logarithm to the next one's, where a crossing is sought by secants."""


def crossing(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return the epsilon at which ``gap`` changes its sign, to a few ten thousandths.

    Args:
        gap: changes one way with epsilon.
        low: where the search starts, above 0.
        high: where it ends. Whichever end is nearer is returned where there is no change between.
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
    """Return the epsilon at which ``gap``, which is costly, changes its sign.

    By secants, within what is known to be below and above it.

    Args:
        gap: grows with epsilon, nearly evenly with its logarithm.
        start: near it, from ``low`` to ``high``.
        low: the smallest epsilon, which is returned where the gap is positive there.
        high: the largest, which is returned where the gap is negative there.
        accuracy: relative, of the last step, which isn't looked at any more.
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
    """Return the next lower epsilon of four digits."""
    return round_to_meet(lambda _: True, epsilon, down=True)


def round_to_meet(met: Callable[[float], bool], epsilon: float, *, down: bool) -> float:
    """Return an epsilon of four digits that surely meets a goal.

    A root is on either side of the limit, and a chosen epsilon must be on the right one: so it is
    rounded to that side, and moved on by its last digit until it is there.

    Args:
        met: whether an epsilon meets the goal.
        epsilon: about where it begins to.
        down: to which side.
    """
    unit: float = 10.0 ** (_EPSILON_DIGITS - 1 - floor(log10(epsilon)))
    number = floor(epsilon * unit) if down else ceil(epsilon * unit)
    while not met(number / unit):
        number += -1 if down else 1
    return number / unit
