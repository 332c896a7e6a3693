"""The central guarantee of a shuffler for many reporters' counts.

A report is the output of k-ary randomized response: the reporter's own symbol with probability a,
else one of k symbols drawn uniformly, K(y|x) = a [x = y] + (1 - a) / k. All reports are seen
together without their order, and so as a histogram. The privacy blanket (Balle, Bell, Gascon and
Nissim, CRYPTO 2019) bounds the loss of one report in N. Among all decompositions of the other
reports, including clones (Feldman, McMillan and Talwar, FOCS 2021 and SODA 2023), it gives the
smallest loss (Su, Cheng and Wang, arXiv 2504.07414). A reporter's m reports are replaced one by
one.

The search for epsilon is in floating point, and errs on the safe side. All sums have positive
terms, so rounding changes them by less than _ROUNDOFF_SLACK; omitted terms are bounded, and added.
The result doesn't depend on this: ``shuffled_bound`` checks it with integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.channel.privacy_loss.shuffled_bound import (
    MOST_PAIRS,
    MOST_REPORTS,
    Precision,
    delta_high,
)
from brrkit_toolchain.io.compiled import compiled

BLANKET = "blanket"
LOCAL = "local"

_ROUNDOFF_SLACK = 1e-9
"""More than the relative error of a result. A chance in a window of w numbers is a product of at
most w rounded ratios, each wrong by less than 4 units of 2^-53, divided by the sum of such
products. With MOST_REPORTS reports, w is below 10^6, so this error is below 5e-10. The logarithm of
a row's first chance is wrong by less than 10^-11, and _DROPPED_SHARE is cut off."""

_FACTOR_MARGIN = 1e-12
"""Relative reduction of the factor e^epsilon. It exceeds the rounding errors of the two subtracted
numbers, whose relative errors are 10^-15 each."""

_UNDERFLOW = 1e-250
"""More than the sum of all terms that are too small for a double."""

_TAIL_SHARE = 1e-4  # share of delta that is cut off at each end
_BLOCKS_OF_SIZES = 1_000  # blanket sizes of a block differ by at most one part in this many
_EPSILON_PRECISION = 1e-6  # relative
_LEAST_EPSILON = 1e-12
_LARGEST_EXPONENT = 600.0
_DROPPED_SHARE = 1e-10  # of a row's sum


@dataclass(frozen=True)
class ShufflingGuarantee:
    """A central guarantee: Pr[M(D) in Z] <= e^epsilon Pr[M(D') in Z] + delta.

    D and D' differ in all reports of one reporter.

    Attributes:
        epsilon: privacy loss of a reporter, rounded up.
        delta: the given delta; 0 if ``bound`` is ``LOCAL``.
        bound: ``BLANKET``; or ``LOCAL`` if no gain from the shuffler is proven.
        local: epsilon of a reporter without a shuffler, at delta = 0.
    """

    epsilon: float
    delta: float
    bound: str
    local: float


def shuffling_guarantee(
    kept: Fraction | float, symbols: int, reports: int, each: int, delta: float
) -> ShufflingGuarantee:
    """Return the guarantee for a reporter whose reports are shuffled with others.

    Proof, with its assumptions: ``docs/explanation/proofs.md``, "Shuffled reports".

    Args:
        kept: a, the exact probability that a report keeps the reporter's own symbol, without those
            drawn by chance; between 0 and 1, both excluded.
        symbols: k, the number of symbols, 2 or more.
        reports: N, the number of reports that are shuffled together, from honest reporters. They
            are independent draws: with a keyed memory, at most one of each reporter in a period.
        each: m, the largest number of reports from one reporter.
        delta: between 0 and 1, both excluded.

    Raises:
        ParameterError: an argument is out of range.
    """
    above = _not_below(kept)
    _check(above, symbols)
    if not 0 < delta < 1:
        raise ParameterError(f"delta must be between 0 and 1, not {delta}; 1e-6 is usual")
    for name, number in (("reports", reports), ("each", each)):
        if number < 1:
            raise ParameterError(f"{name} must be 1 or more, not {number}")
    one = local_loss(above, symbols)
    low, high = 0.0, one
    while high - low > _EPSILON_PRECISION * high and high > _LEAST_EPSILON:
        middle = (low + high) / 2
        if _is_proven(above, symbols, reports, each, delta, middle):
            high = middle
        else:
            low = middle
    step = _EPSILON_PRECISION
    while high < one and not _is_certain(Fraction(kept), symbols, reports, each, delta, high):
        high *= 1 + step
        step *= 2
    local = each * one * (1 + _FACTOR_MARGIN)
    if high >= one:
        return ShufflingGuarantee(local, 0.0, LOCAL, local)
    return ShufflingGuarantee(each * high * (1 + _FACTOR_MARGIN), delta, BLANKET, local)


def local_loss(kept: float, symbols: int) -> float:
    """Return the largest loss between two symbols of one report, ln(1 + k a / (1 - a)), rounded up.

    Raises:
        ParameterError: ``kept`` or ``symbols`` is out of its range.
    """
    _check(kept, symbols)
    return math.log1p(symbols * kept / (1 - kept)) * (1 + _FACTOR_MARGIN)


def blanket(kept: float, symbols: int, reports: int, epsilon: float, tail: float) -> float:
    """Return a delta with which one report among ``reports`` loses at most ``epsilon``.

    Proof: ``docs/explanation/proofs.md``, "Shuffled reports". The number of the others' blanket
    reports is binomial. Similar numbers are treated as the smallest of them, since more reports
    hide better.

    Args:
        kept: a.
        symbols: k.
        reports: N, including this report.
        epsilon: not negative.
        tail: probability that may be cut off at each end of a distribution. The result includes all
            four of these.
    """
    sizes = min(reports, MOST_REPORTS) - 1
    first, chances = _binomial(sizes, 1 - kept, kept, tail)
    most = symbols * MOST_PAIRS // 2
    block = max(first // _BLOCKS_OF_SIZES, 1)
    total = 4 * tail
    for start in range(0, len(chances), block):
        size = first + start
        if size >= most:
            total += float(chances[start:].sum()) * _excess(kept, symbols, most, epsilon, tail)
            break
        share = float(chances[start : start + block].sum())
        total += share * _excess(kept, symbols, size, epsilon, tail)
    return total * (1 + _ROUNDOFF_SLACK) + _UNDERFLOW


def _check(kept: float, symbols: int) -> None:
    if not 0 < kept < 1:
        raise ParameterError(f"kept must be between 0 and 1, not {kept}: it is a probability")
    if symbols < 2:
        raise ParameterError(f"symbols must be 2 or more, not {symbols}")


def _not_below(kept: Fraction | float) -> float:
    nearest = float(kept)
    return math.nextafter(nearest, 1) if nearest < kept else nearest


def _is_certain(
    kept: Fraction, symbols: int, reports: int, each: int, delta: float, epsilon: float
) -> bool:
    """Return whether integers confirm that m steps have at most ``delta`` together."""
    fine = Precision.for_delta(symbols, reports, each, epsilon, delta)
    found = delta_high(kept, symbols, reports, each, Fraction(epsilon), fine)
    return found <= delta


def _is_proven(
    kept: float, symbols: int, reports: int, each: int, delta: float, epsilon: float
) -> bool:
    """Return whether m steps with the loss ``epsilon`` each have at most ``delta`` together."""
    if each * epsilon > _LARGEST_EXPONENT:
        return False
    # The sum of e^(i epsilon).
    steps = math.expm1(each * epsilon) / math.expm1(epsilon) * (1 + _ROUNDOFF_SLACK)
    tail = max(_TAIL_SHARE * delta / steps, _UNDERFLOW)
    return blanket(kept, symbols, reports, epsilon, tail) * steps <= delta


def _excess(kept: float, symbols: int, size: int, epsilon: float, tail: float) -> float:
    """Return delta if ``size`` blanket reports hide one report, without the two tails.

    The sum over s, the reports of the two symbols in question, which are Bin(size + 1, 2 / k), and
    over h, those of the first, Bin(s, 1/2), of (a k h / (size + 1) + g - e^epsilon (...))_+.
    """
    pairs = size + 1
    if symbols == 2:
        first, chances = pairs, np.ones(1)
    else:
        first, chances = _binomial(pairs, 2 / symbols, 1 - 2 / symbols, tail)
    slope = kept * symbols / pairs
    return float(_sum(first, chances, slope, 1 - kept, math.exp(epsilon) * (1 - _FACTOR_MARGIN)))


def _binomial(
    trials: int, chance: float, other: float, tail: float
) -> tuple[int, NDArray[np.float64]]:
    """Return the window of Bin(trials, chance) outside of which there is ``tail`` at either end.

    By Bernstein's inequality. Its upper end is one further, for the larger one of two inputs'
    distributions, which certainly includes one report.

    Args:
        trials: number of trials.
        chance: probability of success; less than 1.
        other: 1 - chance, without the error of this subtraction.
        tail: above 0.

    Returns:
        The first number of successes, and float64[w], the probability of it and of the next ones,
        each divided by their sum: never less than the exact values.
    """
    exponent = -math.log(tail)
    mean = trials * chance
    wide = exponent / 3 + math.sqrt(exponent * (exponent / 9 + 2 * mean * other))
    first = max(math.floor(mean - wide), 0)
    last = min(math.ceil(mean + wide) + 1, trials)
    mode = min(max(math.floor((trials + 1) * chance), first), last)
    up = np.arange(mode, last)
    down = np.arange(mode, first, -1)
    rising = np.cumprod((trials - up) / (up + 1) * (chance / other))
    falling = np.cumprod(down / (trials - down + 1) * (other / chance))
    chances = np.concatenate([falling[::-1], [1.0], rising])
    return first, chances / chances.sum()


@compiled
def _sum(
    first: int, chances: NDArray[np.float64], slope: float, rest: float, factor: float
) -> float:
    total = 0.0
    for i in range(len(chances)):
        total += chances[i] * _row(first + i, slope, rest, factor)
    return total


@compiled
def _row(s: int, slope: float, rest: float, factor: float) -> float:
    """Return the mean over h ~ Bin(s, 1/2) of the positive part of a linear function of h.

    This is slope h + rest - factor (slope (s - h) + rest). The terms' ratios decrease, so the terms
    after any one sum to less than a geometric series.
    """
    zero = (factor * s + (factor - 1) * rest / slope) / (1 + factor)
    h = min(max(int(min(zero, float(s))) - 1, 0), s)
    chance: float = _half(s, h)
    total = 0.0
    while h <= s:
        value = (slope * h + rest) - factor * (slope * (s - h) + rest)
        step = (s - h) / (h + 1)
        if value > 0:
            term = chance * value
            total += term
            ratio = step * (1 + slope * (1 + factor) / value)
            if ratio < 1 and term * ratio <= _DROPPED_SHARE * total * (1 - ratio):
                break
        chance *= step
        h += 1
    return total


@compiled
def _half(s: int, h: int) -> float:
    """Return the probability of h for Bin(s, 1/2), in Loader's form: no large numbers cancel."""
    if h in (0, s):
        return math.exp(-s * math.log(2.0))
    u = (2 * h - s) / s
    deviance = s / 2 * ((1 + u) * math.log1p(u) + (1 - u) * math.log1p(-u))
    beyond = _stirling(s) - _stirling(h) - _stirling(s - h) - deviance
    return math.exp(beyond) * math.sqrt(s / (2 * math.pi * h * (s - h)))


@compiled
def _stirling(x: int) -> float:
    """Return ln x! less Stirling's formula, to 3e-12."""
    if x < 16:
        return math.lgamma(x + 1.0) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
    return (1 / 12 - (1 / 360 - 1 / 1260 / (x * x)) / (x * x)) / x
