"""Collect the sample's text from public files: spoken and typed language.

    python -m brrkit_toolchain.embeddings.sample.text FOLDER everyday.txt held-out.txt

``FOLDER`` contains the files of ``SOURCES``, whose origin is in ``README.md``. Only some texts are
taken from repetitive kinds of text, such as requests to an assistant. The bundle counts
``everyday.txt``. ``held-out.txt`` contains other texts of the same kinds, for calibration.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

HELD_OUT_ONE_IN = 16
SENTENCES, CHAT, CHAT_ROOM = "tatoeba-en", "topical-chat", "ubuntu-irc"


@dataclass(frozen=True)
class Source:
    """A file of texts, one a line.

    Attributes:
        name: name of the file, without ``.txt.xz``.
        one_in: one text in this number is counted.
        weight: weight of the file's word frequencies in the order of the sample's words; the
            sources' weights sum to 1.
    """

    name: str
    one_in: int
    weight: float


SOURCES = (
    Source(SENTENCES, 1, 0.12),
    Source("goemotions", 1, 0.30),
    Source(CHAT, 1, 0.20),
    Source("taskmaster-user", 1, 0.03),
    Source("sgd-user", 6, 0.12),
    Source("clinc", 2, 0.08),
    Source("banking", 8, 0.05),
    Source(CHAT_ROOM, 8, 0.10),
)

_ADDRESSED = re.compile(r"^[\w\[\]{}\\`^|-]{1,20}[:,>]\s+")  # addressee of a line in a chat room
_SOMEBODY = re.compile(r"\b(?:Tom|Mary)\b")  # names in the sentences
_TECHNICAL = re.compile(r"[/\\=<>|#$~`{}_]|https?:|www\.|\w\.\w|^!|sudo|apt-get")

_UNLIKE = {SENTENCES: _SOMEBODY, CHAT_ROOM: _TECHNICAL}
"""Patterns that are common in a source's texts, but that people don't type elsewhere."""


def texts(folder: Path, source: Source) -> Iterator[str]:
    """Yield the texts of a source, without those that match its pattern in ``_UNLIKE``.

    Every other line of chat is left out, for measurements of bundles.

    Raises:
        OSError: the file is missing.
    """
    path = folder / f"{source.name}.txt.xz"
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines):
            if source.name == CHAT and number % 2:
                continue
            text = " ".join(line.split())
            if source.name == CHAT_ROOM:
                text = _ADDRESSED.sub("", text)
            unlike = _UNLIKE.get(source.name)
            if text and not (unlike and unlike.search(text)):
                yield text


def everyday(folder: Path) -> tuple[list[str], list[str]]:
    """Return the texts that the sample counts, and similar texts that it doesn't count."""
    counted: list[str] = []
    held_out: list[str] = []
    for source in SOURCES:
        for number, text in enumerate(texts(folder, source)):
            if number % source.one_in == 0:
                taken = number // source.one_in % HELD_OUT_ONE_IN == 0
                (held_out if taken else counted).append(text)
    return counted, held_out


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("held_out", type=click.Path(dir_okay=False, path_type=Path))
def main(folder: Path, output: Path, held_out: Path) -> None:
    """Write OUTPUT, the texts that the sample counts, and HELD_OUT from the files in FOLDER."""
    for path, found in zip((output, held_out), everyday(folder), strict=True):
        path.write_bytes("".join(f"{text}\n" for text in found).encode())
        words = sum(len(text.split()) for text in found)
        click.echo(f"{path}: {len(found):,} texts, {words:,} words")


if __name__ == "__main__":
    main()
