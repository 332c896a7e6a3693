"""``brr list``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.inspect import print_bundle
from brrkit_toolchain.cli.shared import JSON, PATH, print_json
from brrkit_toolchain.cli.shared.outputs import OUTPUT_FOLDER
from brrkit_toolchain.writing.languages import LANGUAGES

_SHOWN_STRINGS = 20


@click.command("list")
@click.argument("strings", type=PATH)
@click.option(
    "--output", type=OUTPUT_FOLDER, default="list", show_default=True, help="Folder to write."
)
@click.option(
    "--strings",
    "as_is",
    is_flag=True,
    help="Count strings exactly as written, such as feature names.",
)
@click.option(
    "--written-in",
    metavar="LANGUAGE",
    default="en",
    show_default=True,
    help=f"Language of words and phrases: {'|'.join(LANGUAGES)}, or a .json file as for brr build.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the golden cases.")
@click.option("--force", is_flag=True, help="Replace an existing folder.")
@JSON
def listing(
    strings: Path,
    output: Path,
    as_is: bool,
    written_in: str,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Make a list to count: emoji, words, phrases of up to 8 words, or other strings.

    STRINGS has one per line, the most frequent first, or is a table with columns word and count.
    Attackers are assumed to know these frequencies.

    \b
    brr list emoji.txt --output emoji-list
    brr calibrate emoji-list --for counts --write
    """  # noqa: D301 - click reads the \b
    from brrkit_counting import build_list

    result = build_list(
        strings,
        output,
        as_is=as_is,
        written_in=written_in,
        seed=seed,
        force=force,
        progress=True,
    )
    opened = WordBundle.open(output)
    if as_json:
        fields = {"output": str(output), "repeated": result.repeated}
        print_json({**fields, "changed": result.changed, "manifest": opened.manifest})
        return
    print_bundle(opened)
    if result.repeated:
        click.echo(f"  skipped     {result.repeated:,} lines with a string of another line")
    if result.changed:
        click.echo(
            f"  changed     {len(result.changed):,} strings lose signs in texts (--strings counts "
            "strings as they are):"
        )
    for text, string in islice(result.changed.items(), _SHOWN_STRINGS):
        click.echo(printable(f"    {text} → {string}"))
    if len(result.changed) > _SHOWN_STRINGS:
        click.echo(f"    and {len(result.changed) - _SHOWN_STRINGS:,} more (--json has all)")
    click.echo(printable(f"Wrote {output}"))
