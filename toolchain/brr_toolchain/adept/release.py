"""The private form of a latent vector: clipped on a lattice of integers, with exact noise.

``docs/adept.md`` has the proofs. The noise is always the same (``noise``); epsilon says how many
steps of the lattice the clip is, K, rounded down. So the ratio of noise and clip, which is all
that counts, is rounded towards more noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from brr_runtime.errors import ParameterError
from brr_runtime.exact import as_number
from brr_runtime.randomness import RandomSource
from brr_toolchain.adept.gaussian import curve, square_root
from brr_toolchain.adept.noise import (
    GAUSSIAN_SIGMA,
    LAPLACE_SCALE,
    discrete_gaussian,
    discrete_laplace,
)

LAPLACE_L1, LAPLACE_L2, GAUSSIAN = "laplace-l1", "laplace-l2", "gaussian"

VARIANTS: Mapping[str, int] = {LAPLACE_L1: 1, LAPLACE_L2: 2, GAUSSIAN: 2}
"""The variants, and the norm that each clips by: 1 or 2."""

EPSILONS = (1e-3, 1e4)
DELTAS = (1e-12, 1e-2)
LARGEST_DIMENSIONS = 1 << 16

# Noise that is drawn on the integers is as good as continuous noise with this much less variance,
# but for 2^-200 of epsilon and delta.
_ROUNDING_VARIANCE = 9
_SLACK = Fraction(1, 1 << 200)


@dataclass(frozen=True)
class Release:
    """A variant of the mechanism at an epsilon, for vectors of some dimensions.

    Attributes:
        variant: a name from ``VARIANTS``.
        epsilon: what was asked for.
        delta: 0 but for ``GAUSSIAN``.
        dimensions: n, of a vector.
        limit: K, the norm of a clipped vector in steps of the lattice, at most.
    """

    variant: str
    epsilon: float
    delta: float
    dimensions: int
    limit: int

    @property
    def norm(self) -> int:
        """1 or 2: that which is clipped."""
        return VARIANTS[self.variant]

    @property
    def scale(self) -> float:
        """Of the noise, for a clip of 1: t of Laplace noise, sigma of Gaussian noise."""
        return (GAUSSIAN_SIGMA if self.variant == GAUSSIAN else LAPLACE_SCALE) / self.limit

    def __call__(
        self, vectors: NDArray[np.floating], clip: float, random: RandomSource
    ) -> NDArray[np.float32]:
        """Return the private form float32[m, n] of ``vectors`` [m, n].

        Args:
            vectors: whatever they hold, NaN and infinity included.
            clip: C > 0, the norm that vectors are clipped to.
            random: ``os.urandom``, but in experiments.

        Raises:
            ParameterError: the vectors have other dimensions than K was chosen for.
        """
        if vectors.shape[1] != self.dimensions:
            raise ParameterError(
                f"vectors of {vectors.shape[1]} dimensions, where the release is for "
                f"{self.dimensions}; make another one"
            )
        clipped = self.clipped(vectors, clip)
        noise = discrete_gaussian() if self.variant == GAUSSIAN else discrete_laplace()
        released = clipped + noise(clipped.size, random).reshape(clipped.shape)
        result: NDArray[np.float32] = (released * (clip / self.limit)).astype(np.float32)
        return result

    def clipped(self, vectors: NDArray[np.floating], clip: float) -> NDArray[np.int64]:
        """Return ``vectors`` [m, n] on the lattice: int64[m, n] with norms of at most K.

        Clipping and scaling in floating point comes first and decides nothing: the norms are those
        of the integers, computed exactly, and what is longer still is shortened in integers.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.nan_to_num(vectors.astype(np.float64) / clip, posinf=1e300, neginf=-1e300)
            # Twice, because the squares of huge numbers are infinite.
            scaled /= np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1)
            scaled = vectors_clipped(np.where(np.isfinite(scaled), scaled, 0), self.norm)
        return integers_clipped(
            np.trunc(scaled * self.limit).astype(np.int64), self.limit, self.norm
        )


def vectors_clipped(vectors: NDArray[np.float64], norm: int) -> NDArray[np.float64]:
    """Return ``vectors`` [m, n], those whose norm is above 1 scaled to 1, about."""
    norms = np.linalg.norm(vectors, norm, axis=1, keepdims=True)
    result: NDArray[np.float64] = vectors / np.maximum(norms, 1)
    return result


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
    for row in np.flatnonzero(lengths > limit**norm):
        length = int(lengths[row])
        ceiling = length if norm == 1 else math.isqrt(length - 1) + 1
        shortened = [abs(int(x)) * limit // ceiling for x in result[row]]
        result[row] = np.sign(result[row]) * np.array(shortened, np.int64)
    return result


def make_release(variant: str, epsilon: float, delta: float | None, dimensions: int) -> Release:
    """Choose K for an epsilon.

    Args:
        variant: a name from ``VARIANTS``.
        epsilon: in ``EPSILONS``; any two inputs are told apart by e^epsilon at most.
        delta: in ``DELTAS`` for ``GAUSSIAN``, otherwise None or 0.
        dimensions: n, of a vector, from 1 to ``LARGEST_DIMENSIONS``.

    Raises:
        ParameterError: a parameter is out of its range, or epsilon too small for the lattice.
    """
    if variant not in VARIANTS:
        raise ParameterError(
            f"variant must be one of {', '.join(VARIANTS)}, not {variant!r}; choose one of them"
        )
    if not EPSILONS[0] <= as_number(epsilon) <= EPSILONS[1]:
        raise ParameterError(
            f"epsilon must be a number from {EPSILONS[0]:g} to {EPSILONS[1]:g} "
            f"(between any two sentences), not {as_number(epsilon):g}"
        )
    if variant == GAUSSIAN:
        if delta is None:
            raise ParameterError("gaussian needs a delta, as 1e-6; or choose another variant")
        if not DELTAS[0] <= as_number(delta) <= DELTAS[1]:
            raise ParameterError(
                f"delta must be a number from {DELTAS[0]:g} to {DELTAS[1]:g}, "
                f"not {as_number(delta):g}"
            )
    elif delta:
        raise ParameterError(f"{variant} has no delta: its delta is 0; leave it out")
    exact, share = Fraction(float(epsilon)), Fraction(float(delta or 0))
    if not 1 <= dimensions <= LARGEST_DIMENSIONS:
        raise ParameterError(f"a vector has 1 to {LARGEST_DIMENSIONS:,} dimensions")
    if variant == LAPLACE_L1:
        limit = math.floor(exact * LAPLACE_SCALE / 2)
    elif variant == LAPLACE_L2:
        limit = math.isqrt(math.floor((exact * LAPLACE_SCALE) ** 2 / (4 * dimensions)))
    else:
        limit = _gaussian_limit(exact, share)
    if not limit:
        raise ParameterError(
            f"epsilon {epsilon:g} is too small for {variant} in {dimensions} dimensions: nothing "
            "of a sentence would be left; choose a larger one"
        )
    return Release(variant, float(epsilon), float(share), dimensions, limit)


def effective_epsilon(release: Release) -> Fraction:
    """Return an upper bound on the epsilon that is kept, at most what was asked for.

    For Laplace noise it is the loss of the worst two vectors of norm K, as far as the bound on
    their L1 distance goes. For Gaussian noise it is the epsilon that was asked for.
    """
    if release.variant == GAUSSIAN:
        return Fraction(release.epsilon)
    distance: Fraction | int = 2 * release.limit
    if release.variant == LAPLACE_L2:
        distance = square_root(Fraction(4 * release.limit**2 * release.dimensions), 64)[1]
    return min(Fraction(distance) / LAPLACE_SCALE, Fraction(release.epsilon))


@cache
def _gaussian_limit(epsilon: Fraction, delta: Fraction) -> int:
    """Return the largest K for which noise of ``GAUSSIAN_SIGMA`` keeps (epsilon, delta)."""
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
