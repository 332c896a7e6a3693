"""Every mechanism in batches, for measurement: ids of words go in, ids come out.

``ON_VECTORS`` holds those on float vectors, which the papers publish; ``ON_CODES`` those of the
device, by the runtime's names and with its distributions, many words at a time. Their generators
are seeded and the noise of the former is floating point: for experiments, never for release.
To add one, write its module and add a line here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from brr_runtime.errors import ParameterError
from brr_toolchain.simulate.codes import BRR, CodeVickrey, Exponential
from brr_toolchain.simulate.laplace import Laplace
from brr_toolchain.simulate.mahalanobis import Mahalanobis
from brr_toolchain.simulate.vickrey import VectorVickrey


class BatchedMechanism(Protocol):
    """A mechanism with its vocabulary, epsilon and generator."""

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids`` [m], drawn independently."""
        ...


LAPLACE = "laplace"
"""Madlib, the full-size mechanism that those of the device are compared with."""

ON_VECTORS: dict[str, Callable[..., BatchedMechanism]] = {
    LAPLACE: Laplace,
    "mahalanobis": Mahalanobis,
    "laplace-vickrey": VectorVickrey,
}
"""By name: (vectors float32[n, d], epsilon, generator, parameters) to a mechanism."""

ON_CODES: dict[str, Callable[..., BatchedMechanism]] = {
    "brr": BRR,
    "vickrey": CodeVickrey,
    "exponential": Exponential,
}
"""By name: (codes uint64[n, bits / 64], epsilon, generator, parameters) to a mechanism."""


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
    factories = {**ON_CODES, **ON_VECTORS}
    if name not in factories:
        raise ParameterError(
            f"mechanism {name!r} is unknown; choose one of: {', '.join(factories)}"
        )
    taken = list(inspect.signature(factories[name]).parameters)[3:]  # after the generator
    for parameter in parameters:
        if parameter not in taken:
            accepts = f"it takes {', '.join(taken)}" if taken else "it takes none"
            raise ParameterError(f"mechanism {name!r} has no parameter {parameter!r}; {accepts}")
    if name in ON_CODES:
        return ON_CODES[name](codes, epsilon, generator, **parameters)
    if vectors is None:
        raise ParameterError(f"mechanism {name!r} works on vectors; give the embeddings too")
    return ON_VECTORS[name](vectors, epsilon, generator, **parameters)
