"""Read labeled text: a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.io.tables.reading import rows

_SPLITS = {"train", "test"}


@dataclass(frozen=True)
class Dataset:
    """Texts with their classes.

    Attributes:
        texts: texts, none of which is empty.
        labels: intp[n], places in ``classes``.
        classes: sorted classes, at least two.
        testing: bool[n], whether each text is for testing; None without a split column.
        empty: number of texts left out because they were empty.
        name: name of the file, without its directories.
        sha256: SHA-256 of the file on disk.
    """

    texts: list[str]
    labels: NDArray[np.intp]
    classes: tuple[str, ...]
    testing: NDArray[np.bool_] | None
    empty: int
    name: str
    sha256: str


def read_dataset(
    path: Path, text_column: str, label_column: str, split_column: str | None = None
) -> Dataset:
    """Read labeled texts.

    Args:
        path: a table in one of the formats of ``tables``, by its suffix.
        text_column: column of the texts.
        label_column: column of their classes.
        split_column: column with ``train`` or ``test``; rows with another word are left out.

    Raises:
        ParameterError: the file isn't such a table, a column or a label is missing, or there are
            fewer than two classes.
    """
    names = [text_column, label_column, *([] if split_column is None else [split_column])]
    records = list(_records(path, names))
    kept = [record for record in records if record[0]]
    classes = sorted({label for _, label, *_ in kept})
    if len(classes) < 2:
        raise ParameterError(
            f"{path}: column '{label_column}' has {len(classes)} classes in {len(kept)} texts "
            "that aren't empty; at least 2 are needed"
            + (f", with 'train' or 'test' in column '{split_column}'" if split_column else "")
        )
    places = {label: place for place, label in enumerate(classes)}
    return Dataset(
        texts=[text for text, *_ in kept],
        labels=np.array([places[label] for _, label, *_ in kept], np.intp),
        classes=tuple(classes),
        testing=None if split_column is None else _testing(path, kept, split_column),
        empty=len(records) - len(kept),
        name=printable(path.name),
        sha256=file_digest(path),
    )


def _records(path: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the text, label and split, if any, of each row; leave out rows of other splits."""
    for place, row in rows(path, names):
        text, label, *split = (field.strip() for field in row)
        if not label:
            raise ParameterError(
                f"{place} has nothing in column '{names[1]}'; label or remove the row"
            )
        if not split or split[0].lower() in _SPLITS:
            yield [text, label, *(name.lower() for name in split)]


def _testing(path: Path, records: Sequence[list[str]], split_column: str) -> NDArray[np.bool_]:
    """Return whether each of ``records`` is for testing; both kinds must occur."""
    testing = np.array([split == "test" for _, _, split in records], bool)
    if testing.all() or not testing.any():
        missing = "train" if testing.all() else "test"
        raise ParameterError(
            f"{path}: no row has '{missing}' in column '{split_column}'; name another column, or "
            "none for a random split"
        )
    return testing
