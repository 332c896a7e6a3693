"""What a mechanism says of a parameter of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A parameter that a mechanism's constructor takes after epsilon, as commands offer it.

    Attributes:
        name: of the argument.
        type: of a value; the mechanism itself checks its range.
        help: what it does, and its default.
        choices: the values there are, of a text; any other type has none.
        several: whether more than one value can be given, which are then passed as a sequence.
    """

    name: str
    type: type
    help: str
    choices: tuple[str, ...] = ()
    several: bool = False
