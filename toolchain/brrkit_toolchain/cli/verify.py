"""``brr verify``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit.errors import BrrError
from brrkit.messages import printable
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.cli.shared import BUNDLE, FILE, options_as
from brrkit_toolchain.cli.shared.outputs import OUTPUT, SOURCE
from brrkit_toolchain.cli.shared.tasks import task_options
from brrkit_toolchain.io.files import write_text


@click.command()
@BUNDLE
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="Rebuild the codes from the embeddings and compare.",
)
@click.option(
    "--text",
    type=FILE,
    help="Count the public text again and compare.",
)
@click.option("--column", help="If --text is a table: the column of texts.")
@click.option(
    "--secret", type=FILE, multiple=True, help="Compare a list of secret words. Repeatable."
)
@click.option("--strings", type=FILE, help="Make the list again from its strings and compare.")
@task_options("Learn the task bits again from the labeled texts, and compare. Repeatable.")
@click.option(
    "--proof",
    is_flag=True,
    help="Check that the settings meet the premises of the proofs: proofs/README.md.",
)
@click.option(
    "--tables",
    type=FILE,
    multiple=True,
    help="With --proof: tables that a device printed. Repeatable.",
)
@click.option("--json", "json_file", type=OUTPUT, help="Write the outcome to this file as JSON.")
@click.option(
    "--junit", "junit_file", type=OUTPUT, help="Write the outcome to this file as JUnit XML."
)
@options_as(BundleSources, "sources")
def verify(
    bundle: Path,
    sources: BundleSources,
    proof: bool,
    tables: tuple[Path, ...],
    json_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Check a bundle; the exit code is 0 if every check passes, else 1.

    It checks the files' digests, words and codes, the policy, the randomizer's graph and flip rate,
    the search, golden cases, and the certificate. parity.json and tasks.npz may be missing, as in
    an app. --embeddings adds checks of the source, the rebuilt codes, their quality, and the
    mechanisms' utility; --text, of the word counts; --task, given in the order of the build, of the
    task bits; --strings, of a list's strings.
    """
    from brrkit_toolchain import Check, verify_bundle

    def show(check: Check) -> None:
        mark = click.style("ok  ", fg="green") if check.passed else click.style("FAIL", fg="red")
        click.echo(f"{mark}  {check.name:<22}{printable(check.detail)}")

    outcome = verify_bundle(
        bundle, sources, proof=proof, tables=tables, progress=True, on_check=show
    )
    for file, content in ((json_file, outcome.to_json()), (junit_file, outcome.to_junit())):
        if file is not None:
            write_text(file, content)
    failed = [check.name for check in outcome.checks if not check.passed]
    if failed:
        raise BrrError(f"{bundle}: failed: {', '.join(failed)}")
    click.echo(printable(f"{bundle}: all {len(outcome.checks)} checks passed"))
