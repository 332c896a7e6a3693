"""The delta of shuffled reports, rounded up: an upper bound by integers alone.

``proofs/theories/ShuffledDelta.v`` has the same functions, and ``ShuffledGuarantee.v`` the theorem
about them, ``shuffled_guarantee``; it holds for every precision. A test compares the integers.

A weight is a pair of integers that enclose a chance. Their unit stays open until all weights are
known, whose sum is at most 1. The delta is a mean over the blanket's size, then over s, the number
of reports of the two symbols, and then over h, those of the first symbol: the mean of the positive
part of h - c. The mean for s + 1 follows from that for s, so no row is summed twice.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log, log2
from typing import NamedTuple

from brrkit.exact import exp_bounds

MOST_REPORTS = 10**9
"""Largest number of reports that count. Attackers may know the others."""

MOST_PAIRS = 10**6
"""Largest mean number of blanket reports of the two compared symbols. Attackers may know the
others, and the sum stays short."""

_PARTS = 2_000  # blanket sizes of a block differ by at most one part in this many
_NEAR = 32  # or by one part in this many of their distance from the most frequent size
_EXPONENT_BITS = 256
_STOP_BITS = 64
_SPARE_BITS = 32

Entries = list[tuple[int, int]]


class Precision(NamedTuple):
    """The precision of the computation; with any precision, the result is an upper bound.

    Attributes:
        unit: the integer for the number 1; 1 or more.
        stop: a weight so small, compared with ``unit``, that smaller ones are only bounded.
    """

    unit: int
    stop: int

    @classmethod
    def for_delta(
        cls, symbols: int, reports: int, each: int, epsilon: float, delta: float
    ) -> Precision:
        """Return a precision with small errors compared with ``delta``."""
        steps = each * epsilon / log(2)
        bits = ceil(log2(min(reports, MOST_REPORTS)) + log2(symbols) + steps - log2(delta))
        return cls(1 << bits + _SPARE_BITS + _STOP_BITS, 1 << _STOP_BITS)


class _Window(NamedTuple):
    outside: int
    first: int
    inner: Entries


def delta_high(
    keep: Fraction,
    symbols: int,
    reports: int,
    each: int,
    epsilon: Fraction,
    precision: Precision,
) -> Fraction:
    """Return a delta with which each of a reporter's reports loses at most ``epsilon``.

    Args:
        keep: a, the exact probability that a symbol is kept; between 0 and 1, both excluded.
        symbols: k, 2 or more.
        reports: N, number of shuffled reports, 1 or more.
        each: m, number of reports from one reporter.
        epsilon: epsilon of one report, not negative.
        precision: the precision; a finer one takes longer, and gives a smaller bound.
    """
    one = keep.denominator
    exponent_unit = 1 << _EXPONENT_BITS
    factor = max(exponent_unit, exp_bounds(epsilon, _EXPONENT_BITS)[0])
    delta = _one_high(
        one,
        keep.numerator,
        symbols,
        factor,
        exponent_unit,
        precision,
        min(reports, MOST_REPORTS) - 1,
    )
    total = 0
    for _ in range(each):
        total = delta + _up(factor * total, exponent_unit)
    return Fraction(total, precision.unit)


def _up(a: int, b: int) -> int:
    return -(-a // b)


def _climb(u: int, v: int, stop: int, n: int, i: int, unit: int) -> tuple[int, Entries]:
    """Return a bound on the tail's weight, and the weights after ``i``, relative to that of ``i``.

    The weights are lower and upper bounds. Each of n trials succeeds with the chance u / (u + v).
    """
    low = high = unit
    found: Entries = []
    while i < n:
        numerator, denominator = (n - i) * u, (i + 1) * v
        if high <= stop and numerator <= denominator:
            return (n - i) * high, found
        low, high = low * numerator // denominator, _up(high * numerator, denominator)
        found.append((low, high))
        i += 1
    return 0, found


def _descend(
    u: int, v: int, stop: int, n: int, i: int, unit: int, after: Entries
) -> tuple[int, int, Entries]:
    """Return a bound on the weight below, the first number, and all weights from it."""
    low = high = unit
    found = [(low, high)]
    below = 0
    while i:
        numerator, denominator = i * v, (n - i + 1) * u
        if high <= stop and numerator <= denominator:
            below = i * high
            break
        low, high = low * numerator // denominator, _up(high * numerator, denominator)
        found.append((low, high))
        i -= 1
    found.reverse()
    return below, i, found + after


def _window_of(u: int, v: int, precision: Precision, n: int, center: int) -> _Window:
    unit, stop = precision
    beyond, after = _climb(u, v, stop, n, center, unit)
    below, first, inner = _descend(u, v, stop, n, center, unit, after)
    return _Window(below + beyond, first, inner)


def _mean_high(window: _Window, values: list[int], most: int) -> int:
    """Return an upper bound on the mean of ``values`` in a window, and ``most`` outside of it."""
    weighed = sum(high * value for (_, high), value in zip(window.inner, values, strict=True))
    return _up(weighed + window.outside * most, sum(low for low, _ in window.inner))


def _one_high(
    one: int, keep: int, symbols: int, factor: int, exponent_unit: int, precision: Precision, n: int
) -> int:
    """Return delta for one report among ``n`` others, in units."""
    center = min(n, (n + 1) * (one - keep) // one)
    window = _window_of(one - keep, keep, precision, n, center)
    most_given = symbols * MOST_PAIRS // 2
    values: list[int] = []
    m, end = window.first, window.first + len(window.inner)
    latest = (-1, 0)
    while m < end:
        size = min(m, most_given)
        if size != latest[0]:
            given = _given_high(one, keep, symbols, factor, exponent_unit, precision, size)
            latest = size, given
        block = min(max(m // _PARTS, abs(m - center) // _NEAR, 1), end - m)
        values += [latest[1]] * block
        m += block
    return _mean_high(window, values, precision.unit)


def _given_high(
    one: int, keep: int, symbols: int, factor: int, exponent_unit: int, precision: Precision, m: int
) -> int:
    """Return delta for one report among ``m`` uniform symbols, in units."""
    n, unit = m + 1, precision.unit
    slope = keep * symbols * (exponent_unit + factor)
    fall = keep * symbols * factor
    start = (factor - exponent_unit) * (one - keep) * n
    window = _window_of(2, symbols - 2, precision, n, min(n, (n + 1) * 2 // symbols))
    divisor, lost = _rows(slope, fall, start, precision, len(window.inner), window.first)
    high = _mean_high(window, lost, slope * n * divisor)
    return min(unit, _up(high * unit, n * one * exponent_unit * divisor))


def _rows(
    slope: int, fall: int, start: int, precision: Precision, rows: int, s: int
) -> tuple[int, list[int]]:
    """Return delta for ``s`` reports of the two symbols, for s + 1, and so on.

    The first result is their divisor. They are upper bounds on the mean of the positive part of
    slope h - fall s - start, where h of s reports are of the first symbol, binomial with the chance
    1/2.
    """
    lost: list[int] = []
    end = s + rows
    while s < end and (t := (fall * s + start) // slope) > s:
        lost.append(0)
        s += 1
    if s == end:
        return 1, lost
    # Bounds on the chances of h = t and of h >= t, and on the mean of the positive part of h - t.
    unit, stop = precision
    beyond, after = _climb(1, 1, stop, s, t, unit)
    divisor = sum(low for low, _ in _descend(1, 1, stop, s, t, unit, after)[2])
    point_low = point_high = unit
    tail_low = unit + sum(low for low, _ in after)
    tail_high = unit + sum(high for _, high in after) + beyond
    excess = sum(j * high for j, (_, high) in enumerate(after, 1)) + beyond * s
    while True:
        bar = fall * s + start
        lost.append(max(slope * excess - (bar - slope * t) * max(tail_low - point_high, 0), 0))
        if s + 1 == end:
            return divisor, lost
        denominator = 2 * (s + 1 - t)
        excess += (tail_high + 1) // 2
        tail_low += point_low * t // denominator
        tail_high += _up(point_high * t, denominator)
        s += 1
        point_low = point_low * s // denominator
        point_high = _up(point_high * s, denominator)
        if slope * (t + 1) <= bar + fall:
            rest = max(tail_low - point_high, 0)
            excess = max(excess - rest, 0)
            tail_low, tail_high = rest, max(tail_high - point_low, 0)
            point_low = point_low * (s - t) // (t + 1)
            point_high = _up(point_high * (s - t), t + 1)
            t += 1
