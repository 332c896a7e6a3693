"""The sentences that a model is trained on or evaluated with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.tokenizer import tokenize
from brrkit_toolchain.evaluate.dataset import read_dataset, rows
from brrkit_toolchain.system.columns import place_of
from brrkit_toolchain.system.files import file_digest, text_lines

_TABLES = {".csv", ".tsv"}


@dataclass(frozen=True)
class Sentences:
    """Texts, each with a token at least.

    Attributes:
        texts: of the file, in order.
        labels: of the texts; None without a column of labels.
        name: of the file, without its directories.
        sha256: of the file.
    """

    texts: list[str]
    labels: list[str] | None
    name: str
    sha256: str


@dataclass(frozen=True)
class LabelledSentences:
    """Some of the sentences, with their labels."""

    texts: list[str]
    labels: list[str]


def read_sentences(path: Path, column: str, label_column: str | None) -> Sentences:
    """Read a ``.csv`` or ``.tsv`` file, or its ``.gz``; of any other file, every line.

    Args:
        path: UTF-8; a table has the names of its columns in the first line.
        column: of a table, that holds the texts.
        label_column: of a table, that holds their labels; None for no labels.

    Raises:
        ParameterError: it can't be read as such, or holds no words.
    """
    kind = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    labels: list[str] | None = None
    if label_column is not None:
        if kind not in _TABLES:
            raise ParameterError(
                f"{path}: lines of text have no labels; give a .csv or .tsv file, or name no "
                "column of labels"
            )
        dataset = read_dataset(path, column, label_column)
        if not all(label.isprintable() for label in dataset.classes):
            raise ParameterError(
                f"{path}: a label isn't printable (a tab or another control character); rename it"
            )
        texts, labels = dataset.texts, [dataset.classes[i] for i in dataset.labels]
    elif kind in _TABLES:
        texts = _column(path, column)
    else:
        texts = list(text_lines(path, "the text"))
    kept = [i for i, text in enumerate(texts) if tokenize(text)]
    if not kept:
        raise ParameterError(f"{path}: holds no words; give a file with a sentence a line")
    return Sentences(
        [texts[i].strip() for i in kept],
        None if labels is None else [labels[i] for i in kept],
        printable(path.name),
        file_digest(path),
    )


def _column(path: Path, column: str) -> list[str]:
    with rows(path) as lines:
        header = next(lines, (1, []))[1]
        place = place_of(path, header, column)
        texts = []
        for number, row in lines:
            if row and len(row) != len(header):
                raise ParameterError(
                    f"{path}: line {number} has {len(row)} columns where the first line names "
                    f"{len(header)}; repair the line"
                )
            texts += row[place : place + 1]
    return texts
