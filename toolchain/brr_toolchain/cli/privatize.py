"""``brr privatize``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from brr_runtime import BrrError, Bundle, Memory, PrivacyBudget, Privatizer
from brr_runtime.mechanisms import MECHANISMS
from brr_runtime.privatizer import OOV_POLICIES
from brr_toolchain.cli.shared import BUNDLE, FILE, TEXT, T, t_parameter

_LONGEST_LINE = 1 << 20  # bytes


@click.command()
@BUNDLE
@click.argument("file", type=TEXT, default="-")
@click.option(
    "--epsilon",
    type=float,
    help="Privacy parameter per bit of distance. Default: the setting that the bundle recommends.",
)
@click.option("--mechanism", help=f"With --epsilon: {', '.join(MECHANISMS)}. Default: brr.")
@click.option(
    "--oov",
    default="random",
    show_default=True,
    help=f"What becomes of words outside the vocabulary: {', '.join(OOV_POLICIES)}. "
    "random: a random word of the vocabulary is privatized in their place. drop and error REVEAL, "
    "with certainty, which words were unknown (rare names, passwords, typos): drop by what is "
    "missing, error by where it stops. An unknown word costs budget like any other in any case.",
)
@T
@click.option(
    "--budget",
    type=(float, float, FILE),
    metavar="LIMIT SECONDS FILE",
    help="Stop when a period of SECONDS has released LIMIT epsilon in all; FILE remembers.",
)
@click.option(
    "--memory",
    type=(float, FILE),
    metavar="SECONDS FILE",
    help="Give a word the same first draw in a period of SECONDS, and release second draws of what "
    "that gave; FILE keeps the key. Repeating a word then hardly shows more of it, but that it was "
    "repeated.",
)
@click.option(
    "--second-epsilon",
    type=float,
    help="Of the second draws, with --memory. Default: twice the epsilon of the first.",
)
def privatize(
    bundle: Path,
    file: Path,
    epsilon: float | None,
    mechanism: str | None,
    oov: str,
    ts: tuple[float, ...],
    budget: tuple[float, float, Path] | None,
    memory: tuple[float, Path] | None,
    second_epsilon: float | None,
) -> None:
    """Privatize FILE (default: standard input) line by line.

    Each line becomes the privatized words of that line; case, punctuation and spacing are dropped.
    """
    parameters = t_parameter(ts)
    privatizer = Privatizer(
        Bundle.open(bundle),
        epsilon,
        mechanism=mechanism,
        oov=oov,
        budget=PrivacyBudget(*budget) if budget else None,
        memory=Memory(*memory) if memory else None,
        second_epsilon=second_epsilon,
        **parameters,
    )
    for number, line in enumerate(_lines(file), start=1):
        try:
            released = privatizer.text(line)
        except BrrError as error:
            raise BrrError(f"line {number}: {error}") from None
        # Flushed, so that a program at the other end of a pipe gets each line when it is ready.
        click.echo(released)


def _lines(file: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, or of standard input, as they come."""
    name = "standard input" if file == Path("-") else str(file)
    number = 0
    try:
        with _opened(file) as stream:
            while line := stream.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise BrrError(
                        f"{name}: line {number} has more than {_LONGEST_LINE:,} bytes; break it"
                    )
                yield line.decode("utf-8")
    except UnicodeDecodeError:
        raise BrrError(f"{name}: line {number} isn't UTF-8; convert the text first") from None
    except OSError as error:
        raise BrrError(f"{name}: can't be read ({error.strerror}); check the path") from None


def _opened(file: Path) -> AbstractContextManager[BinaryIO]:
    if file != Path("-"):
        return file.open("rb")
    if sys.stdin is None:
        raise BrrError("standard input is closed; name a file, or send a text in")
    return nullcontext(sys.stdin.buffer)
