"""The options about a text's writers, and output about the attackers of writers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.setting import MOST_FRAME_WORDS, Setting
from brrkit_toolchain.cli.shared import frame_words_of, interval, with_options
from brrkit_toolchain.cli.shared.text_attack import refuse_without_text

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.texts.from_files import TextFiles
    from brrkit_toolchain.attackers.writers.named import WriterAttack
    from brrkit_toolchain.attackers.writers.recognized import Recognition
    from brrkit_toolchain.embeddings import Embeddings

_SEES = {
    "lengths": "how many words each text has",
    "words": "the released words; knows other released texts of each writer",
    "both": "lengths and words",
    "typed": "lengths and words; knows other typed texts of each writer",
}

writer_options = with_options(
    click.option(
        "--writer",
        metavar="COLUMN",
        multiple=True,
        help="With --text: measure how often attackers identify the writer, or the value of a "
        "column. Repeatable.",
    ),
    click.option(
        "--recognized",
        metavar="N",
        type=click.IntRange(min=1),
        help="With --text: measure how often attackers recognize a text among N others.",
    ),
    click.option(
        "--frames",
        is_flag=True,
        help="With --writer or --recognized: release the bundle's frames.",
    ),
    click.option(
        "--frame-words",
        metavar="L",
        type=click.IntRange(1, MOST_FRAME_WORDS),
        help=f"Words of a frame, 1 to {MOST_FRAME_WORDS}.",
    ),
)
"""Adds the options ``writer``, ``recognized``, ``frames`` and ``frame_words`` to a command."""


@dataclass(frozen=True)
class WriterOptions:
    """The values of ``writer_options``."""

    writer: tuple[str, ...] = ()
    recognized: int | None = None
    frames: bool = False
    frame_words: int | None = None

    def check(self, text: object) -> None:
        """Raise an error for options that require a missing text, or that change nothing."""
        if text is None:
            refuse_without_text({"writer": self.writer or None, "recognized": self.recognized})
        if not self.writer and self.recognized is None and (self.frames or self.frame_words):
            raise ParameterError(
                "--frames and --frame-words need --writer or --recognized; add one, or leave them "
                "out"
            )

    def measure(
        self,
        bundle: WordBundle,
        files: TextFiles | None,
        setting: Setting | None,
        embeddings: Embeddings | None,
        seed: int,
    ) -> Identified:
        """Measure the success of attackers who name writers, or recognize texts.

        Raises:
            ParameterError: as for ``measure_writers`` and ``measure_recognition``; or frames are
                requested, and the bundle has none.
        """
        from brrkit_toolchain import measure_recognition, measure_writers

        if files is None:
            return Identified()
        words = self.frame_words
        if words is None and self.frames:
            words = frame_words_of(bundle)
        how: Any = {"frame_words": words, "embeddings": embeddings, "seed": seed, "progress": True}
        return Identified(
            [measure_writers(bundle, files, column, setting, **how) for column in self.writer],
            None
            if self.recognized is None
            else measure_recognition(bundle, files, self.recognized, setting, **how),
        )


@dataclass(frozen=True)
class Identified:
    """The success of attackers who name writers, and of those who recognize texts."""

    writers: Sequence[WriterAttack] = ()
    recognition: Recognition | None = None

    def print(self) -> None:
        """Print each result after an empty line."""
        for found in self.writers:
            click.echo()
            print_writers(found)
        if self.recognition is not None:
            click.echo()
            _print_recognition(self.recognition)

    def to_json(self) -> dict[str, object]:
        """Return the results as JSON types."""
        recognized = None
        if self.recognition is not None:
            lengths = [
                {"from": low, "to": high, "success": asdict(each)}
                for (low, high), each in self.recognition.success.items()
            ]
            recognized = asdict(replace(self.recognition, success={})) | {"success": lengths}
        return {"writers": [*map(writers_json, self.writers)], "recognized": recognized}


def writers_json(found: WriterAttack) -> dict[str, object]:
    """Return the success of attackers who name the writer, as JSON types."""
    return asdict(found) | {"chance": found.chance}


def print_writers(found: WriterAttack) -> None:
    """Print the success of attackers who name the writer, by the number of texts."""
    of = "texts" if found.frame_words is None else f"frames of {found.frame_words} words"
    left = f"; left out {found.left_out:,}, with fewer than 20 texts or beyond 100 writers" * bool(
        found.left_out
    )
    click.echo(
        printable(
            f"Who wrote it ({found.column}): one of {found.writers:,} is identified from N {of}, "
            f"chance {found.chance:.3f}{left}:"
        )
    )
    counts = "".join(f"{count:<20}" for count in found.typed)
    click.echo(f"  {'attacker':<10}{counts}sees")
    for name, by_count in found.success.items():
        cells = "".join(f"{interval(each, 3):<20}" for each in by_count.values())
        click.echo(f"  {name:<10}{cells}{_SEES[name]}")
    cells = "".join(f"{interval(each, 3):<20}" for each in found.typed.values())
    click.echo(f"  {'as typed':<10}{cells}the unprivatized texts")


def _print_recognition(found: Recognition) -> None:
    """Print the success of attackers who recognize a text, by its length."""
    framed = found.frame_words is not None
    others = f"{found.others:,} others {'of any length' if framed else 'of the same length'}"
    released = f"a frame of {found.frame_words} words" if framed else "a text"
    bounds = "" if found.exact else "; the channel is estimated: lower bounds"
    click.echo(f"Which text it is: {released} is recognized among {others}{bounds}:")
    for (low, high), each in found.success.items():
        click.echo(f"  {f'{low}-{high} words':<16}{interval(each, 3)}")
