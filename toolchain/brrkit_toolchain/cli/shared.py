"""Arguments and output that commands share."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.parameter import Parameter

if TYPE_CHECKING:
    from brrkit.setting import Estimate


class NamedPath(click.Path):
    """A path that isn't the empty text, which would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return ``value`` as a path, or end with an error of usage."""
        if not os.fspath(value):
            self.fail("it is empty; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A finite number, from ``min`` to ``max``; a plain range of click lets NaN through."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return ``value`` as a float, or end with an error of usage."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} isn't a finite number", param, ctx)
        return number


NUMBER = Number()
"""Whose range what takes it checks."""

PATH = NamedPath(path_type=Path)
FILE = NamedPath(path_type=Path, dir_okay=False)
TEXT = NamedPath(path_type=Path, dir_okay=False, allow_dash=True)
"""A file to read, or - for standard input."""

BUNDLE = click.argument("bundle", type=PATH)
LANGUAGE = click.option(
    "--language",
    type=FILE,
    help="With --text: public text that attackers have, besides bundle and the rest of --text.",
)
COLUMN = click.option("--column", help="With --text, if it is a table: the column of texts.")
AMONG = click.option(
    "--among",
    type=FILE,
    multiple=True,
    help="Words, one a line: measure attackers who know that it is one of them. Repeatable.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def parameter_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` an option for each parameter that a mechanism describes."""
    for mechanism, factory in reversed(MECHANISMS.items()):
        for parameter in reversed(getattr(factory, "parameters", ())):
            command = click.option(
                ("-" if len(parameter.name) == 1 else "--") + parameter.name,
                type=_type_of(parameter),
                multiple=parameter.several,
                help=f"For {mechanism}: {parameter.help}",
            )(command)
    return command


def _type_of(parameter: Parameter) -> Any:
    if parameter.choices:
        return click.Choice(parameter.choices)
    return NUMBER if parameter.type is float else parameter.type


def given_parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of ``parameter_options`` that were given: a value, or several as a sequence."""
    return {
        name: value[0] if isinstance(value, tuple) and len(value) == 1 else value
        for name, value in options.items()
        if value not in (None, ())
    }


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
