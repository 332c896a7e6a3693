"""``brr adept``: whole sentences, rewritten by an autoencoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from brrkit.messages import printable
from brrkit_adept.settings import SentenceLimits, Settings
from brrkit_toolchain.cli.privatize import lines
from brrkit_toolchain.cli.shared import JSON, NUMBER, PATH, options_as, print_json
from brrkit_toolchain.cli.shared.outputs import OUTPUT_FOLDER, SOURCE


@dataclass(frozen=True)
class SentenceFile:
    """Where sentences are.

    Attributes:
        data: a table, or a text file.
        column: of a table, that holds the sentences.
        label_column: of a table, that holds their labels; None for no labels.
    """

    data: Path
    column: str
    label_column: str | None = None


@click.group()
def adept() -> None:
    """Rewrite whole sentences with an autoencoder that has a private latent code.

    See docs/how-to/sentences.md.
    """


EMBEDDINGS = click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="Word vectors to start the training from.",
)


@adept.command()
@click.option(
    "--data",
    type=PATH,
    required=True,
    help="Sentences to train on, NOT those to be rewritten: a table, or a text file.",
)
@click.option("--output", type=OUTPUT_FOLDER, required=True, help="Folder to write.")
@click.option(
    "--column",
    default="text",
    show_default=True,
    help="If --data is a table: the column of sentences.",
)
@click.option(
    "--label-column",
    help="If --data is a table: the column of labels to encode.",
)
@click.option(
    "--dimensions", default=64, show_default=True, help="Dimensions of the latent vector."
)
@click.option(
    "--hidden", default=256, show_default=True, help="Units of the encoder and the decoder."
)
@click.option("--embedding", default=128, show_default=True, help="Dimensions of a word's vector.")
@click.option(
    "--noise",
    type=NUMBER,
    default=0.0,
    show_default=True,
    help="Mean noise length in training, in multiples of the clipping norm.",
)
@EMBEDDINGS
@click.option("--epochs", default=15, show_default=True, help="Passes over the sentences.")
@click.option(
    "--learning-rate",
    type=NUMBER,
    default=3e-3,
    show_default=True,
    help="Learning rate at the start.",
)
@click.option(
    "--words",
    type=click.IntRange(1, 1_000_000),
    default=8_000,
    show_default=True,
    help="Largest size of the vocabulary.",
)
@click.option(
    "--least-count",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Smallest count of a word in the vocabulary.",
)
@click.option(
    "--longest",
    type=click.IntRange(1, 1_000),
    default=40,
    show_default=True,
    help="Words used per sentence.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@click.option("--force", is_flag=True, help="Replace an existing folder.")
@JSON
@options_as(SentenceFile, "file")
@options_as(SentenceLimits, "limits")
@options_as(Settings, "settings")
def train(
    *,
    file: SentenceFile,
    output: Path,
    settings: Settings,
    limits: SentenceLimits,
    embeddings: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Train an autoencoder on public sentences.

    \b
    brr adept train --data public.tsv --label-column label --output model
    """  # noqa: D301 - click reads the \b
    from brrkit_adept.data import read_sentences
    from brrkit_adept.model import make_model
    from brrkit_toolchain.embeddings.reader import read_embeddings

    sentences = read_sentences(file.data, file.column, file.label_column)
    manifest = make_model(
        sentences,
        output,
        settings,
        limits,
        embeddings=None if embeddings is None else read_embeddings(embeddings, progress=True),
        force=force,
        progress=True,
    )
    if as_json:
        print_json({"output": str(output), "manifest": manifest})
        return
    sizes = manifest["sizes"]
    click.echo(
        f"{manifest['trained_on']['rows']:,} sentences, {sizes['tokens']:,} tokens, "
        f"{sizes['latent']} dimensions; training loss {manifest['loss']:.3f} nats a token"
    )
    click.echo(printable(f"Wrote {output}"))


@adept.command()
@click.argument("model", type=PATH)
@click.option("--epsilon", type=NUMBER, required=True, help="Epsilon between any two sentences.")
@click.option(
    "--beam",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Width of the beam; 1 is greedy.",
)
@click.option(
    "--repeat",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="Never repeat a sequence of this many words; 0 allows it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def rewrite(
    *,
    model: Path,
    epsilon: float,
    beam: int,
    repeat: int,
    as_json: bool,
) -> None:
    """Rewrite the sentences of standard input, line by line.

    After training with --label-column, lines consist of a label, a tab and a sentence. An input's
    label may be missing.
    """
    import json

    from brrkit_adept.model import open_model

    opened, _ = open_model(model)
    release = opened.release(epsilon)
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
@click.option("--force", is_flag=True, help="Replace an existing folder.")
@JSON
def export(*, model: Path, output: Path, force: bool, as_json: bool) -> None:
    """Write a model's encoder and decoder as TFLite graphs.

    The graphs are not private: an app must decode released vectors only.
    """
    from brrkit_adept import graphs

    manifest = graphs.export(model, output, force=force)
    if as_json:
        print_json({"output": str(output), "manifest": manifest})
        return
    for name, file in manifest["files"].items():
        click.echo(f"{name:16} {file['size']:>12,} bytes")
    click.echo(printable(f"Wrote {output}"))
