"""Shared arguments and output of commands."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.parameter import Parameter
from brrkit.setting import DEFAULT_MECHANISM, CountsSetting, Setting

if TYPE_CHECKING:
    from brrkit import WordBundle
    from brrkit.setting import Estimate


T = TypeVar("T")


class NamedPath(click.Path):
    """A path, but not the empty string, which would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return ``value`` as a path, or end with a usage error."""
        if not os.fspath(value):
            self.fail("it is empty; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.types.FloatParamType):
    """A finite number; click accepts NaN."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return ``value`` as a float, or end with a usage error."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} isn't a finite number", param, ctx)
        return number


class NumberRange(Number, click.FloatRange):
    """A finite number, from ``min`` to ``max``."""

    name = "number"


NUMBER = Number()
"""A number whose range the called function checks."""

PATH = NamedPath(path_type=Path)
FILE = NamedPath(path_type=Path, dir_okay=False)
TEXT = NamedPath(path_type=Path, dir_okay=False, allow_dash=True)
"""A file to read, or - for standard input."""

BUNDLE = click.argument("bundle", type=PATH)
PUBLIC_TEXT = click.option(
    "--public-text",
    type=FILE,
    help="With --text: public text that attackers know, besides the bundle and the rest of --text.",
)
COLUMN = click.option("--column", help="If --text is a table: the column of texts.")
AMONG = click.option(
    "--among",
    type=FILE,
    multiple=True,
    help="Words, one per line: measure attackers who know that the typed word is among them. "
    "Repeatable.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


Command = Callable[..., None]
Decorator = Callable[[Command], Command]


def parameter_options(mechanisms: Sequence[str] = tuple(MECHANISMS)) -> Decorator:
    """Add an option to a command for each parameter of these mechanisms.

    The command gets the given parameters by name, as one argument ``parameters``.
    """
    described: list[tuple[str, Parameter]] = [
        (mechanism, parameter)
        for mechanism in mechanisms
        for parameter in getattr(MECHANISMS[mechanism], "parameters", ())
    ]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> None:
            options = {parameter.name: values.pop(parameter.name) for _, parameter in described}
            command(parameters=_given(options), **values)

        return with_options(
            *(
                click.option(
                    option_of(parameter.name),
                    type=_type_of(parameter),
                    multiple=parameter.several,
                    help=f"For {mechanism}: {parameter.help}",
                )
                for mechanism, parameter in described
            )
        )(run)

    return decorate


def with_options(*options: Decorator) -> Decorator:
    """Add ``options`` to a command, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def options_as(kind: type[Any], name: str = "options") -> Decorator:
    """Collect a command's options that are fields of the dataclass ``kind`` in one argument.

    Use this decorator directly above the command, which gets an instance of ``kind``. If an option
    wasn't given and has no default, the field keeps its own default.

    Args:
        kind: dataclass with a field for each option, by the same name.
        name: name of the command's argument.
    """
    gathered = {field.name for field in fields(kind)}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> None:
            given = {each: values.pop(each) for each in gathered & values.keys()}
            given = {each: value for each, value in given.items() if value is not None}
            command(**{name: kind(**given)}, **values)

        return run

    return decorate


def setting_options(
    mechanisms: Sequence[str] = tuple(MECHANISMS), full_size: str = "", counts: bool = False
) -> Decorator:
    """Add the options of a setting for text to a command, as one argument ``setting``.

    The argument is None without any of them: the bundle's recommended setting is then in force.

    Args:
        mechanisms: the accepted mechanisms of a device; with only one, there is no option
            ``--mechanism``.
        full_size: names of the accepted full-size mechanisms, for the help.
        counts: whether a cap alone is a setting for counts.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(*, epsilon: float | None, parameters: dict[str, Any], **options: Any) -> None:
            given = parameters | _given({"lambda_": options.pop("lambda_", None)})
            setting: Setting | CountsSetting | None
            if counts and epsilon is None and given.keys() == {"cap"}:
                setting = CountsSetting(given["cap"])
            else:
                setting = _given_setting(epsilon, options.pop("mechanism", None), given)
            command(setting=setting, **options)

        of = "unit of the mechanism's own distance" if full_size else "bit of Hamming distance"
        options: list[Decorator] = [
            click.option(
                "--epsilon",
                type=NUMBER,
                help=f"Epsilon, per {of}. Default: the recommended setting.",
            )
        ]
        if len(mechanisms) > 1:
            known = ", ".join(mechanisms) + (full_size and f"; on float vectors {full_size}")
            options.append(
                click.option(
                    "--mechanism", help=f"With --epsilon: {known}. Default: {DEFAULT_MECHANISM}."
                )
            )
        options.append(parameter_options(mechanisms))
        if full_size:
            options.append(
                click.option(
                    "--lambda", "lambda_", type=NUMBER, help="For mahalanobis: from 0 to 1."
                )
            )
        return with_options(*options)(run)

    return decorate


def _type_of(parameter: Parameter) -> Any:
    if parameter.choices:
        return click.Choice(parameter.choices)
    return NUMBER if parameter.type is float else parameter.type


def frame_words_of(bundle: WordBundle) -> int:
    """Return the number of words in the bundle's frames.

    Raises:
        ParameterError: the bundle has no frames.
    """
    if bundle.frames is None:
        raise ParameterError(
            "the bundle has no frames; give --frame-words, or write frames into the bundle with "
            "'brr calibrate --frames 8 --write'"
        )
    return bundle.frames.words


def option_of(name: str) -> str:
    """Return the option for an argument's name, such as ``--task-weight`` for ``task_weight``."""
    return f"-{name}" if len(name) == 1 else f"--{name.strip('_').replace('_', '-')}"


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options: those with a value, or with several in a sequence."""
    return {
        name: value[0] if isinstance(value, tuple) and len(value) == 1 else value
        for name, value in values.items()
        if value not in (None, ())
    }


def _given_setting(
    epsilon: float | None, mechanism: str | None, parameters: Mapping[str, Any]
) -> Setting | None:
    """Return the setting from these options; None if no option was given."""
    if epsilon is None:
        if mechanism is not None or parameters:
            raise ParameterError(
                "a mechanism or its parameters need an epsilon; give --epsilon too, or neither"
            )
        return None
    return Setting(epsilon, mechanism or DEFAULT_MECHANISM, parameters)


def or_default(value: T | None, default: T) -> T:
    """Return the value of an option, or ``default`` if it wasn't given."""
    return default if value is None else value


def check_seed(seed: int) -> None:
    """Raise an error for a seed below 0."""
    if seed < 0:
        raise ParameterError(f"--seed must be 0 or more, not {seed}")


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON, without a terminal's control characters."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    click.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def interval(estimate: Estimate, decimals: int) -> str:
    """Format an estimate, with its interval if it has a width; from 100, with fewer decimals."""
    numbers = [
        f"{number:,.{decimals if number < 100 else 0}f}"
        for number in (estimate.value, estimate.low, estimate.high)
    ]
    return (
        numbers[0] if estimate.low == estimate.high else f"{numbers[0]} {numbers[1]}-{numbers[2]}"
    )


def stated_parameters(parameters: Mapping[str, Any]) -> str:
    """Format parameters for tables, such as `` radius=8 base=unigram``."""
    values = ((k, v if isinstance(v, str) else f"{v:g}") for k, v in parameters.items())
    return "".join(f" {name}={value}" for name, value in values)
