"""The mechanisms that experiments compare, at equal privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.vickrey import DEFAULT_T
from brrkit_toolchain.channel import LAPLACE, label


@dataclass(frozen=True)
class Contender:
    """A mechanism with its parameters.

    Attributes:
        mechanism: a name from ``brrkit_toolchain.channel``.
        label: its name in tables and plots.
        parameter: distinction of mechanisms with the same name, such as ``t=0.5``.
        parameters: parameters of the mechanism.
    """

    mechanism: str
    label: str
    parameter: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


_CHOSEN = {
    "vickrey": Contender(
        "vickrey", f"vickrey, t = {DEFAULT_T}", f"t={DEFAULT_T}", {"t": DEFAULT_T}
    ),
    "exponential": Contender("exponential", "exponential", parameters={"radius": 0}),
}

DEVICE = tuple(_CHOSEN.get(name, Contender(name, name)) for name in MECHANISMS)
"""The device's mechanisms, on codes."""

MADLIB = Contender(LAPLACE, label(LAPLACE))
