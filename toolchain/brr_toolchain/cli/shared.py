"""Arguments and output that commands share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from brr_toolchain.measure.confidence import Estimate


class _NamedPath(click.Path):
    """A path that isn't the empty text, which would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value):
            self.fail("it is empty; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


PATH = _NamedPath(path_type=Path)
FILE = _NamedPath(path_type=Path, dir_okay=False)
TEXT = _NamedPath(path_type=Path, dir_okay=False, allow_dash=True)
"""A file to read, or - for standard input."""

BUNDLE = click.argument("bundle", type=PATH)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
T = click.option(
    "--t",
    "-t",
    "ts",
    type=float,
    multiple=True,
    help="For vickrey: a number from 0 to 1, or, given k times, t_1 ... t_k.",
)


RADIUS = click.option(
    "--radius",
    type=int,
    help="For exponential: words within so many bits of a word are nearly as likely as itself. "
    "Default: an eighth of the bits.",
)


def given_parameters(ts: Sequence[float], radius: int | None) -> dict[str, Any]:
    """Return a mechanism's parameters as ``T`` and ``RADIUS`` give them, without those not given.

    One value of t is a number, several are a list.
    """
    parameters: dict[str, Any] = {"t": ts[0] if len(ts) == 1 else ts} if ts else {}
    return parameters if radius is None else {**parameters, "radius": radius}


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON, without characters that a terminal obeys."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda control: f"\\u{ord(control[0]):04x}", text))


def interval(estimate: Estimate, decimals: int) -> str:
    """Return an estimate, with its interval if that has a width; fewer decimals from 100 up."""
    numbers = [
        f"{number:,.{decimals if number < 100 else 0}f}"
        for number in (estimate.value, estimate.low, estimate.high)
    ]
    return (
        numbers[0] if estimate.low == estimate.high else f"{numbers[0]} {numbers[1]}-{numbers[2]}"
    )
