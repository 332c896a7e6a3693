"""What command lines of ``benchmarks`` and ``research`` share."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

import click

from brrkit import BrrError

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path)
"""One that results are added to, or a page that is written."""


def command_line(module: str) -> str:
    """Return what was typed. Paths are nobody's business: a results file names files."""
    words = [Path(word).name or word for word in sys.argv[1:]]
    return shlex.join(["python", "-m", module, *words])


def results_parser(described: str | None) -> argparse.ArgumentParser:
    """Return what reads the command line of a module that writes with ``--output`` only."""
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
