"""``brr verify``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit.errors import BrrError
from brrkit_toolchain.cli.outputs import OUTPUT, SOURCE
from brrkit_toolchain.cli.shared import BUNDLE, FILE
from brrkit_toolchain.system.files import write_text


@click.command()
@BUNDLE
@click.option(
    "--embeddings", type=SOURCE, metavar="SRC", help="Also check against what it was built from."
)
@click.option(
    "--text",
    type=FILE,
    help="Also count the public text again that it was built with: its masses and pairs of words.",
)
@click.option("--column", help="Of --text, the column with the texts.")
@click.option("--json", "json_file", type=OUTPUT, help="Write the outcome as JSON to this file.")
@click.option("--junit", "junit_file", type=OUTPUT, help="Write it as JUnit XML to this file.")
def verify(
    bundle: Path,
    embeddings: str | None,
    text: Path | None,
    column: str | None,
    json_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Check a bundle; exit code 0 if every check holds, else 1."""
    from brrkit_toolchain import Check, verify_bundle

    def show(check: Check) -> None:
        mark = click.style("ok  ", fg="green") if check.passed else click.style("FAIL", fg="red")
        click.echo(f"{mark}  {check.name:<22}{check.detail}")

    outcome = verify_bundle(
        bundle, embeddings, text=text, column=column, progress=True, on_check=show
    )
    for file, content in ((json_file, outcome.to_json()), (junit_file, outcome.to_junit())):
        if file is not None:
            write_text(file, content)
    failed = [check.name for check in outcome.checks if not check.passed]
    if failed:
        raise BrrError(f"{bundle}: failed: {', '.join(failed)}")
    click.echo(f"{bundle}: all {len(outcome.checks)} checks passed")
