"""``brr lists``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import BUNDLE, FILE, JSON, print_json

_LIST = click.argument("file", type=FILE)


@click.group()
def lists() -> None:
    """Review a list of secret words before brr build --secret uses it.

    BUNDLE contains the words, and was built without the list. FILE has one word per line.
    """


@lists.command()
@BUNDLE
@_LIST
@JSON
def check(bundle: Path, file: Path, as_json: bool) -> None:
    """Find ordinary words on a list: few of their 20 nearest words are on it.

    Also warn if the list hides a word among few others, or behind a much more frequent one.
    """
    from brrkit_toolchain import check_list
    from brrkit_toolchain.lists.nearness import FEW

    found = check_list(WordBundle.open(bundle), file, progress=True)
    if as_json:
        print_json({**asdict(found), "ordinary": [each.word for each in found.ordinary]})
        return
    click.echo(
        printable(
            f"{found.name}: {len(found.members):,} words of the vocabulary and {found.forms:,} "
            f"others; {found.largest} has {found.largest_share:.0%} of their mass"
        )
    )
    for note in found.notes:
        click.echo(printable(f"  {note}"))
    if found.ordinary:
        click.echo(
            f"  {len(found.ordinary):,} may be ordinary words (less than {FEW:.0%} of their "
            "nearest codes are on the list):"
        )
    for each in found.ordinary:
        click.echo(printable(f"    {each.share:.2f} {each.word}"))


@lists.command()
@BUNDLE
@_LIST
@JSON
def suggest(bundle: Path, file: Path, as_json: bool) -> None:
    """Find words that a list may lack: many of their 20 nearest words are on it."""
    from brrkit_toolchain import suggest_words

    found = suggest_words(WordBundle.open(bundle), file, progress=True)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    for each in found:
        click.echo(printable(f"{each.share:.2f} {each.word}"))
