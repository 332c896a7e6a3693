"""The rows of a file in parts: Arrow's record batches, with the rows' places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from brrkit.errors import ParameterError

PART = 1 << 20
"""Approximate number of bytes in a part."""


Rows: TypeAlias = tuple[Sequence[int], Sequence[Sequence[str | None]]]
"""The number of each row's last line, and the chosen columns."""


@dataclass(frozen=True)
class Columns:
    """Names of the columns to read.

    Attributes:
        texts: columns of strings, or null.
        values: columns to read as text, including numbers and truth values of JSON lines and
            Parquet.
        keep: columns to keep unchanged; those of JSON lines as JSON, or null if missing.
    """

    texts: Sequence[str] = ()
    values: Sequence[str] = ()
    keep: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return (*self.texts, *self.values, *self.keep)


@dataclass(frozen=True)
class Part:
    """Some rows of a file, one after the other.

    Attributes:
        batch: the chosen columns.
        numbers: number of each row's last line, or for Parquet, of the row; from 1.
        path: path of the file, for messages.
        unit: name of the numbered unit.
    """

    batch: pa.RecordBatch
    numbers: Sequence[int]
    path: str
    unit: str = "line"

    def place(self, row: int) -> str:
        """Return the name of a row for messages: ``reviews.csv: line 5``."""
        return f"{self.path}: {self.unit} {self.numbers[row]}"

    def texts(self, name: str) -> list[str | None]:
        """Return a column of strings.

        Raises:
            ParameterError: the column has other values, or strings that aren't UTF-8.
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
        names: names of all columns; for JSON lines, of the chosen ones.
        schema: schema of the chosen columns, in the file's order.
        parts: its rows.
        total: its size in bytes; for Parquet, in rows.
        position: function that returns the part of the size already read.
    """

    names: Sequence[str]
    schema: pa.Schema
    parts: Iterator[Part]
    total: int
    position: Callable[[], int]
