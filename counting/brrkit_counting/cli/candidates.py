"""``brr candidates``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import BUNDLE, FILE, JSON, print_json
from brrkit_toolchain.cli.shared.outputs import OUTPUT

_SHOWN_WORDS = 10


@click.command()
@BUNDLE
@click.option("--text", type=FILE, required=True, help="Public text, such as news; no user's text.")
@click.option("--column", help="If --text is a table: the column of texts.")
@click.option(
    "--least",
    type=click.IntRange(1),
    metavar="N",
    help="Leave out words in fewer than N texts. Default: 2.",
)
@click.option("--most", type=click.IntRange(1), metavar="N", help="Take the N most frequent.")
@click.option(
    "--output",
    type=OUTPUT,
    default="candidates.csv",
    show_default=True,
    help="File to write: a table of words and counts, or a .txt.",
)
@JSON
def candidates(
    bundle: Path,
    text: Path,
    column: str | None,
    least: int | None,
    most: int | None,
    output: Path,
    as_json: bool,
) -> None:
    """List the words of public text that BUNDLE lacks, as input for brr list.

    \b
    brr candidates my-bundle --text news.txt --most 10000 --output new.csv
    brr list new.csv --output new-words
    """  # noqa: D301 - click reads the \b
    from brrkit_counting import find_candidates
    from brrkit_counting.candidates import LEAST, write_candidates
    from brrkit_toolchain.io.tables.formats import format_of

    format_of(output)
    opened = WordBundle.open(bundle)
    found = find_candidates(
        opened, text, column=column, least=least or LEAST, most=most, progress=True
    )
    write_candidates(output, found)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    shown = ", ".join(f"{each.word} {each.count:,}" for each in found[:_SHOWN_WORDS])
    click.echo(
        printable(f"{len(found):,} words that {bundle} lacks" + (f": {shown}" * bool(shown)))
    )
    click.echo(printable(f"Wrote {output}"))
