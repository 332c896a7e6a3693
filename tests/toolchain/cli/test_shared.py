"""What commands share: options gathered into a dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner

from brrkit_toolchain.cli.shared import options_as


@dataclass(frozen=True)
class Wishes:
    size: int = 3
    names: tuple[str, ...] = ()


@click.command()
@click.option("--size", type=int)
@click.option("--name", "names", multiple=True)
@click.option("--loud", is_flag=True)
@options_as(Wishes, "wishes")
def wish(wishes: Wishes, loud: bool) -> None:
    click.echo(f"{wishes} {loud}")


@pytest.mark.parametrize(
    ("given", "wishes", "loud"),
    [
        ("", Wishes(), False),
        ("--size 5 --loud", Wishes(5), True),
        ("--name a --name b", Wishes(names=("a", "b")), False),
    ],
)
def test_options_become_fields(given: str, wishes: Wishes, loud: bool) -> None:
    done = CliRunner().invoke(wish, given.split())
    assert done.output == f"{wishes} {loud}\n"
