"""The private form of latent vectors: what all of its variants share.

``docs/adept.md`` has the proofs. ``Model.release`` makes a variant for a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from brrkit.errors import ParameterError
from brrkit.exact import as_number
from brrkit.randomness import RandomSource
from brrkit_toolchain.adept.lattice import GAUSSIAN, NORMS
from brrkit_toolchain.adept.network import Array

CODES = "codes"

VARIANTS: Mapping[str, int] = {CODES: 2, **NORMS}
"""The variants, and the norm that a model for each is trained with: 1 or 2."""

EPSILONS = (1e-3, 1e4)
DELTAS = (1e-12, 1e-2)


class Release(Protocol):
    """A variant at an epsilon."""

    @property
    def effective_epsilon(self) -> Fraction:
        """An upper bound on the epsilon that is kept, at most what was asked for."""
        ...

    def __call__(self, latents: Array, random: RandomSource) -> Array:
        """Return the private form float32[m, n] of latent vectors [m, n].

        Args:
            latents: whatever they hold, NaN and infinity included.
            random: ``os.urandom``, but in experiments.

        Raises:
            ParameterError: the vectors have other dimensions than the release is for.
        """
        ...


def check_privacy(variant: str, epsilon: float, delta: float | None) -> tuple[float, float]:
    """Return epsilon and delta as floats; delta is 0 for any variant but ``GAUSSIAN``.

    Args:
        variant: a name from ``VARIANTS``.
        epsilon: in ``EPSILONS``; any two inputs are told apart by e^epsilon at most.
        delta: in ``DELTAS`` for ``GAUSSIAN``, otherwise None or 0.

    Raises:
        ParameterError: a parameter is out of its range.
    """
    if variant not in VARIANTS:
        raise ParameterError(f"there is no such variant; choose one of: {', '.join(VARIANTS)}")
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
    return float(epsilon), float(delta or 0)
