"""``python -m research.adept``: measure all variants of ``brr adept``, and write their page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchmarks.commands import FOLDER, PATH, command_line, run
from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import JSON, NUMBER, print_json


@click.group()
def adept() -> None:
    """ADePT's experiments on your own sentences."""


@adept.command()
@click.option("--data", type=PATH, required=True, help="Labeled sentences: a table.")
@click.option("--column", default="text", show_default=True, help="The sentences.")
@click.option("--label-column", default="label", show_default=True, help="Their labels.")
@click.option("--output", type=FOLDER, required=True, help="Folder of results.")
@click.option("--models", type=PATH, help="Folder of the models trained. Default: OUTPUT/models.")
@click.option(
    "--epsilon",
    "epsilons",
    type=NUMBER,
    multiple=True,
    help="Nominal; once for each.  [default: 10 to 1000; for codes also 1, 2 and 5]",
)
@click.option(
    "--variant",
    "contenders",
    multiple=True,
    help="Once for each, also 'published laplace', 'published gaussian', and 'exponential' and "
    "'brr' on words.  [default: all]",
)
@click.option("--delta", type=NUMBER, default=1e-5, show_default=True, help="Of Gaussian noise.")
@click.option("--bundle", type=PATH, help="Of words, for 'exponential' and 'brr'.")
@click.option(
    "--word-epsilon",
    "word_epsilons",
    type=NUMBER,
    multiple=True,
    help="Per bit, for words; once for each.  [default: 0.25 to 2]",
)
@click.option("--dimensions", default=64, show_default=True, help="Of the latent vectors.")
@click.option("--hidden", default=256, show_default=True, help="Units of encoder and decoder.")
@click.option("--noise", type=NUMBER, default=0.0, show_default=True, help="In training, in clips.")
@click.option("--embeddings", metavar="SRC", help="Word vectors that the training starts from.")
@click.option("--epochs", default=15, show_default=True, help="Of each training.")
@click.option(
    "--labels/--no-labels",
    "labeled",
    default=True,
    help="Encode each sentence's label with it (default), or keep it as typed, unprotected.",
)
@click.option(
    "--clip", type=NUMBER, default=1.0, show_default=True, help="C, in clips of the model."
)
@click.option(
    "--shrink", is_flag=True, help="Move noised vectors to where public sentences' vectors are."
)
@click.option("--trials", type=click.IntRange(1, 100), default=3, show_default=True)
@JSON
def evaluate(
    *,
    data: Path,
    column: str,
    label_column: str,
    output: Path,
    models: Path | None,
    epsilons: tuple[float, ...],
    contenders: tuple[str, ...],
    delta: float,
    bundle: Path | None,
    word_epsilons: tuple[float, ...],
    embeddings: str | None,
    labeled: bool,
    clip: float,
    shrink: bool,
    trials: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Measure what rewritten sentences are worth, and what they show, against epsilon.

    Half of DATA trains the models, the other half are the users' sentences. Results are kept as
    they come: started again, a run goes on where it was stopped.
    """
    from dataclasses import asdict

    from brrkit_adept.data import read_sentences
    from brrkit_adept.settings import Settings
    from brrkit_toolchain.embeddings.reader import read_embeddings
    from brrkit_toolchain.io.machine import describe_machine
    from research.adept import evaluate as experiment
    from research.adept.page import summary
    from research.papers.results import Results

    plan = experiment.Plan(
        Settings(**settings),
        labeled=labeled,
        embeddings=None if embeddings is None else read_embeddings(embeddings),
        clip=clip,
        shrunk=shrink,
        bundle=None if bundle is None else WordBundle.open(bundle),
        contenders=contenders or experiment.contenders(bundle is not None),
        epsilons=epsilons,
        word_epsilons=word_epsilons or experiment.WORD_EPSILONS,
        delta=delta,
        trials=trials,
    )
    sentences = read_sentences(data, column, label_column)
    machine = describe_machine(("numpy", "tensorflow", "scikit-learn"))
    described = {"data": sentences.name, "data_sha256": sentences.sha256, **plan.description}
    results = Results(
        output,
        experiment.NAME,
        experiment.METRICS,
        described,
        command_line("research.adept"),
        machine,
    )
    folder = models or output / "models"
    experiment.run(sentences, plan, folder, results)
    experiment.write_examples(sentences, plan, folder, output)
    rows = results.rows()
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    click.echo(summary(rows))
    click.echo(printable(f"Wrote {output / f'{experiment.NAME}.csv'}"))


@adept.command()
@click.argument("folder", type=PATH)
@click.option("--output", type=FOLDER, required=True, help="Markdown file to write.")
def page(*, folder: Path, output: Path) -> None:
    """Write a page of all results in FOLDER, whose folders evaluations have written."""
    from research.adept.page import write_page

    write_page(folder, output)
    click.echo(printable(f"Wrote {output}"))


if __name__ == "__main__":
    run(adept)
