"""Arguments and output that commands share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brr_runtime.errors import BrrError

if TYPE_CHECKING:
    from brr_toolchain.measure.estimate import Estimate

BUNDLE = click.argument("bundle", type=click.Path(path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
T = click.option(
    "--t",
    "-t",
    "ts",
    type=float,
    multiple=True,
    help="For vickrey: a number from 0 to 1, or, given k times, t_1 ... t_k.",
)
PATH = click.Path(path_type=Path)


def t_parameter(ts: Sequence[float]) -> dict[str, Any]:
    """Return the parameter that the values of ``T`` stand for: a number, several, or none."""
    return {"t": ts[0] if len(ts) == 1 else ts} if ts else {}


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


def interval(estimate: Estimate, decimals: int) -> str:
    """Return an estimate, with its interval if that has a width; fewer decimals from 100 up."""
    numbers = [
        f"{number:,.{decimals if number < 100 else 0}f}"
        for number in (estimate.value, estimate.low, estimate.high)
    ]
    return (
        numbers[0] if estimate.low == estimate.high else f"{numbers[0]} {numbers[1]}-{numbers[2]}"
    )


def write_text(file: Path, content: str) -> None:
    """Write ``content`` to ``file``.

    Raises:
        BrrError: the system refuses.
    """
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise BrrError(f"{file}: can't be written ({error.strerror})") from None
