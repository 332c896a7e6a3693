"""``brr neighbors``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import BUNDLE, JSON, print_json


@click.command()
@BUNDLE
@click.argument("words", nargs=-1, required=True)
@click.option("-k", default=10, show_default=True, help="Number of neighbors.")
@JSON
def neighbors(bundle: Path, words: tuple[str, ...], k: int, as_json: bool) -> None:
    """Show the words nearest to each of WORDS by code. Nothing is privatized."""
    opened = WordBundle.open(bundle)
    found = {word: opened.neighbors(word, k) for word in words}
    if as_json:
        print_json(
            {word: [{"word": w, "distance": d} for w, d in near] for word, near in found.items()}
        )
        return
    for word, near in found.items():
        click.echo(printable(f"{word}: " + ", ".join(f"{w} ({d})" for w, d in near)))
