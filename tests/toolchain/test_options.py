"""Options of every command: numbers are finite, before any work."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from brrkit_toolchain.cli import cli
from brrkit_toolchain.cli.shared import Number


def options(command: click.Command, name: str) -> Iterator[tuple[str, click.ParamType]]:
    """Yield the types of all values of all options, with a name to show."""
    for parameter in command.params:
        kind = parameter.type
        for each in kind.types if isinstance(kind, click.Tuple) else [kind]:
            yield f"{name} {parameter.opts[0]}", each
    if isinstance(command, click.Group):
        for part, below in command.commands.items():
            yield from options(below, f"{name} {part}")


def test_every_number_with_a_fraction_is_finite() -> None:
    numbers = {name: kind for name, kind in options(cli, "brr") if kind.name in ("number", "float")}
    floats = {n for n, kind in options(cli, "brr") if isinstance(kind, click.types.FloatParamType)}
    assert floats <= numbers.keys()
    assert len(numbers) > 20
    assert [name for name, kind in numbers.items() if not isinstance(kind, Number)] == []


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "-nan", "inf", "-inf", "1e400", "infinity", "", "x"]
)
def test_what_is_no_finite_number(text: str) -> None:
    for kind in (Number(), Number(0, 1), Number(0, min_open=True)):
        with pytest.raises(click.BadParameter):
            kind.convert(text, None, None)


def test_ranges() -> None:
    assert Number(0, 1).convert("1", None, None) == 1
    assert Number().convert("-1e300", None, None) == -1e300
    with pytest.raises(click.BadParameter):
        Number(0, 1, max_open=True).convert("1", None, None)
