"""The description of a mechanism's own parameter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A parameter of a mechanism's constructor after epsilon, for the options of commands.

    Attributes:
        name: name of the argument.
        type: type of a value; the mechanism itself checks its range.
        help: its effect and its default.
        choices: possible values of a string; empty for other types.
        several: whether several values can be given; they are passed as a sequence.
    """

    name: str
    type: type
    help: str
    choices: tuple[str, ...] = ()
    several: bool = False
