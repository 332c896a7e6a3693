"""Every mechanism for many words at once: ids of words go in, ids come out.

``on_codes`` has those of the device, with the runtime's distributions: a corpus is privatized and a
setting is measured by the same code. ``full_size`` has those on float vectors, to measure beside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.masses import Masses
from brrkit.mechanisms import MECHANISMS, check_name, create_mechanism
from brrkit.mechanisms.exponential import check_radius
from brrkit.mechanisms.vickrey import DEFAULT_T
from brrkit.setting import Setting
from brrkit_toolchain.batched.full_size import Laplace, Mahalanobis, VectorVickrey
from brrkit_toolchain.batched.on_codes import BatchedMechanism, bundle_of, releaser

__all__ = [
    "FULL_SIZE",
    "LAPLACE",
    "BatchedMechanism",
    "default_parameters",
    "label",
    "make_batched",
]

LAPLACE = "laplace"
"""Madlib, the full-size mechanism that those of the device are compared with."""

FULL_SIZE: dict[str, Any] = {
    LAPLACE: Laplace,
    "mahalanobis": Mahalanobis,
    "laplace-vickrey": VectorVickrey,
}
"""By name: (vectors float32[n, d], epsilon, generator, its parameter if it has one)."""

_PARAMETER = {"mahalanobis": "lambda_", "laplace-vickrey": "t"}


def label(name: str) -> str:
    """Return the name of a mechanism as tables and plots write it."""
    return "Madlib (Laplace)" if name == LAPLACE else name


def default_parameters(name: str, bits: int) -> dict[str, Any]:
    """Return the parameters, of those that tables name, that the runtime takes by default."""
    known: dict[str, dict[str, Any]] = {
        "vickrey": {"t": DEFAULT_T},
        "exponential": {"radius": check_radius(None, bits)},
    }
    return known.get(name, {})


def make_batched(
    setting: Setting,
    generator: np.random.Generator,
    *,
    codes: NDArray[np.uint64],
    masses: Masses | None = None,
    vectors: NDArray[np.float32] | None = None,
) -> BatchedMechanism:
    """Return the mechanism of a setting, of the device or full size, for experiments.

    Args:
        setting: of a mechanism from ``brrkit.mechanisms.MECHANISMS`` or ``FULL_SIZE``; epsilon is
            per unit of the mechanism's own metric.
        generator: source of its randomness.
        codes: uint64[n, bits / 64].
        masses: of the same words; by default all are alike.
        vectors: float32[n, d] of the same words; only the full-size mechanisms need them.

    Raises:
        ParameterError: there is no such mechanism, it needs vectors, or epsilon or a parameter
            isn't one that it takes.
    """
    name = setting.mechanism
    check_name(name, (*MECHANISMS, *FULL_SIZE))
    if name in MECHANISMS:
        bundle = bundle_of(codes, masses)
        return releaser(bundle, create_mechanism(bundle, setting), generator.bytes)
    taken = _PARAMETER.get(name)
    for given in setting.parameters:
        if given != taken:
            accepts = f"it takes {taken}" if taken else "it takes none"
            raise ParameterError(f"mechanism {name!r} has no parameter {given!r}; {accepts}")
    if vectors is None:
        raise ParameterError(f"mechanism {name!r} works on vectors; give the embeddings too")
    made: BatchedMechanism = FULL_SIZE[name](
        vectors, setting.epsilon, generator, **setting.parameters
    )
    return made
