"""The sentences that a model is trained on or evaluated with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.tokenizer import tokenize
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.io.tables.formats import TEXT, said_format
from brrkit_toolchain.io.tables.reading import rows
from brrkit_toolchain.tasks.dataset import read_dataset


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
class LabeledSentences:
    """Some of the sentences, with their labels."""

    texts: list[str]
    labels: list[str]


def read_sentences(path: Path, column: str, label_column: str | None) -> Sentences:
    """Read a table in one of the formats of ``tables``; of any other file, every line.

    Args:
        path: of the file.
        column: of a table, that holds the texts.
        label_column: of a table, that holds their labels; None for no labels.

    Raises:
        ParameterError: it can't be read as such, or holds no words.
    """
    file_format = said_format(path) or TEXT
    labels: list[str] | None = None
    if label_column is not None:
        if file_format == TEXT:
            raise ParameterError(
                f"{path}: lines of text have no labels; give a table, or name no column of labels"
            )
        dataset = read_dataset(path, column, label_column)
        if not all(label.isprintable() for label in dataset.classes):
            raise ParameterError(
                f"{path}: a label isn't printable (a tab or another control character); rename it"
            )
        texts, labels = dataset.texts, [dataset.classes[i] for i in dataset.labels]
    else:
        chosen = TEXT if file_format == TEXT else column
        texts = [text for _, (text,) in rows(path, [chosen], file_format)]
    kept = [i for i, text in enumerate(texts) if tokenize(text)]
    if not kept:
        raise ParameterError(f"{path}: holds no words; give a file with a sentence a line")
    return Sentences(
        [texts[i].strip() for i in kept],
        None if labels is None else [labels[i] for i in kept],
        printable(path.name),
        file_digest(path),
    )
