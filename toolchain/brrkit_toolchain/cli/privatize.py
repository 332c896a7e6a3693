"""``brr privatize``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import click
import numpy as np

from brrkit import BrrError, Memory, PrivacyBudget, Privatizer, WordBundle
from brrkit.privatizer import OOV_POLICIES, PASS, RELEASE
from brrkit.setting import MOST_FRAME_WORDS
from brrkit_toolchain.cli.shared import (
    NUMBER,
    PATH,
    TEXT,
    frame_words_of,
    options_as,
    setting_options,
)
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import KEPT_FILE, OUTPUT
from brrkit_toolchain.io.files import DAMAGED, decompressed, numbered_lines
from brrkit_toolchain.io.tables.formats import SUFFIXES
from brrkit_toolchain.privatize.plan import CorpusPlan

_LONGEST_LINE = 1 << 20
"""Length in bytes."""


@dataclass(frozen=True)
class Person:
    """Arguments for the budget and the memory of the person whose lines are privatized.

    Attributes:
        budget: arguments of ``PrivacyBudget``.
        memory: arguments of ``Memory``.
        second_epsilon: epsilon of second draws, with a memory.
    """

    budget: tuple[float, float, Path] | None = None
    memory: tuple[float, Path] | None = None
    second_epsilon: float | None = None


@dataclass(frozen=True)
class Target:
    """The output.

    Attributes:
        output: output file, written as a whole; None for lines to standard output.
        file_format: format of both files; None for the format of their suffix.
        jobs: number of processes.
    """

    output: Path | None = None
    file_format: str | None = None
    jobs: int = 1


@click.command(
    cls=ShortHelp,
    common=("--sample", "--input", "--output", "--column", "--keep", "--jobs", "--epsilon"),
)
@click.argument("bundle", type=PATH, required=False)
@click.option(
    "--sample",
    is_flag=True,
    help="Use brrkit's own small, calibrated bundle.",
)
@click.option(
    "--input",
    "file",
    type=TEXT,
    default="-",
    metavar="FILE",
    help="File to privatize. Default: standard input.",
)
@click.option(
    "--output",
    type=OUTPUT,
    help="Write a whole file in the input's format, compressed if its suffix says so. Default: "
    "write lines to standard output.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    help="With --output: a column of texts to privatize. Repeatable.",
)
@click.option(
    "--keep",
    multiple=True,
    help="With --output: a column to write UNCHANGED, NOT PRIVATIZED. Repeatable.",
)
@click.option(
    "--marks",
    metavar="COLUMN",
    help='With --output: a column of JSON, [[start, end, "names"], ...]: parts of the text (in '
    "code points), each treated as a word of that secret list; without a name, as an unknown word.",
)
@click.option(
    "--rest",
    default=RELEASE,
    show_default=True,
    help="With --marks: release the text around them, or pass it: write it UNCHANGED, NOT "
    "PRIVATIZED.",
)
@click.option(
    "--frames",
    is_flag=True,
    help="Release a frame of each text: a fixed number of words, from a random piece of it. The "
    "bundle states the number (calibrate --frames).",
)
@click.option(
    "--frame-words",
    type=int,
    help=f"Release frames of this number of words, 1 to {MOST_FRAME_WORDS}.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice([*dict.fromkeys(SUFFIXES.values())]),
    help=f"Format of both files. Default: by the suffix ({', '.join(SUFFIXES)}).",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    help="With --output: number of processes; each needs about 700 MB of RAM.",
)
@setting_options()
@click.option(
    "--oov",
    default="random",
    show_default=True,
    help=f"Treatment of words outside the vocabulary: {', '.join(OOV_POLICIES)}. random "
    "privatizes a random word in their place, drawn in proportion to the masses. drop and error "
    "REVEAL, with certainty, which words were unknown. An unknown word costs budget like any "
    "other.",
)
@click.option(
    "--budget",
    type=(NUMBER, NUMBER, KEPT_FILE),
    metavar="LIMIT SECONDS FILE",
    help="Stop when LIMIT epsilon has been spent in a period of SECONDS. FILE keeps the state.",
)
@click.option(
    "--memory",
    type=(NUMBER, KEPT_FILE),
    metavar="SECONDS FILE",
    help="Keep each word's first draw for a period of SECONDS, and release second draws from it. "
    "FILE keeps the secret key.",
)
@click.option(
    "--second-epsilon",
    type=NUMBER,
    help="With --memory: epsilon of the second draws. Default: twice epsilon.",
)
@options_as(CorpusPlan, "plan")
@options_as(Person, "person")
@options_as(Target, "target")
def privatize(
    bundle: Path | None,
    sample: bool,
    file: Path,
    frames: bool,
    plan: CorpusPlan,
    person: Person,
    target: Target,
) -> None:
    """Privatize the lines of a text, or columns of a table.

    Each text becomes its privatized words; case, punctuation and spacing are dropped. Columns that
    neither --column nor --keep names are left out.
    """
    if sample == (bundle is not None):
        raise click.UsageError("give a BUNDLE, or --sample for the one that comes with brrkit")
    opened = WordBundle.sample() if bundle is None else WordBundle.open(bundle)
    if frames and plan.frame_words is None:
        plan = replace(plan, frame_words=frame_words_of(opened))
    if target.output is None:
        if any((plan.columns, plan.keep, plan.marks)) or target.file_format not in (None, "text"):
            raise BrrError("columns and formats need a file to write; name it with --output")
        if target.jobs != 1:
            raise BrrError("jobs need a file to write; name it with --output")
        if plan.frame_words is not None and person.memory:
            raise BrrError("a memory would link frames; leave --memory or --frames out")
        _print_lines(
            file,
            opened,
            plan.frame_words,
            Privatizer(
                opened,
                plan.setting,
                oov=plan.oov,
                budget=PrivacyBudget(*person.budget) if person.budget else None,
                memory=Memory(*person.memory) if person.memory else None,
                second_epsilon=person.second_epsilon,
            ),
        )
        return
    if file == Path("-"):
        raise BrrError("--output needs a file to read; name it with --input")
    if person.budget:
        raise BrrError(
            "--budget is for the text of one person, line by line; leave it out with --output"
        )
    if person.memory or person.second_epsilon is not None:
        raise BrrError(
            "--memory is for the text of one person, line by line; leave it out with --output"
        )
    if plan.rest == PASS:
        click.echo(
            "What no mark covers is written as it is, not privatized: a secret word that was "
            "missed is shown",
            err=True,
        )
    from brrkit_toolchain import privatize_file

    rows = privatize_file(
        opened,
        file,
        target.output,
        plan,
        file_format=target.file_format,
        jobs=target.jobs,
        progress=True,
    )
    click.echo(f"Wrote {rows:,} rows to {target.output}")


def _print_lines(
    file: Path, bundle: WordBundle, frame_words: int | None, privatizer: Privatizer
) -> None:
    for number, line in lines(file):
        try:
            if frame_words is None:
                released = privatizer.text(line)
            else:
                released = " ".join(privatizer.words(_frame(line, frame_words, bundle)))
        except BrrError as error:
            raise BrrError(f"line {number}: {error}") from None
        # Flushed, so that a program at the other end of a pipe gets each line at once.
        click.echo(released)


def _frame(line: str, words: int, bundle: WordBundle) -> list[str]:
    """Return a frame from ``line``, with the empty string for each unknown word."""
    from brrkit_toolchain.channel.drawing.frames import framed

    unknown = len(bundle)
    typed = [token.word_id for token in bundle.tokenizer.read(line)]
    ids = np.array([unknown if each is None else each for each in typed], np.intp)
    frame = framed([ids], words, unknown, os.urandom)[0].tolist()
    return ["" if each == unknown else bundle.vocabulary.word(each) for each in frame]


def lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers and lines of a UTF-8 file, which may be compressed, or of standard input.

    Each line is yielded as soon as it is available.
    """
    name = "standard input" if file == Path("-") else str(file)
    try:
        with _open(file) as stream:
            content = stream if file == Path("-") else decompressed(stream)
            yield from numbered_lines(content, name, _LONGEST_LINE)
    except DAMAGED:
        raise BrrError(f"{name}: compressed and damaged; get it again") from None
    except OSError as error:
        raise BrrError(f"{name}: can't be read ({error.strerror}); check the path") from None


def _open(file: Path) -> AbstractContextManager[BinaryIO]:
    if file != Path("-"):
        return file.open("rb")
    if sys.stdin is None:
        raise BrrError("standard input is closed; name a file, or pipe a text into it")
    return nullcontext(sys.stdin.buffer)
