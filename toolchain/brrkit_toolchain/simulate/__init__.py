"""Every mechanism in batches, for measurement: ids of words go in, ids come out.

``ON_VECTORS`` holds those on float vectors, which the papers publish; ``ON_CODES`` those of the
device, by the runtime's names and with its distributions, many words at a time. Their generators
are seeded and the noise of the former is floating point: for experiments, never for release.

Every mechanism of the runtime is here, as it runs. To say more of one (how to draw many words at
once, its defaults, its weights), write its module and add a line to ``_KNOWN``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.simulate import brr, exponential, vickrey
from brrkit_toolchain.simulate.laplace import Laplace
from brrkit_toolchain.simulate.mahalanobis import Mahalanobis
from brrkit_toolchain.simulate.mechanism import BatchedMechanism, OnCodes
from brrkit_toolchain.simulate.running import running
from brrkit_toolchain.simulate.vickrey import vector_vickrey

__all__ = [
    "LAPLACE",
    "ON_CODES",
    "ON_VECTORS",
    "BatchedMechanism",
    "OnCodes",
    "label",
    "simulate",
]

LAPLACE = "laplace"
"""Madlib, the full-size mechanism that those of the device are compared with."""

ON_VECTORS: dict[str, Callable[..., BatchedMechanism]] = {
    LAPLACE: Laplace,
    "mahalanobis": Mahalanobis,
    "laplace-vickrey": vector_vickrey,
}
"""By name: (vectors float32[n, d], epsilon, generator, parameters) to a mechanism."""

_KNOWN = {"brr": brr.MECHANISM, "vickrey": vickrey.MECHANISM, "exponential": exponential.MECHANISM}

ON_CODES: dict[str, OnCodes] = {name: _KNOWN.get(name) or running(name) for name in MECHANISMS}
"""By the runtime's name, in its order: what is known of a mechanism of the device."""


def label(name: str) -> str:
    """Return the name of a mechanism as tables and plots write it."""
    return "Madlib (Laplace)" if name == LAPLACE else name


def simulate(
    name: str,
    epsilon: float,
    generator: np.random.Generator,
    *,
    codes: NDArray[np.uint64],
    vectors: NDArray[np.float32] | None = None,
    **parameters: Any,
) -> BatchedMechanism:
    """Return the mechanism ``name`` of either kind.

    Args:
        name: from ``ON_VECTORS`` or ``ON_CODES``.
        epsilon: per unit of the mechanism's own metric.
        generator: source of its noise.
        codes: uint64[n, bits / 64].
        vectors: float32[n, d] of the same words; only the full-size mechanisms need them.
        **parameters: of the mechanism.

    Raises:
        ParameterError: there is no such mechanism, it needs vectors, or epsilon or a parameter
            isn't one that it takes.
    """
    factories = {**{name: known.batches for name, known in ON_CODES.items()}, **ON_VECTORS}
    if name not in factories:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(factories)}")
    factory = factories[name]
    signature = list(inspect.signature(factory).parameters.values())[3:]  # after the generator
    taken = [parameter.name for parameter in signature]
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
        for given in parameters:
            if given not in taken:
                accepts = f"it takes {', '.join(taken)}" if taken else "it takes none"
                raise ParameterError(f"mechanism {name!r} has no parameter {given!r}; {accepts}")
    if name in ON_CODES:
        return factory(codes, epsilon, generator, **parameters)
    if vectors is None:
        raise ParameterError(f"mechanism {name!r} works on vectors; give the embeddings too")
    return factory(vectors, epsilon, generator, **parameters)
