"""``brr adept``: whole sentences, rewritten by an autoencoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from brrkit.messages import printable
from brrkit_toolchain.cli.outputs import KEPT, OUTPUT_FOLDER, SOURCE
from brrkit_toolchain.cli.privatize import lines
from brrkit_toolchain.cli.shared import JSON, NUMBER, PATH, print_json

_VARIANTS = ("codes", "laplace-l1", "laplace-l2", "gaussian")


@click.group()
def adept() -> None:
    """Rewrite whole sentences by an autoencoder with private noise in its latent vector.

    The guarantee is epsilon between ANY two sentences, for sentences that the model wasn't trained
    on. See docs/adept.md.
    """


EMBEDDINGS = click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="Word vectors that the training starts from (GloVe, word2vec, FastText).",
)


@adept.command()
@click.option(
    "--data",
    type=PATH,
    required=True,
    help="Sentences to train on, NOT those to be rewritten: .csv or .tsv (or with .gz), or a text "
    "file with one a line.",
)
@click.option("--output", type=OUTPUT_FOLDER, required=True, help="Folder to write.")
@click.option("--column", default="text", show_default=True, help="Of a table: the sentences.")
@click.option(
    "--label-column",
    help="Of a table: their labels, which are then encoded and come out with the sentence.",
)
@click.option("--dimensions", default=64, show_default=True, help="Of the latent vector.")
@click.option("--hidden", default=256, show_default=True, help="Units of encoder and decoder.")
@click.option("--embedding", default=128, show_default=True, help="Dimensions of a word's vector.")
@click.option(
    "--norm",
    type=click.Choice(["1", "2"]),
    default="2",
    show_default=True,
    help="By which latent vectors are clipped in training: 1 for laplace-l1, 2 for the others.",
)
@click.option(
    "--noise",
    type=NUMBER,
    default=0.0,
    show_default=True,
    help="Length of the noise in training, in clips: the decoder learns to bear it.",
)
@EMBEDDINGS
@click.option("--epochs", default=15, show_default=True, help="Passes over the sentences.")
@click.option("--learning-rate", type=NUMBER, default=3e-3, show_default=True, help="At first.")
@click.option(
    "--words",
    type=click.IntRange(1, 1_000_000),
    default=8_000,
    show_default=True,
    help="Of the vocabulary, at most.",
)
@click.option(
    "--least-count",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Of a word of the vocabulary.",
)
@click.option(
    "--longest",
    type=click.IntRange(1, 1_000),
    default=40,
    show_default=True,
    help="Words of a sentence that count.",
)
@click.option("--seed", default=0, show_default=True)
@click.option("--force", is_flag=True, help="Replace a model that is already there.")
@JSON
def train(
    *,
    data: Path,
    output: Path,
    column: str,
    label_column: str | None,
    embeddings: str | None,
    words: int,
    least_count: int,
    longest: int,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Train an autoencoder on sentences that are nobody's secret.

    \b
    brr adept train --data public.tsv --label-column label --output model
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain.adept.data import read_sentences
    from brrkit_toolchain.adept.model import make_model
    from brrkit_toolchain.adept.train import Settings
    from brrkit_toolchain.embeddings.reader import read_embeddings

    chosen = Settings(norm=int(settings.pop("norm")), **settings)
    sentences = read_sentences(data, column, label_column)
    manifest = make_model(
        sentences,
        output,
        chosen,
        embeddings=None if embeddings is None else read_embeddings(embeddings, progress=True),
        words=words,
        least=least_count,
        longest=longest,
        force=force,
    )
    if as_json:
        print_json({"output": str(output), "manifest": manifest})
        return
    sizes = manifest["sizes"]
    click.echo(
        f"{manifest['trained_on']['rows']:,} sentences, {sizes['tokens']:,} tokens, "
        f"{sizes['latent']} dimensions; loss {manifest['loss']:.3f} nats a token"
    )
    click.echo(printable(f"Wrote {output}"))


@adept.command()
@click.argument("model", type=PATH)
@click.option("--epsilon", type=NUMBER, required=True, help="Between any two sentences.")
@click.option("--delta", type=NUMBER, help="For gaussian: 1e-12 to 0.01.")
@click.option(
    "--variant",
    default=_VARIANTS[0],
    show_default=True,
    help=f"Clip and noise: {', '.join(_VARIANTS)}.",
)
@click.option(
    "--beam", type=click.IntRange(1, 64), default=1, show_default=True, help="1 is greedy."
)
@click.option(
    "--repeat",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="So many words in a row don't come twice; 0 allows it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print an object for each line.")
def rewrite(
    *,
    model: Path,
    epsilon: float,
    delta: float | None,
    variant: str,
    beam: int,
    repeat: int,
    as_json: bool,
) -> None:
    """Rewrite the sentences of standard input, a line for a line.

    For a model with labels, a line is the label, a tab and the sentence, and so is what comes out.
    A label that isn't given, or unknown, is one that the model is told nothing about.
    """
    import json

    from brrkit_toolchain.adept.model import open_model

    opened, _ = open_model(model)
    release = opened.release(variant, epsilon, delta)
    for _, line in lines(Path("-")):
        label, _, text = line.rpartition("\t") if opened.vocabulary.labels else ("", "", line)
        found, rewritten = opened.rewrite([text], release, [label], beam=beam, repeat=repeat)[0]
        if as_json:
            fields = {"text": rewritten} if found is None else {"label": found, "text": rewritten}
            click.echo(json.dumps(fields, ensure_ascii=False))
        else:
            # Flushed, so that a program at the other end of a pipe gets each line when it is ready.
            click.echo(rewritten if found is None else f"{found}\t{rewritten}")


@adept.command()
@click.argument("model", type=PATH)
@click.option("--output", type=OUTPUT_FOLDER, required=True, help="Folder to write.")
@click.option("--force", is_flag=True, help="Replace an export that is already there.")
@JSON
def export(*, model: Path, output: Path, force: bool, as_json: bool) -> None:
    """Write a model's encoder and decoder as TFLite graphs, checked against it.

    They aren't private: what an app decodes must be a released vector.
    """
    from brrkit_toolchain.adept import graphs

    manifest = graphs.export(model, output, force=force)
    if as_json:
        print_json({"output": str(output), "manifest": manifest})
        return
    for name, file in manifest["files"].items():
        click.echo(f"{name:16} {file['size']:>12,} bytes")
    click.echo(printable(f"Wrote {output}"))


@adept.command()
@click.option("--data", type=PATH, required=True, help="Labelled sentences: .csv or .tsv.")
@click.option("--column", default="text", show_default=True, help="The sentences.")
@click.option("--label-column", default="label", show_default=True, help="Their labels.")
@click.option("--output", type=KEPT, required=True, help="Folder of results.")
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
@EMBEDDINGS
@click.option("--epochs", default=15, show_default=True, help="Of each training.")
@click.option(
    "--labels/--no-labels",
    "labelled",
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
    labelled: bool,
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
    import shlex
    import sys
    from dataclasses import asdict

    from brrkit import WordBundle
    from brrkit_toolchain.adept import evaluate as experiment
    from brrkit_toolchain.adept.data import read_sentences
    from brrkit_toolchain.adept.page import summary
    from brrkit_toolchain.adept.train import Settings
    from brrkit_toolchain.embeddings.reader import read_embeddings
    from brrkit_toolchain.evaluate.results import Results
    from brrkit_toolchain.output.machine import describe_machine

    plan = experiment.Plan(
        Settings(**settings),
        labelled=labelled,
        embeddings=None if embeddings is None else read_embeddings(embeddings, progress=True),
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
    # Paths are nobody's business: a results file names files.
    words = [Path(word).name or word for word in sys.argv[1:]]
    command = shlex.join(["brr", *words])
    machine = describe_machine(("numpy", "tensorflow", "scikit-learn"))
    described = {"data": sentences.name, "data_sha256": sentences.sha256, **plan.description}
    results = Results(output, experiment.NAME, experiment.METRICS, described, command, machine)
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
@click.option("--output", type=KEPT, required=True, help="Markdown file to write.")
def page(*, folder: Path, output: Path) -> None:
    """Write a page of all results in FOLDER, whose folders evaluations have written."""
    from brrkit_toolchain.adept.page import write_page

    write_page(folder, output)
    click.echo(printable(f"Wrote {output}"))
