"""The reference of the command line is what the commands say of themselves."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from benchmarks.cli_page import PAGE, described, rewritten
from benchmarks.store import ROOT

WORDS = 2_950

# In a process of its own: tests register mechanisms and methods, which help texts then name.
REWRITTEN = "from benchmarks.cli_page import *; print(rewritten(PAGE.read_text('utf-8')), end='')"


def test_the_page_is_of_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", REWRITTEN],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == PAGE.read_text("utf-8"), "run 'make numbers'"
    assert len(done.stdout.split()) <= WORDS, "shorten the commands' help"


@click.group()
def small() -> None:
    """Do."""


SEED = click.option("--seed", default=0, show_default=True, help="Of the draws.")


@small.command()
@click.argument("word")
@click.option("--bits", default=64, show_default=True, help="How many.")
@click.option("--file", metavar="A B", nargs=2, required=True, help="From * to <.")
@click.option("-k", type=click.Choice(["a", "b"]), help="Which.")
@click.option("--force/--careful", help="Replace.")
@SEED
def one() -> None:
    """Do one thing.

    More of it,
    and more.

    \b
    brr one x
    """


@small.command()
@SEED
def other() -> None:
    """Do another thing."""


def test_what_it_says_of_a_command() -> None:
    shared, first, second = described(small).split("\n## ")
    assert shared == "## Options of several commands\n\n* `--seed=INTEGER` (0): Of the draws.\n"
    assert first.splitlines() == [
        "brr one",
        "",
        "Do one thing.",
        "",
        "```",
        "brr one [OPTIONS] WORD",
        "brr one x",
        "```",
        "",
        "More of it, and more.",
        "",
        "* `--bits=INTEGER` (64): How many.",
        "* `--file A B` (required): From \\* to \\<.",
        "* `-k a|b`: Which.",
        "* `--force/--careful`: Replace.",
        "",
        "[Also](#options-of-several-commands) `--seed`.",
    ]
    assert "Do another thing." in second


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        rewritten("# Command line")
