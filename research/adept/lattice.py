"""Vectors clipped on a lattice of integers, with exact noise.

An encoder's vector r, divided by the clip C, becomes integers z with ||z|| <= K, in the norm of the
variant; exact noise from the integers is added to each of n coordinates, and the decoder gets
(z + noise) C / K. The noise is always the same (``noise``): discrete Laplace noise of scale t =
``LAPLACE_SCALE``, or discrete Gaussian noise of parameter sigma = ``GAUSSIAN_SIGMA``. Epsilon says
what K is, rounded down. So the ratio of noise and clip, which is all that counts, is rounded
toward more noise.

**Statement.** For any two inputs s and s' and every set S of outputs, Pr[R(s) in S] <= e^epsilon
Pr[R(s') in S] + delta, with delta = 0 for Laplace noise. The model doesn't depend on the sentences.
Nothing is assumed of the encoder: the norm is that of the integers, computed exactly.

**Laplace noise.** P(x) is in proportion to e^(-|x|/t) on the integers, so for every y the ratio of
Pr[z + X = y] and Pr[z' + X = y] is e^(sum of (|y_i - z'_i| - |y_i - z_i|) / t) <= e^(||z - z'||_1 /
t).

* ``laplace-l1``, K = floor(epsilon t / 2): ||z - z'||_1 <= ||z||_1 + ||z'||_1 <= 2 K <= epsilon t.
* ``laplace-l2``, K = floor(epsilon t / (2 sqrt(n))): ||z - z'||_1 <= sqrt(n) ||z - z'||_2 <=
  2 sqrt(n) K (Cauchy and Schwarz; opposite corners of a cube reach it: Habernal 2021, Theorem 5.1),
  and 4 n K^2 <= (epsilon t)^2 in integers.

ADePT as published has the clip of the second and the noise of the first: it loses sqrt(n) epsilon.

**Gaussian noise.** For ||z - z'||_2 <= 2 K continuous noise of standard deviation s is (epsilon,
delta)-private exactly if delta >= Q(a) - e^epsilon Q(a + mu), with mu = 2 K / s, a = epsilon / mu -
mu / 2 and Q the normal distribution's upper tail (Balle and Wang 2018, Theorem 8); the right side
rises with mu. Noise on the integers with P(x) in proportion to e^(-x^2 / 2 sigma^2) obeys nearly
the same: if continuous noise of variance sigma^2 - 9 is (epsilon, delta)-private for any two of the
vectors z, then discrete Gaussian noise of parameter sigma >= 4 is (epsilon + 2 kappa, e^kappa
delta)-private for them, with kappa < 2^-237 for n <= 2^16.

*Proof.* Add continuous noise Y of variance sigma^2 - 9, and round each c = z_i + Y_i at random: to
the integer k with probability e^(-(k - c)^2 / 18) / rho(c), rho(c) = sum over k of e^(-(k - c)^2 /
18). The rounding is post-processing, so the result A(z) is (epsilon, delta)-private. By Poisson's
summation formula rho(c) = 3 sqrt(2 pi) (1 + 2 sum over j >= 1 of e^(-18 pi^2 j^2) cos 2 pi j c),
which is within a factor 1 +- eta of 3 sqrt(2 pi), eta < 2^-255. Replace rho(c) by that constant:
what is left is a convolution of two normal densities, hence phi(k - z_i), the density of variance
sigma^2. So Pr[A(z)_i = k] is phi(k - z_i) within a factor 1 / (1 +- eta). The discrete Gaussian's
probability is phi(k - z_i) / (sum over j of phi(j)), whose sum is within 1 +- eta by the same
formula. The two probabilities differ by a factor of at most (1 + eta) / (1 - eta) < e^(3 eta), for
n coordinates e^kappa with kappa = 3 n eta < 2^-237. Write D for the discrete mechanism: Pr[D(z) in
S] <= e^kappa Pr[A(z) in S] <= e^kappa (e^epsilon Pr[A(z') in S] + delta) <= e^(epsilon + 2 kappa)
Pr[D(z') in S] + e^kappa delta.

So K is the largest integer that the curve allows at the variance sigma^2 - 9, at epsilon - 2^-200
and delta (1 - 2^-200); its upper end, enclosed between rationals, decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.randomness import RandomSource
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.model import LARGEST_DIMENSIONS
from research.adept.gaussian import curve, square_root
from research.adept.noise import (
    GAUSSIAN_SIGMA,
    LAPLACE_SCALE,
    discrete_gaussian,
    discrete_laplace,
)

LAPLACE_L1, LAPLACE_L2, GAUSSIAN = "laplace-l1", "laplace-l2", "gaussian"

NORMS: Mapping[str, int] = {LAPLACE_L1: 1, LAPLACE_L2: 2, GAUSSIAN: 2}
"""The variants, and the norm that each clips by: 1 or 2."""

# Noise that is drawn on the integers is as good as continuous noise with this much less variance,
# but for 2^-200 of epsilon and delta.
_ROUNDING_VARIANCE = 9
_SLACK = Fraction(1, 1 << 200)


@dataclass(frozen=True)
class LatticeRelease:
    """A variant at an epsilon, for vectors of some dimensions.

    Attributes:
        variant: a name from ``NORMS``.
        epsilon: requested epsilon.
        delta: delta for ``GAUSSIAN``, otherwise 0.
        dimensions: n, dimensions of a vector.
        limit: K, largest norm of a clipped vector in steps of the lattice.
        clip: C > 0, the norm to which vectors are clipped.
    """

    variant: str
    epsilon: float
    delta: float
    dimensions: int
    limit: int
    clip: float

    @property
    def norm(self) -> int:
        """The order of the clipped norm, 1 or 2."""
        return NORMS[self.variant]

    @property
    def scale(self) -> float:
        """The scale of the noise for a clip of 1: t for Laplace noise, sigma for Gaussian noise."""
        return (GAUSSIAN_SIGMA if self.variant == GAUSSIAN else LAPLACE_SCALE) / self.limit

    @property
    def effective_epsilon(self) -> Fraction:
        """An upper bound on the true epsilon, at most the requested one.

        For Laplace noise it is the loss of the worst two vectors of norm K, as far as the bound on
        their L1 distance goes. For Gaussian noise it is the epsilon that was asked for.
        """
        if self.variant == GAUSSIAN:
            return Fraction(self.epsilon)
        distance: Fraction | int = 2 * self.limit
        if self.variant == LAPLACE_L2:
            distance = square_root(Fraction(4 * self.limit**2 * self.dimensions), 64)[1]
        return min(Fraction(distance) / LAPLACE_SCALE, Fraction(self.epsilon))

    def __call__(self, latents: NDArray[np.floating], random: RandomSource) -> NDArray[np.float32]:
        """Return the private form float32[m, n] of latent vectors [m, n].

        Args:
            latents: vectors of any numbers, including NaN and infinity.
            random: source of random bytes: ``os.urandom``, except in experiments.

        Raises:
            ParameterError: the vectors have other dimensions than K was chosen for.
        """
        if latents.shape[1] != self.dimensions:
            raise ParameterError(
                f"vectors of {latents.shape[1]} dimensions, where the release is for "
                f"{self.dimensions}; make another one"
            )
        clipped = self.clipped(latents)
        noise = discrete_gaussian() if self.variant == GAUSSIAN else discrete_laplace()
        released = clipped + noise(clipped.size, random).reshape(clipped.shape)
        result: NDArray[np.float32] = (released * (self.clip / self.limit)).astype(np.float32)
        return result

    def clipped(self, vectors: NDArray[np.floating]) -> NDArray[np.int64]:
        """Return ``vectors`` [m, n] on the lattice: int64[m, n] with norms of at most K.

        Clipping and scaling in floating point come first, and decide nothing: the norms of the
        integers are computed exactly, and longer vectors are shortened in integers.
        """
        scaled = vectors_clipped(vectors.astype(np.float64) / self.clip, self.norm)
        return integers_clipped(
            np.trunc(scaled * self.limit).astype(np.int64), self.limit, self.norm
        )


def integers_clipped(vectors: NDArray[np.int64], limit: int, norm: int) -> NDArray[np.int64]:
    """Return ``vectors`` [m, n] with norms of at most ``limit``, exactly.

    Args:
        vectors: coordinates of any size.
        limit: K, at most 2^30.
        norm: 1 or 2.
    """
    result = np.clip(vectors, -limit, limit)
    # Below 2^63: K <= 2^30 steps, n <= 2^16, and for norm 2 also K^2 n < 2^60 by the choice of K.
    lengths = np.abs(result).sum(axis=1) if norm == 1 else np.square(result).sum(axis=1)
    for row in (lengths > limit**norm).nonzero()[0]:
        length = int(lengths[row])
        ceiling = length if norm == 1 else math.isqrt(length - 1) + 1
        shortened = [abs(int(x)) * limit // ceiling for x in result[row]]
        result[row] = np.sign(result[row]) * np.array(shortened, np.int64)
    return result


def make_lattice_release(
    variant: str, epsilon: float, delta: float, dimensions: int, clip: float = 1.0
) -> LatticeRelease:
    """Choose K for an epsilon.

    The proof for Laplace noise is at the top of this module.

    Args:
        variant: a name from ``NORMS``.
        epsilon: positive; the privacy loss between any two inputs.
        delta: positive for ``GAUSSIAN``; other variants have none.
        dimensions: n, dimensions of a vector, from 1 to ``LARGEST_DIMENSIONS``.
        clip: C > 0, the norm to which vectors are clipped.

    Raises:
        ParameterError: dimensions are out of range, or epsilon is too small for the lattice.
    """
    exact = Fraction(epsilon)
    if not 1 <= dimensions <= LARGEST_DIMENSIONS:
        raise ParameterError(f"a vector has 1 to {LARGEST_DIMENSIONS:,} dimensions")
    if variant == LAPLACE_L1:
        limit = math.floor(exact * LAPLACE_SCALE / 2)
    elif variant == LAPLACE_L2:
        limit = math.isqrt(math.floor((exact * LAPLACE_SCALE) ** 2 / (4 * dimensions)))
    else:
        limit = _gaussian_limit(exact, Fraction(delta))
    if not limit:
        raise ParameterError(
            f"epsilon {epsilon:g} is too small for {variant} in {dimensions} dimensions: nothing "
            "of a sentence would be left; choose a larger one"
        )
    return LatticeRelease(variant, epsilon, delta, dimensions, limit, clip)


@cache
def _gaussian_limit(epsilon: Fraction, delta: Fraction) -> int:
    """Return the largest K for which noise of ``GAUSSIAN_SIGMA`` keeps (epsilon, delta).

    The proof for Gaussian noise is at the top of this module.
    """
    # Rounded down to 2^-64, so that mu is rounded up: delta rises with mu.
    sigma = square_root(Fraction(GAUSSIAN_SIGMA**2 - _ROUNDING_VARIANCE), 64)[0]
    epsilon, delta = epsilon - _SLACK, delta * (1 - _SLACK)

    def private(limit: int) -> bool:
        return limit == 0 or curve(epsilon, 2 * limit / sigma)[1] <= delta

    low, high = 0, 1
    while private(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if private(middle) else (low, middle)
    return low
