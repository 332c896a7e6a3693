"""Read labelled text: a CSV or TSV file with named columns."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit_toolchain.system.columns import place_of
from brrkit_toolchain.system.files import file_digest, open_input

_LONGEST_FIELD = 1 << 24  # characters
_SPLITS = {"train", "test"}


@dataclass(frozen=True)
class Dataset:
    """Texts with their classes.

    Attributes:
        texts: none empty.
        labels: intp[n], places in ``classes``.
        classes: at least two, sorted.
        testing: bool[n], which texts are for testing; None without a split column.
        empty: number of texts left out because they were empty.
        name: of the file, without its directories.
        sha256: of the file as it is on disk.
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
    """Read a ``.csv`` file (quotes as in RFC 4180) or a ``.tsv`` file (no quotes), or its ``.gz``.

    Args:
        path: UTF-8, the names of the columns in the first line.
        text_column: holds the texts.
        label_column: holds their classes.
        split_column: says ``train`` or ``test``; rows with another word are left out.

    Raises:
        ParameterError: the file can't be read as such, a column isn't there, a label is missing,
            or there are fewer than two classes.
    """
    names = [text_column, label_column, *([] if split_column is None else [split_column])]
    with rows(path) as lines:
        header = next(lines, (1, []))[1]
        columns = [place_of(path, header, name) for name in names]
        records = list(_records(path, lines, len(header), columns, label_column))
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


def _records(
    path: Path,
    lines: Iterator[tuple[int, list[str]]],
    width: int,
    columns: Sequence[int],
    label_column: str,
) -> Iterator[list[str]]:
    """Yield text, label and, if there is one, split of each row, but those of another split.

    Args:
        path: for messages.
        lines: rows with their numbers, after the first.
        width: number of columns.
        columns: places of text, label and split.
        label_column: for messages.
    """
    for line, row in lines:
        if not row:
            continue
        if len(row) != width:
            raise ParameterError(
                f"{path}: line {line} has {len(row)} columns where the first line names {width}; "
                "repair the line"
            )
        text, label, *split = (row[column].strip() for column in columns)
        if not label:
            raise ParameterError(
                f"{path}: line {line} has nothing in column '{label_column}'; label or remove "
                "the line"
            )
        if not split or split[0].lower() in _SPLITS:
            yield [text, label, *(name.lower() for name in split)]


def _testing(path: Path, records: Sequence[list[str]], split_column: str) -> NDArray[np.bool_]:
    """Return which of ``records`` are for testing; there must be some, and some others."""
    testing = np.array([split == "test" for _, _, split in records], bool)
    if testing.all() or not testing.any():
        missing = "train" if testing.all() else "test"
        raise ParameterError(
            f"{path}: no row has '{missing}' in column '{split_column}'; name another column, or "
            "none for a random split"
        )
    return testing


@contextmanager
def rows(path: Path) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Yield the rows that ``read_dataset`` reads, with the numbers of their (last) lines."""
    kind = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if kind not in {".csv", ".tsv"}:
        raise ParameterError(f"{path}: is neither .csv nor .tsv (nor one of them with .gz)")
    csv.field_size_limit(_LONGEST_FIELD)
    position = 0
    try:
        with _opened(path) as file:
            reader = csv.reader(
                file,
                delimiter="," if kind == ".csv" else "\t",
                quoting=csv.QUOTE_MINIMAL if kind == ".csv" else csv.QUOTE_NONE,
                strict=True,
            )

            def numbered() -> Iterator[tuple[int, list[str]]]:
                nonlocal position
                for row in reader:
                    position = reader.line_num
                    yield position, row

            yield numbered()
    except UnicodeDecodeError:
        raise ParameterError(
            f"{path}: isn't UTF-8 (after line {position}); convert it first"
        ) from None
    except csv.Error as error:
        raise ParameterError(f"{path}: line {position + 1}: {error}; repair the line") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ParameterError(
            f"{path}: not compressed by gzip, or damaged; get it again, or rename it"
        ) from None
    except OSError as error:
        raise ParameterError(
            f"{path}: can't be read ({error.strerror or error}); check the path"
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    with open_input(path) as file:
        opened = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
        content = cast("io.BufferedReader", opened)
        with io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as text:
            yield text
