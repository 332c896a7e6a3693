"""Discrete Laplace and discrete Gaussian noise on the integers, drawn exactly.

The distributions are those of Canonne, Kamath and Steinke ("The Discrete Gaussian for Differential
Privacy", NeurIPS 2020). They are drawn by inversion: a uniform number in the unit interval, with 64
known bits, is compared with the exact values of the distribution function, whose first 64 bits are
in a table. If both agree in all 64 bits, once in 10^15 draws, more bits of both are computed until
they differ. So every probability is the exact, irrational one, no floating point decides anything,
and a draw takes the same steps for any result.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from brrkit.exact import exp_bounds
from brrkit.randomness import RandomSource, draw

LAPLACE_SCALE = 1 << 16
"""t of the discrete Laplace distribution, P(x) proportional to e^(-|x| / t)."""

GAUSSIAN_SIGMA = 1 << 12
"""sigma of the discrete Gaussian distribution, P(x) proportional to e^(-x^2 / (2 sigma^2))."""

_BITS = 64  # of a uniform number that are drawn at a time
_GUARD = 64  # bits by which sums are computed more precisely, at first
_BASE = 1 << 10  # of the digits of a geometric variable

Enclosures = list[tuple[int, int]]
"""(low, high) for each of some reals x: low <= x * 2^precision <= high."""

Noise = Callable[[int, RandomSource], NDArray[np.int64]]
"""Takes a number of draws and a source of random bytes."""


class Inversion:
    """Exact draws from a distribution on 0, 1, 2, ... with irrational probabilities."""

    def __init__(self, cumulative: Callable[[int], Enclosures]) -> None:
        """Make the table.

        Args:
            cumulative: encloses P(X < 1), P(X < 2), ... with that many fractional bits: all that
                are below 1, or so many that 1 less the last one is less than 2^-precision. The
                enclosures get as narrow as one likes with more bits, and no P(X < i) is rational.
        """
        self._cumulative = cumulative
        self._table = np.array(self._floors(_BITS), np.uint64)
        self._ends = np.append(self._table, self._table[-1])  # a number above all equals none

    def __call__(self, count: int, random: RandomSource) -> NDArray[np.int64]:
        """Return int64[count] draws, from 8 bytes each."""
        uniform = np.frombuffer(draw(count * _BITS // 8, random), "<u8")
        places = self._table.searchsorted(uniform)
        # A uniform number differs from the values of the table as its first 64 bits do, unless
        # these are equal.
        for i in (self._ends[places] == uniform).nonzero()[0]:
            places[i] = self._settle(int(uniform[i]), random)
        return places.astype(np.int64, copy=False)

    def _settle(self, uniform: int, random: RandomSource) -> int:
        """Take more bits of a uniform number, until they distinguish it from every value."""
        precision = _BITS
        while True:
            precision += _BITS
            uniform = uniform << _BITS | int.from_bytes(draw(_BITS // 8, random), "little")
            floors = self._floors(precision)
            place = bisect_left(floors, uniform)
            if place == len(floors) or floors[place] != uniform:
                return place

    def _floors(self, precision: int) -> list[int]:
        """Return floor(2^precision * P(X < i)) for i = 1, 2, ..., up to the largest there is."""
        guard, largest = _GUARD, (1 << precision) - 1
        while True:
            enclosures = self._cumulative(precision + guard)
            lows = [low >> guard for low, _ in enclosures]
            # Every value is below 1, where an enclosure need not be.
            if lows == [min(high >> guard, largest) for _, high in enclosures]:
                return lows[: bisect_left(lows, largest) + 1]
            guard *= 2


def geometric(scale: int) -> Noise:
    """Return draws of G >= 0 with P(G = m) proportional to e^(-m / scale).

    G = _BASE * H + L, where H and L are independent: e^(-m / scale) is a product of a function of H
    and a function of L.
    """
    low, high = Inversion(lambda p: _low_digit(scale, p)), Inversion(lambda p: _rest(scale, p))
    return lambda count, random: _BASE * high(count, random) + low(count, random)


def _low_digit(scale: int, precision: int) -> Enclosures:
    """P(L < i) = (1 - q^i) / (1 - q^base) for i = 1 ... base - 1, q = e^(-1 / scale)."""
    powers = _powers(Fraction(1, scale), _BASE, precision)
    one = 1 << precision
    low, high = powers.pop()
    return [
        ((one - most << precision) // (one - low), -(-(one - least << precision) // (one - high)))
        for least, most in powers
    ]


def _rest(scale: int, precision: int) -> Enclosures:
    """P(H < i) = 1 - q^(base * i) for i = 1, 2, ..."""
    count = (precision + 1) * scale // _BASE + 2  # e > 2: the last power is below 2^-precision
    one = 1 << precision
    return [
        (one - high, one - low) for low, high in _powers(Fraction(_BASE, scale), count, precision)
    ]


def half_gaussian(sigma: int) -> Inversion:
    """Return draws of |X| for a discrete Gaussian X: P(0) and 2 P(m), m = 1, 2, ..."""
    return Inversion(lambda precision: _magnitude(sigma, precision))


def _magnitude(sigma: int, precision: int) -> Enclosures:
    """P(|X| < i) for i = 1, 2, ..., with e^(-m^2 / 2 sigma^2) as a product of its ratios."""
    two = Fraction(1, 2 * sigma**2)
    (step_low, step_high), (square_low, square_high) = _powers(two, 2, precision)
    term_low = term_high = 1 << precision
    sums = [(term_low, term_high)]
    while term_high >> _GUARD // 2:  # rounding up keeps it from 0
        # e^(-m^2 x) = e^(-(m-1)^2 x) * e^(-(2m-1) x)
        term_low = term_low * step_low >> precision
        term_high = -(-term_high * step_high >> precision)
        step_low = step_low * square_low >> precision
        step_high = -(-step_high * square_high >> precision)
        low, high = sums[-1]
        sums.append((low + 2 * term_low, high + 2 * term_high))
    # The ratios fall, so the terms left out are below those of a geometric series.
    low, high = sums[-1]
    high += -(-2 * term_high * step_high // ((1 << precision) - step_high))
    return [((a << precision) // high, -(-(b << precision) // low)) for a, b in sums]


def _powers(x: Fraction, count: int, precision: int) -> Enclosures:
    """Enclose e^-x, e^-2x, ... e^(-count x)."""
    low, high = exp_bounds(x, precision)
    first_low, first_high = (1 << 2 * precision) // high, -(-(1 << 2 * precision) // low)
    powers = [(first_low, first_high)]
    while len(powers) < count:
        low, high = powers[-1]
        powers.append((low * first_low >> precision, -(-high * first_high >> precision)))
    return powers


@cache
def discrete_laplace(scale: int = LAPLACE_SCALE) -> Noise:
    """Return draws X with P(X = x) proportional to e^(-|x| / scale), made once.

    The difference of two geometric variables.

    Args:
        scale: t, an integer.
    """
    one = geometric(scale)
    return lambda count, random: one(count, random) - one(count, random)


@cache
def discrete_gaussian(sigma: int = GAUSSIAN_SIGMA) -> Noise:
    """Return draws X with P(X = x) proportional to e^(-x^2 / (2 sigma^2)), made once.

    Args:
        sigma: an integer.
    """
    magnitude = half_gaussian(sigma)

    def signed(count: int, random: RandomSource) -> NDArray[np.int64]:
        bits = np.frombuffer(draw(-(-count // 8), random), np.uint8)
        signs = 1 - 2 * np.unpackbits(bits)[:count].astype(np.int64)
        return signs * magnitude(count, random)

    return signed
