"""``brr report``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.outputs import OUTPUT
from brrkit_toolchain.cli.shared import BUNDLE


@click.command()
@BUNDLE
@click.option(
    "--output", type=OUTPUT, default="report.html", show_default=True, help="File to write."
)
@click.option("--words", help="Example words, separated by commas. Default: everyday words.")
@click.option("--audit/--no-audit", default=True, help="Audit every mechanism (default), or not.")
@click.option("--seed", default=0, show_default=True, help="Of the samples of words.")
def report(bundle: Path, output: Path, words: str | None, audit: bool, seed: int) -> None:
    """Write one self-contained HTML page on what BUNDLE is, guarantees and costs."""
    from brrkit_toolchain import write_report_page

    examples = [word.strip() for word in words.split(",")] if words is not None else None
    write_report_page(
        WordBundle.open(bundle), output, words=examples, audit=audit, seed=seed, progress=True
    )
    click.echo(printable(f"Wrote {output}"))
