"""``brr guess``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit.setting import Setting
from brrkit_toolchain.cli.privatize import lines
from brrkit_toolchain.cli.shared import BUNDLE, JSON, TEXT, print_json, setting_options


@click.command()
@BUNDLE
@click.option(
    "--input",
    "file",
    type=TEXT,
    default="-",
    metavar="FILE",
    help="File of released texts, one per line. Default: standard input.",
)
@setting_options()
@JSON
def guess(bundle: Path, file: Path, setting: Setting | None, as_json: bool) -> None:
    """Guess the typed words, as an attacker who reads released texts would.

    The attacker knows the bundle, its language model and the setting. For each line, this prints
    the most likely typed words of the vocabulary. brr measure --text shows how often attackers
    recognize unknown words as unknown.
    """
    from brrkit_toolchain import guess_texts

    opened = WordBundle.open(bundle)
    texts = [line for _, line in lines(file)]
    found = guess_texts(opened, texts, setting)
    if as_json:
        print_json([[asdict(each) for each in text] for text in found])
        return
    for text in found:
        click.echo(printable(" ".join(each.word for each in text)))
