"""All variants of the private form of a sentence: its code, and the compared variants."""

from __future__ import annotations

from collections.abc import Mapping

from brrkit.errors import ParameterError
from brrkit.exact import as_number
from brrkit_adept.model import Model
from brrkit_adept.release import Release, check_epsilon
from research.adept.lattice import GAUSSIAN, NORMS, make_lattice_release

CODES = "codes"

VARIANTS: Mapping[str, int] = {CODES: 2, **NORMS}
"""The variants, and the norm that a model for each is trained with: 1 or 2."""

DELTAS = (1e-12, 1e-2)


def release(model: Model, variant: str, epsilon: float, delta: float | None = None) -> Release:
    """Return a variant for a model's latent vectors.

    Args:
        model: a trained model.
        variant: a name from ``VARIANTS``.
        epsilon: epsilon between any two sentences.
        delta: delta of ``gaussian``.

    Raises:
        ParameterError: as ``check_privacy``, or epsilon is too small for the lattice.
    """
    epsilon, given = check_privacy(variant, epsilon, delta)
    if variant == CODES:
        return model.release(epsilon)
    clip = model.clips[NORMS[variant]]
    return make_lattice_release(variant, epsilon, given, model.network.latent, clip)


def check_privacy(variant: str, epsilon: float, delta: float | None) -> tuple[float, float]:
    """Return epsilon and delta as floats; delta is 0 for any variant but ``GAUSSIAN``.

    Args:
        variant: a name from ``VARIANTS``.
        epsilon: in ``release.EPSILONS``; the privacy loss between any two inputs.
        delta: in ``DELTAS`` for ``GAUSSIAN``, otherwise None or 0.

    Raises:
        ParameterError: a parameter is out of its range.
    """
    if variant not in VARIANTS:
        raise ParameterError(f"there is no such variant; choose one of: {', '.join(VARIANTS)}")
    checked = check_epsilon(epsilon)
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
    return checked, float(delta or 0)
