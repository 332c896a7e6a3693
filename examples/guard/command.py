"""The guard's options."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import click

from brrkit import Session, WordBundle
from brrkit_toolchain.cli.shared import PATH
from examples.guard.detector import Detector


@click.command()
@click.option("--bundle", type=PATH, required=True, help="Whose policy has lists.")
@click.option(
    "--through",
    metavar="COMMAND",
    help="Give the prompt to this command, and print its answer with what was typed put back.",
)
def guard(bundle: Path, through: str | None) -> None:
    """Replace what is secret in a prompt (standard input), and put it back in the answer.

    Only what is found is protected: everything else leaves as typed. What leaves is shown.
    """
    opened = WordBundle.open(bundle)
    session, prompt = Session(opened), sys.stdin.read()
    hidden = session.hide(prompt, Detector(opened).marks(prompt))
    click.echo(hidden, err=through is not None)
    if through is not None:
        click.echo(session.restore(_answer(shlex.split(through), hidden)))


def _answer(command: list[str], prompt: str) -> str:
    """Return the answer of ``command`` to ``prompt``."""
    try:
        done = subprocess.run(command, input=prompt, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, IndexError, subprocess.CalledProcessError):
        raise click.ClickException("the command of --through failed; run it by itself") from None
    return done.stdout
