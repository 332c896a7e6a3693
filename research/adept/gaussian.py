"""The exact privacy curve of Gaussian noise, enclosed in rational numbers.

Noise of standard deviation sigma on what differs by Delta in L2 norm at most is (epsilon, delta)
private exactly for delta >= Q(a) - e^epsilon Q(b), where mu = Delta / sigma, a = epsilon / mu -
mu / 2, b = a + mu, and Q is the upper tail of the normal distribution (Balle and Wang, "Improving
the Gaussian Mechanism for Differential Privacy", ICML 2018, Theorem 8). With its density phi and
Mills' ratio m = Q / phi, e^epsilon Q(b) = phi(a) m(b): no huge numbers, no cancellation.
"""

from __future__ import annotations

import math
from fractions import Fraction

from brrkit.exact import exp_bounds

_PRECISION = 320  # bits after the point
_ONE = 1 << _PRECISION
_TERMS = 120  # of the continued fraction
_SMALL = 4 * _ONE  # from here on the continued fraction is the better one
_LARGE = 40 * _ONE  # beyond, the density is below 2^-320

# 100 decimals
_PI = int(
    "31415926535897932384626433832795028841971693993751"
    "058209749445923078164062862089986280348253421170679"
)

Interval = tuple[int, int]
"""(low, high) with low <= x * 2^320 <= high, for a real x >= 0."""


def curve(epsilon: Fraction, mu: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose the least delta, at mu = Delta / sigma > 0, for epsilon >= 0.

    The enclosure is narrower than 10^-30.
    """
    # Rounded down, which is a smaller epsilon, and gives a larger delta: by 2^-320 at most, because
    # the slope is -phi(a) m(b) mu, and m(b) mu <= m(b) b <= 1.
    exact = epsilon / mu - mu / 2
    a = (exact.numerator << _PRECISION) // exact.denominator
    b = (a + (mu.numerator << _PRECISION) // mu.denominator, a + _up(mu))
    first, density = _tail(a), _density(a)
    # Mills' ratio falls.
    second = _times(density, (_mills(b[1])[0], _mills(b[0])[1]))
    low, high = first[0] - second[1] - 1, first[1] - second[0]
    return Fraction(max(low, 0), _ONE), Fraction(max(high, 0), _ONE)


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the least delta of Gaussian noise, to the last few bits of a double.

    Args:
        epsilon: at least 0.
        mu: sensitivity over standard deviation, positive.
    """
    return float(curve(Fraction(epsilon), Fraction(mu))[1])


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the least epsilon of Gaussian noise at ``delta``, to a relative 10^-9.

    Args:
        mu: sensitivity over standard deviation, positive.
        delta: above 0 and below 1.
    """
    if gaussian_delta(0, mu) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while gaussian_delta(high, mu) > delta:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(middle, mu) > delta else (low, middle)
    return high


def classical_mu(epsilon: float, delta: float) -> float:
    """Return Delta / sigma of the classical formula, epsilon / sqrt(2 ln(1.25 / delta)).

    Dwork and Roth (2014), Theorem A.1, prove it for epsilon < 1 only.
    """
    return epsilon / math.sqrt(2 * math.log(1.25 / delta))


def square_root(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Enclose the square root of x >= 0 by neighbors with that many fractional bits."""
    scaled = x.numerator << 2 * bits
    floor = math.isqrt(scaled // x.denominator)
    exact = floor * floor * x.denominator == scaled
    return Fraction(floor, 1 << bits), Fraction(floor + (not exact), 1 << bits)


def _tail(x: int) -> Interval:
    """Enclose Q(x / 2^320)."""
    if abs(x) < _SMALL:
        return _series(x)
    low, high = _times(_density(x), _mills(abs(x)))
    return (low, high) if x > 0 else (_ONE - high, _ONE - low)


def _mills(x: int) -> Interval:
    """Enclose Q / phi at x / 2^320 > 0."""
    if x < _SMALL:
        tail, density = _series(x), _density(x)
        return (tail[0] << _PRECISION) // density[1], -(-(tail[1] << _PRECISION) // density[0])
    # 1 / (x + 1 / (x + 2 / (x + 3 / ...))) (Laplace); the omitted rest is at least 0.
    low, high = x, x + -(-(_TERMS << 2 * _PRECISION) // x)
    for k in range(_TERMS - 1, -1, -1):
        numerator = max(k, 1) << 2 * _PRECISION
        below, above = numerator // high, -(-numerator // low)
        low, high = x + below, x + above
    return below, above


def _series(x: int) -> Interval:
    """Enclose Q(x) = 1/2 - phi(0) * sum of (-1)^k x^(2k+1) / (2^k k! (2k+1)), for |x| < 4.

    A term times 2k + 1 is at most 4 e^8. Rounding it down loses at most 1, which the next terms
    make larger by e^8 at most; so all of 300 terms are wrong by less than 2^31.
    """
    more = 32
    scaled = abs(x) << more
    bits = _PRECISION + more
    term, total, k = scaled, 0, 0
    while term:
        total += (-1) ** k * (term // (2 * k + 1))
        k += 1
        term = (term * scaled >> bits) * scaled // (2 * k << bits)
    least, most = max((total >> more) - 1, 0), (total >> more) + 2
    low, high = _times((least, most), _PHI_0)
    half = _ONE // 2
    return (half - high, half - low) if x > 0 else (half + low, half + high)


def _density(x: int) -> Interval:
    """Enclose phi(x) = e^(-x^2 / 2) / sqrt(2 pi)."""
    if abs(x) > _LARGE:
        return 0, 1
    low, high = exp_bounds(Fraction(x * x, 2 * _ONE * _ONE), _PRECISION)
    return _times((_ONE * _ONE // high, -(-_ONE * _ONE // low)), _PHI_0)


def _times(one: Interval, other: Interval) -> Interval:
    return one[0] * other[0] >> _PRECISION, -(-one[1] * other[1] >> _PRECISION)


def _up(x: Fraction) -> int:
    return -(-(x.numerator << _PRECISION) // x.denominator)


def _inverse_root() -> Interval:
    """Enclose 1 / sqrt(2 pi)."""
    decimals = 10**100
    high = square_root(Fraction(decimals, 2 * _PI), _PRECISION)[1]
    low = square_root(Fraction(decimals, 2 * (_PI + 1)), _PRECISION)[0]
    return int(low * _ONE), int(high * _ONE)


_PHI_0 = _inverse_root()
