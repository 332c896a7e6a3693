"""``brr report``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit.setting import Setting
from brrkit_toolchain.cli.shared import AMONG, BUNDLE, check_seed, options_as, setting_options
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import OUTPUT, SOURCE
from brrkit_toolchain.cli.shared.text_attack import TextOptions, refuse_without_text, text_options


@dataclass(frozen=True)
class ShownOptions:
    """The options for the page's content, besides its setting and a text."""

    words: str | None = None
    among: tuple[Path, ...] = ()
    embeddings: str | None = None
    writer: tuple[str, ...] = ()
    seed: int = 0


@click.command(
    cls=ShortHelp, common=("--output", "--text", "--column", "--words", "--audit", "--embeddings")
)
@BUNDLE
@click.option(
    "--output", type=OUTPUT, default="report.html", show_default=True, help="File to write."
)
@click.option(
    "--words",
    help="Examples, separated by commas; readers of the page see them. Default: everyday words.",
)
@click.option(
    "--audit/--no-audit",
    default=True,
    help="Verify the bundle and audit the mechanism (default).",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@setting_options()
@text_options
@AMONG
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="With --text: the bundle's source, to measure the cosine similarity.",
)
@click.option(
    "--writer",
    metavar="COLUMN",
    multiple=True,
    help="With --text: measure how often attackers identify the writer. Repeatable.",
)
@options_as(ShownOptions, "shown")
@options_as(TextOptions, "read")
def report(
    bundle: Path,
    output: Path,
    setting: Setting | None,
    audit: bool,
    shown: ShownOptions,
    read: TextOptions,
) -> None:
    """Write an HTML page for reviewers of BUNDLE: statements to sign, and the evidence.

    \b
    brr report my-bundle --text typed.txt
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import ReportOptions, TextFiles, write_report_page
    from brrkit_toolchain.attackers.texts.text_attack import TOKENS

    files = None
    if read.text is not None:
        files = TextFiles(read.text, read.public_text, read.column)
    else:
        refuse_without_text(
            {
                "public_text": read.public_text,
                "column": read.column,
                "tokens": read.tokens,
                "embeddings": shown.embeddings,
                "writer": shown.writer or None,
            }
        )
    check_seed(shown.seed)
    words = None if shown.words is None else [word.strip() for word in shown.words.split(",")]
    write_report_page(
        WordBundle.open(bundle),
        output,
        setting,
        text=files,
        tokens=read.tokens or TOKENS,
        audit=audit,
        options=ReportOptions(words, shown.among, shown.embeddings, shown.writer, shown.seed),
        progress=True,
    )
    click.echo(printable(f"Wrote {output}"))
