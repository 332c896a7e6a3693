"""The mechanisms that experiments compare, at equal privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brrkit_toolchain.simulate import LAPLACE, ON_CODES, OnCodes, label


@dataclass(frozen=True)
class Contender:
    """A mechanism with its parameters.

    Attributes:
        mechanism: a name of ``brrkit_toolchain.simulate``.
        label: what tables and plots call it.
        parameter: what distinguishes mechanisms of one name, as ``t=0.5``.
        parameters: the same for the mechanism.
    """

    mechanism: str
    label: str
    parameter: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


def _device(name: str, known: OnCodes) -> Contender:
    variant = known.variant.replace("=", " = ")
    return Contender(
        name, f"{name}, {variant}" if variant else name, known.variant, known.experiments
    )


DEVICE: tuple[Contender, ...] = tuple(_device(name, known) for name, known in ON_CODES.items())
"""The device's mechanisms, on codes."""

MADLIB = Contender(LAPLACE, label(LAPLACE))
