"""``brr evaluate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit.setting import Setting
from brrkit_toolchain.cli.shared import (
    BUNDLE,
    JSON,
    PATH,
    interval,
    options_as,
    print_json,
    setting_options,
)
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import SOURCE
from brrkit_toolchain.defaults import TEXTS
from brrkit_toolchain.utility.evaluate.labeled_data import LabeledData


@click.command(
    cls=ShortHelp,
    common=(
        "--embeddings",
        "--data",
        "--text-column",
        "--label-column",
        "--epsilon",
        "--trials",
        "--json",
    ),
)
@BUNDLE
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    required=True,
    help="The bundle's source.",
)
@click.option("--data", type=PATH, required=True, help="Labeled texts: a table.")
@click.option(
    "--text-column", default="text", show_default=True, help="Column that contains the texts."
)
@click.option(
    "--label-column", default="label", show_default=True, help="Column that contains their classes."
)
@click.option("--split-column", help="Column with train or test. Default: split at random.")
@setting_options()
@click.option(
    "--texts",
    type=click.IntRange(1),
    default=TEXTS,
    show_default=True,
    help="Largest number of training texts.",
)
@click.option(
    "--trials",
    type=click.IntRange(2, 1_000),
    default=5,
    show_default=True,
    help="Number of trials.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@JSON
@options_as(LabeledData, "labeled")
def evaluate(
    *,
    bundle: Path,
    embeddings: str,
    labeled: LabeledData,
    setting: Setting | None,
    texts: int,
    trials: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure the accuracy and leakage of a classifier trained on privatized texts.

    One linear classifier on mean word vectors is trained on typed texts, another on the same texts
    privatized. Both are tested on other typed texts, and attacked by membership inference.

    \b
    brr evaluate my-bundle --embeddings SRC --data reviews.csv
    """  # noqa: D301 - click reads the \b
    import sklearn  # noqa: F401 - reports a missing package before the work

    from brrkit_toolchain import evaluate_file

    found = evaluate_file(
        WordBundle.open(bundle),
        labeled,
        embeddings,
        setting,
        texts=texts,
        trials=trials,
        seed=seed,
        progress=True,
    )
    name = Path(labeled.data).name
    for reason, count in found.left_out.items():
        if count:
            click.echo(printable(f"{name}: {count:,} texts left out: {reason}"), err=True)
    if as_json:
        print_json(asdict(found))
        return
    rows = [
        ("", "as typed", "privatized"),
        *(
            (label, *(interval(getattr(part, name), 3) for part in (found.typed, found.privatized)))
            for label, name in (
                ("accuracy on other texts", "accuracy"),
                ("membership inference, AUC", "membership"),
                ("words unchanged", "unchanged"),
            )
        ),
    ]
    for label, typed, privatized in rows:
        click.echo(f"  {label:<26} {typed:<20} {privatized}".rstrip())
    click.echo(f"  {found.texts:,} training texts; {found.trials} trials, 95% intervals")
