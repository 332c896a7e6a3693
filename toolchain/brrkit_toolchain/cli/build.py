"""``brr build``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from brrkit import WordBundle
from brrkit.bundle import BITS
from brrkit.messages import printable
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.cli.inspect import print_bundle
from brrkit_toolchain.cli.shared import JSON, NUMBER, PATH, options_as, print_json
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import OUTPUT, OUTPUT_FOLDER, SOURCE
from brrkit_toolchain.cli.shared.tasks import task_options
from brrkit_toolchain.codes import EFFORTS
from brrkit_toolchain.defaults import (
    DEFAULT_BITS,
    DEFAULT_EFFORT,
    DEFAULT_METHOD,
    PASS_PROBABILITY,
)
from brrkit_toolchain.language.model import LEAST
from brrkit_toolchain.writing.languages import LANGUAGES


@click.command(
    cls=ShortHelp,
    common=(
        "--embeddings",
        "--output",
        "--vocabulary-size",
        "--text",
        "--spellings",
        "--written-in",
        "--task",
        "--label",
        "--secret",
        "--pass",
        "--force",
    ),
)
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="GloVe, word2vec or FastText file (plain, .gz, .xz, .zip), or gensim data set. Default: "
    "brrkit's sample.",
)
@click.option(
    "--output", type=OUTPUT_FOLDER, default="bundle", show_default=True, help="Folder to write."
)
@click.option(
    "--bits",
    default=DEFAULT_BITS,
    show_default=True,
    help=f"Length of a code without --task: a multiple of 64 from {BITS[0]} to {BITS[-1]}.",
)
@click.option(
    "--method",
    default=DEFAULT_METHOD,
    show_default=True,
    help="How words get codes: neighborhood, autoencoder.",
)
@click.option(
    "--effort",
    default=DEFAULT_EFFORT,
    show_default=True,
    help=f"How long to train the codes: {', '.join(EFFORTS)}.",
)
@click.option(
    "--vocabulary-size", metavar="N", type=int, help="Keep only the first N usable words."
)
@click.option("--word-list", type=PATH, help="Keep only this file's words, one per line.")
@click.option(
    "--exclude",
    type=PATH,
    help="Never release this file's words.",
)
@click.option(
    "--spellings",
    type=PATH,
    help="Table (.tsv, .csv) of spellings and their words.",
)
@click.option(
    "--written-in",
    metavar="LANGUAGE",
    help=f"{'|'.join(LANGUAGES)}, or a .json file with a manifest's 'writing'. "
    "Default: detected from the words.",
)
@click.option(
    "--text",
    type=PATH,
    help="PUBLIC text similar to your users' texts: the bundle reveals its word counts.",
)
@click.option("--column", help="If --text is a table: the column of texts.")
@click.option(
    "--fill-vectors",
    metavar="FILE",
    type=OUTPUT,
    help="Learn vectors of --text's words, write them, and build from them.",
)
@click.option(
    "--least",
    metavar="N",
    default=LEAST,
    show_default=True,
    help="Reveal only words and word pairs that at least N rows of --text or a --task contain "
    "(rows, not people: join each person's rows). Not differentially private.",
)
@click.option(
    "--no-text-digest",
    "text_digest",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Leave out the SHA-256 and length of --text, which can confirm a guess of it.",
)
@task_options(
    "PUBLIC labeled text, a table: keep what words say about labels. Repeatable. All tasks share "
    "64 bits; the bundle shows which words indicate which labels."
)
@click.option(
    "--secret",
    type=PATH,
    multiple=True,
    help="Secret words, one per line: no release distinguishes two of them. Repeatable.",
)
@click.option(
    "--first",
    is_flag=True,
    help="Keep a word of several --secret files on the first list only.",
)
@click.option(
    "--pass",
    "passing",
    metavar="FILE",
    help="PUBLIC words, one per line, mostly released AS TYPED; or function-words:30, the "
    "language's most frequent ones.",
)
@click.option(
    "--pass-probability",
    type=NUMBER,
    default=PASS_PROBABILITY,
    show_default=True,
    help="With --pass: the probability of releasing a word as typed.",
)
@click.option(
    "--word-pairs",
    type=PATH,
    help="Folder of *.txt files ('word word score') to measure codes by. Default: 'wordsim' "
    "near the embeddings.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="The same input, seed and version make the same index.safetensors.",
)
@click.option("--force", is_flag=True, help="Replace an existing folder.")
@JSON
@options_as(BuildPlan, "plan")
def build(
    embeddings: str | None, output: Path, plan: BuildPlan, force: bool, as_json: bool
) -> None:
    """Build a bundle from pretrained embeddings.

    \b
    brr build --embeddings glove.6B.300d.txt
    brr build --embeddings wiki.en.vec.gz --vocabulary-size 50000 --text public-reviews.txt
    brr build --embeddings cc.fr.300d.vec.gz --written-in fr
    brr build --embeddings glove.6B.300d.txt --task reviews.csv --label stars
    brr build --embeddings glove.6B.300d.txt --secret names.txt --pass function-words:30
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import build_bundle
    from brrkit_toolchain.language.cut_words import cut_words
    from brrkit_toolchain.language.lexicon import with_ranked_words
    from brrkit_toolchain.language.texts import check_texts
    from brrkit_toolchain.lists.check import notes_of

    if plan.text is not None:
        check_texts(Path(plan.text), plan.column)
        click.echo(
            printable(
                f"{plan.text}: the bundle will show to everyone how often its words and word pairs "
                "occur, so use only public text"
            ),
            err=True,
        )
    result = build_bundle(embeddings, output, plan, force=force, progress=True)
    if as_json:
        print_json({**asdict(result), "output": str(output)})
        return
    opened = WordBundle.open(output)
    print_bundle(opened)
    for listed in opened.policy.lists:
        for note in notes_of(opened, listed):
            click.echo(printable(f"  note        {listed.name}: {note}"))
    typed = len(opened) - len(cut_words(with_ranked_words(opened.tokenizer)))
    click.echo(f"  typable     {typed:,} of {len(opened):,} words")
    if plan.written_in is None and "writing" in result.manifest:
        click.echo("  written in  detected from the most frequent words; --written-in sets another")
    if result.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.skipped.items())
        click.echo(f"  skipped     {sum(result.skipped.values()):,} rows: {reasons}")
    if (filled := result.filled) is not None:
        click.echo(
            f"  filled      {filled.added:,} words of --text; for {filled.held_out:,} known words, "
            f"vectors learned in this way have a cosine of {filled.cosine:.2f} with the original "
            f"ones, and {filled.nearest:.0%} have the original among the 10 nearest"
        )
    if result.leading_nowhere:
        click.echo(f"              {result.leading_nowhere:,} spellings without a word here")
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in result.stages.items())
    click.echo(f"  seconds     {sum(result.stages.values()):.1f} ({stages})")
    click.echo(printable(f"Wrote {output}"))
