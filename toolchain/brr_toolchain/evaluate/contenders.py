"""The mechanisms that experiments compare, at equal privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brr_toolchain.simulate import LAPLACE


@dataclass(frozen=True)
class Contender:
    """A mechanism with its parameters.

    Attributes:
        mechanism: a name of ``brr_toolchain.simulate``.
        label: what tables and plots call it.
        parameter: what distinguishes mechanisms of one name, as ``t=0.5``.
        parameters: the same for the mechanism.
    """

    mechanism: str
    label: str
    parameter: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


DEVICE: tuple[Contender, ...] = (
    Contender("brr", "brr"),
    Contender("vickrey", "vickrey, t = 0.5", "t=0.5", {"t": 0.5}),
    Contender("exponential", "exponential", parameters={"radius": 0}),
)
"""The device's mechanisms, on codes."""

MADLIB = Contender(LAPLACE, "Madlib (Laplace)")
