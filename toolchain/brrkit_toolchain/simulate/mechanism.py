"""What the toolchain knows of a mechanism beside that it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray


class BatchedMechanism(Protocol):
    """A mechanism with its vocabulary, epsilon and generator."""

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids`` [m], drawn independently."""
        ...


def _none(_bits: int) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class OnCodes:
    """A mechanism of the device.

    Attributes:
        batches: (codes uint64[n, bits / 64], epsilon, generator, parameters) to what releases many
            words at once, with the runtime's distribution.
        defaults: the parameters that the runtime takes where none are given, by the number of bits.
        chosen: the parameter that a calibration chooses besides epsilon: ``t`` by Algorithm 2 of
            Vickrey, ``radius`` under limits on the best attacker. None chooses none.
        weights: (epsilon, bits, n, parameters) to integers W[0 ... bits], if Pr[y | x] is in
            proportion to W[d(x, y)]: then everything is computed, nothing drawn.
        certified: whether a setting of it can have a certificate (``brrkit_toolchain.calibrate``).
        experiments: the parameters that the papers' experiments compare it with.
        variant: what results of those are stored under, beside its name.
    """

    batches: Callable[..., BatchedMechanism]
    defaults: Callable[[int], dict[str, Any]] = _none
    chosen: Literal["t", "radius"] | None = None
    weights: Callable[..., list[int]] | None = None
    certified: bool = False
    experiments: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""
