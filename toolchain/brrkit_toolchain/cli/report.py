"""``brr report``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit.setting import Setting
from brrkit_toolchain.cli.shared import AMONG, BUNDLE, check_seed, setting_options
from brrkit_toolchain.cli.shared.outputs import OUTPUT, SOURCE
from brrkit_toolchain.cli.shared.text_attack import refuse_without_text, text_options


@click.command()
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
    help="Verify the bundle and audit every mechanism (default).",
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
def report(
    bundle: Path,
    output: Path,
    setting: Setting | None,
    words: str | None,
    audit: bool,
    seed: int,
    text: Path | None,
    public_text: Path | None,
    column: str | None,
    tokens: int | None,
    among: tuple[Path, ...],
    embeddings: str | None,
) -> None:
    """Write an HTML page on BUNDLE for reviewers: what can be signed, and the evidence.

    \b
    brr report my-bundle --text typed.txt
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import write_report_page
    from brrkit_toolchain.attackers.texts.text_attack import TOKENS

    of_text = {
        "public_text": public_text,
        "column": column,
        "tokens": tokens,
        "embeddings": embeddings,
    }
    if text is None:
        refuse_without_text(of_text)
    check_seed(seed)
    examples = [word.strip() for word in words.split(",")] if words is not None else None
    write_report_page(
        WordBundle.open(bundle),
        output,
        setting,
        words=examples,
        audit=audit,
        seed=seed,
        text=text,
        public_text=public_text,
        column=column,
        tokens=tokens or TOKENS,
        embeddings=embeddings,
        among=among,
        progress=True,
    )
    click.echo(printable(f"Wrote {output}"))
