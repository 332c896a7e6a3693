"""What a file gives: rows in parts, as record batches of Arrow, with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from brrkit.errors import ParameterError

PART = 1 << 20
"""Bytes of a part, about."""


Rows: TypeAlias = tuple[Sequence[int], Sequence[Sequence[str | None]]]
"""The numbers of rows' last lines, and the chosen columns."""


@dataclass(frozen=True)
class Columns:
    """Names of the columns to read.

    Attributes:
        texts: strings, or null.
        values: read as text; numbers and truth values of JSON lines and Parquet, too.
        keep: as they are; those of JSON lines as JSON, or null where there is none.
    """

    texts: Sequence[str] = ()
    values: Sequence[str] = ()
    keep: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.texts, *self.values, *self.keep)


@dataclass(frozen=True)
class Part:
    """Some rows of a file, one after the other.

    Attributes:
        batch: the chosen columns.
        numbers: of each row's last line; of Parquet, of the row. From 1.
        path: of the file, for messages.
        unit: what is numbered.
    """

    batch: pa.RecordBatch
    numbers: Sequence[int]
    path: str
    unit: str = "line"

    def place(self, row: int) -> str:
        """Return how messages name a row: ``reviews.csv: line 5``."""
        return f"{self.path}: {self.unit} {self.numbers[row]}"

    def texts(self, name: str) -> list[str | None]:
        """Return a column of strings.

        Raises:
            ParameterError: it holds others, or ones that aren't UTF-8.
        """
        try:
            found: list[str | None] = self.batch[name].to_pylist()
        except UnicodeDecodeError:
            raise ParameterError(
                f"{self.path}: column {name!r} isn't UTF-8; convert the text first"
            ) from None
        if not {*map(type, found)} <= {str, type(None)}:
            raise ParameterError(
                f"{self.path}: column {name!r} contains no text; name a column of strings"
            )
        return found


@dataclass(frozen=True)
class Table:
    """An opened file.

    Attributes:
        names: of all columns; of JSON lines, the chosen ones.
        schema: of the chosen columns, in the file's order.
        parts: its rows.
        total: its size, in bytes; rows of Parquet.
        position: how much of that has been read.
    """

    names: Sequence[str]
    schema: pa.Schema
    parts: Iterator[Part]
    total: int
    position: Callable[[], int]
