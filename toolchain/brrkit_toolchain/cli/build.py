"""``brr build``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from brrkit.bundle import BITS
from brrkit.messages import printable
from brrkit_toolchain import DEFAULT_BITS, DEFAULT_EFFORT, DEFAULT_METHOD
from brrkit_toolchain.cli.inspect import print_manifest
from brrkit_toolchain.cli.outputs import OUTPUT_FOLDER, SOURCE
from brrkit_toolchain.cli.shared import JSON, PATH, print_json
from brrkit_toolchain.codes import EFFORTS, METHODS
from brrkit_toolchain.language.model import LEAST


@click.command()
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="Pretrained embeddings: a GloVe, word2vec or FastText file (text or binary; plain, .gz, "
    ".xz, .zip), or a gensim data set's name. Default: the sample that comes with brrkit.",
)
@click.option(
    "--output", type=OUTPUT_FOLDER, default="bundle", show_default=True, help="Directory to write."
)
@click.option(
    "--bits",
    default=DEFAULT_BITS,
    show_default=True,
    help=f"Length of a code: a multiple of 64 from {BITS[0]} to {BITS[-1]}.",
)
@click.option(
    "--method",
    default=DEFAULT_METHOD,
    show_default=True,
    help=f"How words get their codes: {', '.join(METHODS)}.",
)
@click.option(
    "--effort",
    default=DEFAULT_EFFORT,
    show_default=True,
    help=f"How long to train the codes: {', '.join(EFFORTS)}.",
)
@click.option("--vocabulary-size", metavar="N", type=int, help="Keep the first N usable words.")
@click.option("--word-list", type=PATH, help="Keep only the words of this file, one a line.")
@click.option(
    "--exclude",
    type=PATH,
    help="Leave out the words of this file, one a line: they are never released.",
)
@click.option(
    "--text",
    type=PATH,
    help="PUBLIC text like what will be typed (text, CSV, JSON lines or Parquet): the bundle "
    "learns from it which words follow which. Its counts are in the bundle for all to see.",
)
@click.option("--column", help="Of --text, the column with the texts.")
@click.option(
    "--least",
    metavar="N",
    default=LEAST,
    show_default=True,
    help="Keep no pair of words that occurs less often in --text.",
)
@click.option(
    "--word-pairs",
    type=PATH,
    help="Folder of word similarity judgements ('word word score' in *.txt) to measure the codes "
    "with. Default: a folder 'wordsim' beside the embeddings or their folder.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Same input, seed and version: the same index.safetensors.",
)
@click.option("--force", is_flag=True, help="Replace a bundle that is already there.")
@JSON
def build(output: Path, as_json: bool, embeddings: str | None, **options: Any) -> None:
    """Build a bundle from pretrained embeddings.

    \b
    brr build --embeddings glove.6B.300d.txt --output my-bundle
    brr build --embeddings wiki.en.vec.gz --vocabulary-size 50000 --text public-reviews.txt
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import build_bundle

    result = build_bundle(embeddings, output, progress=True, **options)
    if as_json:
        fields = {"output": str(output), "sizes": result.sizes, "skipped": result.skipped}
        print_json({**fields, "stages": result.stages, "manifest": result.manifest})
        return
    print_manifest(result.manifest, result.sizes)
    if result.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.skipped.items())
        click.echo(f"  skipped     {reasons}")
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in result.stages.items())
    click.echo(f"  seconds     {sum(result.stages.values()):.1f} ({stages})")
    click.echo(printable(f"Wrote {output}"))
