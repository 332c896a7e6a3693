"""``python -m research.papers``: the papers' experiments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmarks.commands import FOLDER, PATH, command_line
from benchmarks.commands import run as run_command
from brrkit import WordBundle
from brrkit.messages import printable
from brrkit_toolchain.attackers.one_word import WORD_ATTACKERS
from brrkit_toolchain.cli.shared import (
    BUNDLE,
    FILE,
    JSON,
    NUMBER,
    Decorator,
    check_seed,
    print_json,
    with_options,
)

if TYPE_CHECKING:
    from brrkit_toolchain.calibrate.search import Calibration
    from brrkit_toolchain.tasks.corpus import Corpus
    from research.papers.bundle_words import BundleWords
    from research.papers.results import Results

_LIBRARIES = ("numpy", "faiss-cpu", "scikit-learn", "ai-edge-litert", "annoy")

_SUBJECT = with_options(
    BUNDLE,
    click.option(
        "--embeddings",
        metavar="SRC",
        required=True,
        help="What the bundle was built from.",
    ),
)


def _data(*, required: bool) -> Decorator:
    return with_options(
        click.option(
            "--data",
            type=PATH,
            required=required,
            help="Labeled texts: a table.",
        ),
        click.option("--text-column", default="text", show_default=True, help="Holds the texts."),
        click.option("--label-column", default="label", show_default=True, help="Their classes."),
        click.option(
            "--split-column", help="Says train or test. Default: texts are divided at random."
        ),
    )


_RUN = with_options(
    click.option(
        "--scale",
        default="smoke",
        show_default=True,
        help="smoke, small, medium, paper, or a number from 0.001 to 1, the paper's size.",
    ),
    click.option("--trials", type=click.IntRange(1, 1_000), help="Default: by the scale."),
    click.option(
        "--output", type=FOLDER, default="evaluation", show_default=True, help="Folder of results."
    ),
)
_EPSILON = click.option(
    "--epsilon",
    "epsilons",
    type=NUMBER,
    multiple=True,
    help="Of Madlib, once for each; the others get the same E = epsilon * P_avg. Default: a range.",
)


@click.group()
def papers() -> None:
    """Run the papers' experiments.

    Results are kept as they come: started again, a run goes on where it was stopped. 'page' shows
    them.
    """


@papers.command()
@_SUBJECT
@_data(required=True)
@_EPSILON
@_RUN
def sentiment(**options: Any) -> None:
    """Utility of privatized texts (BRR, figure 1a).

    Accuracy of a classifier that is trained on privatized texts, on others as they were typed.
    """
    from research.papers import sentiment as experiment

    _on_texts(experiment, **options)


@papers.command()
@_SUBJECT
@_data(required=True)
@_EPSILON
@_RUN
def membership(**options: Any) -> None:
    """Membership inference (BRR, figure 1b).

    AUC of an attack that tells whether a text was in the training data of 'sentiment's classifier.
    """
    from research.papers import membership as experiment

    _on_texts(experiment, **options)


@papers.command()
@_SUBJECT
@_RUN
def storage(bundle: Path, embeddings: str, scale: str, trials: int | None, output: Path) -> None:
    """Sizes and time a word (BRR, section 6)."""
    from research.papers import storage as experiment
    from research.papers.bundle_words import open_bundle_words
    from research.papers.scale import Scale

    sizes = Scale.parse(scale, trials)
    bundle_words = open_bundle_words(bundle, embeddings)
    settings = {**bundle_words.settings, "data": None, "size": experiment.size(sizes)}
    results = _results(output, experiment, settings)
    experiment.run(WordBundle.open(bundle), bundle_words, sizes, results)
    _show(output, experiment)


@papers.command()
@_SUBJECT
@click.option(
    "--lexicon",
    type=(PATH, PATH),
    metavar="POSITIVE NEGATIVE",
    required=True,
    help="Two files of opinion words, one a line; lines that start with ; are comments.",
)
@_data(required=False)
@_EPSILON
@_RUN
def inference(
    bundle: Path,
    embeddings: str,
    lexicon: tuple[Path, Path],
    data: Path | None,
    text_column: str,
    label_column: str,
    split_column: str | None,
    epsilons: tuple[float, ...],
    scale: str,
    trials: int | None,
    output: Path,
) -> None:
    """Inference error (Vickrey, figures 2, 3).

    How often an adversary guesses a word of the lexicon wrong, against epsilon and against the
    share of words that come out with the opposite sentiment.

    With --data, the prior of the lexicon's words is their frequency in those texts.
    """
    from research.papers import inference as experiment
    from research.papers.bundle_words import open_bundle_words
    from research.papers.lexicon import read_lexicon
    from research.papers.scale import Scale

    sizes = Scale.parse(scale, trials)
    known = read_lexicon(*lexicon)
    whole = open_bundle_words(bundle, embeddings)
    counts, about = None, {"data": None}
    if data is not None:
        corpus, about = _corpus(data, text_column, label_column, split_column, whole)
        counts = corpus.counts(len(whole.words))
    words = experiment.find_words(whole.words, known, counts)
    bundle_words = whole.restricted(words.ids)
    estimated_losses = bundle_words.estimated_losses(
        epsilons, experiment.ESTIMATED_LOSSES, coarse=sizes.coarse
    )
    settings = {
        **bundle_words.settings,
        **about,
        "lexicon_words": len(words.ids),
        "size": experiment.size(sizes),
    }
    results = _results(output, experiment, settings)
    experiment.run(bundle_words, words, sizes, estimated_losses, results)
    _show(output, experiment)


@papers.command()
@BUNDLE
@click.option(
    "--utility-loss",
    metavar="C",
    type=NUMBER,
    help="Limit the expected utility loss; for vickrey, t is chosen too (Algorithm 2).",
)
@click.option(
    "--labels",
    type=FILE,
    help="With --utility-loss: a table with columns word and label. Only these words count; an "
    "output with another label or none loses 1.",
)
@click.option(
    "--madlib-epsilon",
    metavar="E",
    type=NUMBER,
    help="Match the E of Laplace noise on float vectors at its epsilon E.",
)
@click.option("--mechanism", help="Only this one. Default: all.")
@click.option(
    "--attacker",
    type=click.Choice(WORD_ATTACKERS),
    help="Whose success is measured. Default: by the mechanism's base.",
)
@click.option("--write", is_flag=True, help="Write the recommended setting into the bundle.")
@click.option("--sample", metavar="N", type=int, help="Measure N words. Default: 1,000.")
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@JSON
def calibrate(
    bundle: Path, labels: Path | None, write: bool, as_json: bool, **options: Any
) -> None:
    """Choose a setting as the papers do (BRR, definition 5.1; Vickrey, algorithm 2)."""
    from brrkit_toolchain import write_recommended
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.cli.calibrate import words
    from research.papers.calibrate import find
    from research.papers.labels import read_labels

    check_seed(options["seed"])
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    given = {name: value for name, value in options.items() if value is not None}
    known = None if labels is None else read_labels(labels, opened)
    if known is not None:
        given["labels"] = known
    mechanism = given.pop("mechanism", None)

    def search(mechanism: str, recommended: Calibration | None) -> Calibration:
        of = given if recommended is None else given | {"attacker": recommended.goal.attacker}
        return find(opened, mechanism=mechanism, progress=True, **of)

    found = words.search_mechanisms(mechanism, search)
    if write:
        write_recommended(bundle, found.setting)
    if as_json:
        print_json(words.to_json(opened, found))
        return
    if known is not None:
        click.echo(
            printable(
                f"{len(known.words):,} labeled words ({', '.join(known.names)}); "
                f"{known.unknown:,} others are out of vocabulary"
            )
        )
    words.show(opened, found)
    if write:
        click.echo(printable(f"Wrote the setting into {bundle}. {words.USED}"))


@papers.command()
@click.argument("folder", type=PATH)
@click.option("--output", type=FOLDER, help="Markdown file to write. Default: FOLDER/results.md.")
def page(folder: Path, output: Path | None) -> None:
    """Write a page of all results in FOLDER.

    Tables and plots from what is stored there and in its subfolders; nothing is measured.
    """
    from research.papers.page import write_page

    file = output or folder / "results.md"
    write_page(folder, file)
    click.echo(printable(f"Wrote {file}"))


def _on_texts(
    experiment: Any,
    bundle: Path,
    embeddings: str,
    data: Path,
    text_column: str,
    label_column: str,
    split_column: str | None,
    epsilons: tuple[float, ...],
    scale: str,
    trials: int | None,
    output: Path,
) -> None:
    from research.papers.bundle_words import open_bundle_words
    from research.papers.scale import Scale
    from research.papers.texts import ESTIMATED_LOSSES, size

    sizes = Scale.parse(scale, trials)
    bundle_words = open_bundle_words(bundle, embeddings)
    estimated_losses = bundle_words.estimated_losses(
        epsilons, ESTIMATED_LOSSES, coarse=sizes.coarse
    )
    corpus, about = _corpus(data, text_column, label_column, split_column, bundle_words)
    settings = {**bundle_words.settings, **about, "size": size(sizes)}
    results = _results(output, experiment, settings)
    experiment.run(bundle_words, corpus, sizes, estimated_losses, results)
    _show(output, experiment)


def _corpus(
    data: Path,
    text_column: str,
    label_column: str,
    split_column: str | None,
    bundle_words: BundleWords,
) -> tuple[Corpus, dict[str, Any]]:
    """Return the texts, and the settings on which results depend."""
    from brrkit_toolchain.language.lexicon import tokenizer_of
    from brrkit_toolchain.tasks.corpus import read_corpus
    from brrkit_toolchain.tasks.dataset import read_dataset

    dataset = read_dataset(data, text_column, label_column, split_column)
    corpus = read_corpus(dataset, tokenizer_of(bundle_words.words))
    for count, reason in ((dataset.empty, "empty"), (corpus.unknown, "without a known word")):
        if count:
            click.echo(printable(f"{data.name}: {count:,} texts left out: {reason}"), err=True)
    columns = [text_column, label_column, split_column]
    return corpus, {"data": dataset.name, "data_sha256": dataset.sha256, "columns": columns}


def _results(output: Path, experiment: Any, settings: Mapping[str, Any]) -> Results:
    from brrkit_toolchain.io.machine import describe_machine
    from research.papers.results import Results

    machine = describe_machine(_LIBRARIES)
    command = command_line("research.papers")
    return Results(output, experiment.NAME, experiment.METRICS, settings, command, machine)


def _show(output: Path, experiment: Any) -> None:
    from research.papers.page import evaluated

    for table in experiment.findings(evaluated(output, experiment.NAME)).tables:
        click.echo(table.to_text())
    file = output / f"{experiment.NAME}.csv"
    click.echo(printable(f"Wrote {file}; see it with: python -m research.papers page {output}"))


if __name__ == "__main__":
    run_command(papers)
