"""Texts with their writers, read from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit_toolchain.attackers.texts.from_files import TextFiles
from brrkit_toolchain.io.tables.formats import TEXT, format_of
from brrkit_toolchain.io.tables.reading import rows
from brrkit_toolchain.language.texts import TextIds, TypedText

FEWEST_TEXTS = 20
"""Smallest number of a writer's texts; writers with fewer are left out."""

MOST_WRITERS = 100
"""Largest number of writers: those with the most texts."""


@dataclass(frozen=True)
class WritersTexts:
    """Texts of some writers.

    Attributes:
        texts: texts with at least one word.
        writers: intp[m], number of each text's writer, from 0; those with the most texts first.
        left_out: number of writers with fewer than 20 texts, or beyond the 100 with the most texts.
    """

    texts: list[TypedText]
    writers: NDArray[np.intp]
    left_out: int

    def __len__(self) -> int:
        """Return the number of writers."""
        return int(self.writers.max()) + 1


def read_writers(bundle: WordBundle, files: TextFiles, writer: str) -> WritersTexts:
    """Return the texts of a table, and their writers, from the column ``writer``.

    Rows without a text, a known or unknown word, or a writer are left out.

    Raises:
        ParameterError: the file isn't a table, can't be read, or lacks a column; or fewer than two
            writers have enough texts.
    """
    path = Path(files.text)
    if format_of(path) == TEXT:
        raise ParameterError(f"{path}: a text file has no column of writers; give a table")
    if files.column is None:
        raise ParameterError(f"{path}: has columns; name the one that contains the texts")
    convert = TextIds(bundle.tokenizer)
    read = [
        (name, ids)
        for _, (text, name) in rows(path, [files.column, writer])
        if name and len((ids := convert(text)).ids)
    ]
    counts = Counter(name for name, _ in read)
    enough = [(name, count) for name, count in counts.most_common() if count >= FEWEST_TEXTS]
    kept = {name: number for number, (name, _) in enumerate(enough[:MOST_WRITERS])}
    if len(kept) < 2:
        raise ParameterError(
            f"{path}: column {writer!r} has {len(kept)} writers with {FEWEST_TEXTS} texts or more; "
            "2 are needed: give more texts, or another column"
        )
    chosen = [(ids, kept[name]) for name, ids in read if name in kept]
    texts, writers = zip(*chosen, strict=True)
    return WritersTexts(list(texts), np.array(writers, np.intp), len(counts) - len(kept))
