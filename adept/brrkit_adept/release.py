"""The private form of latent vectors. ``docs/explanation/proofs.md`` has the proof."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from brrkit.errors import ParameterError
from brrkit.exact import as_number
from brrkit.randomness import RandomSource
from brrkit_adept.network import Array

EPSILONS = (1e-3, 1e4)


class Release(Protocol):
    """A mechanism at an epsilon."""

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


def check_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float: any two inputs are told apart by e^epsilon at most.

    Raises:
        ParameterError: it isn't in ``EPSILONS``.
    """
    if not EPSILONS[0] <= as_number(epsilon) <= EPSILONS[1]:
        raise ParameterError(
            f"epsilon must be a number from {EPSILONS[0]:g} to {EPSILONS[1]:g} "
            f"(between any two sentences), not {as_number(epsilon):g}"
        )
    return float(epsilon)
