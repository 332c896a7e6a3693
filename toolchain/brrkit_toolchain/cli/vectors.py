"""``brr vectors``."""

from __future__ import annotations

from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM, Setting
from brrkit_toolchain.cli.shared import BUNDLE, setting_options
from brrkit_toolchain.cli.shared.outputs import OUTPUT, SOURCE


@click.command()
@BUNDLE
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    required=True,
    help="Vectors of all words in the bundle.",
)
@click.option(
    "--output", type=OUTPUT, required=True, help="File to write, in word2vec's text format."
)
@setting_options([DEFAULT_MECHANISM])
def vectors(
    bundle: Path,
    embeddings: str,
    output: Path,
    setting: Setting | None,
) -> None:
    """Write, for each released word, the mean vector of the words that may have been typed.

    For classifiers of released texts. Mechanism: exponential only.

    \b
    brr vectors my-bundle --embeddings glove.6B.300d.txt --output vectors.txt
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import posterior_vectors
    from brrkit_toolchain.embeddings.writer import write_word2vec

    opened = WordBundle.open(bundle)
    means = posterior_vectors(opened, embeddings, setting, progress=True)
    words = list(opened.vocabulary)
    write_word2vec(output, words, means, progress=True)
    click.echo(printable(f"Wrote {output}: {len(words):,} words x {means.shape[1]}"))
