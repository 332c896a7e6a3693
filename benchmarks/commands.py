"""Common parts of the command lines of ``benchmarks`` and ``research``."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

import click

from brrkit import BrrError

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path)
"""A folder for results, or a page to write."""


def command_line(module: str) -> str:
    """Return the typed command, without folders: results only name files."""
    words = [Path(word).name or word for word in sys.argv[1:]]
    return shlex.join(["python", "-m", module, *words])


def results_parser(described: str | None) -> argparse.ArgumentParser:
    """Return a parser for the command line of a module with only the option ``--output``."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the results as JSON")
    return parser


def run(command: click.Command) -> None:
    """Run a command; an error is one line."""
    try:
        command()
    except BrrError as error:
        raise SystemExit(f"Error: {error}") from None
