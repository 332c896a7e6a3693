"""Readers of tables and texts: CSV, TSV, JSON lines, Parquet and lines of text.

Files of lines may be compressed (gzip, xz); the content decides. Memory holds a part of a file, or
one line. Only the requested columns are read, so no other column can be released. Messages name the
file, the line and the column, but never the content or the other columns: the first line of a table
without names is text that somebody typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from brrkit.errors import ParameterError
from brrkit_toolchain.io.files import open_input
from brrkit_toolchain.io.tables.blocks import Lines
from brrkit_toolchain.io.tables.formats import table_format
from brrkit_toolchain.io.tables.of_lines import read_lines
from brrkit_toolchain.io.tables.parquet import read_parquet
from brrkit_toolchain.io.tables.parts import Columns, Part, Table


@contextmanager
def opened(
    path: Path, file_format: str, columns: Columns, *, repeated: bool = False
) -> Iterator[Table]:
    """Open a file for reading.

    Args:
        path: a regular file; a file of lines may be compressed.
        file_format: one of the values of ``SUFFIXES``.
        columns: columns to read; ``TEXT`` for lines of text.
        repeated: whether many rows have the same texts, such as reports.

    Raises:
        ParameterError: the file can't be read, has another format, or lacks a column. The parts
            raise it, too.
    """
    with _readable(path):
        file = open_input(path)
    with file:
        with _readable(path):
            if file_format == "parquet":
                table = read_parquet(path, file, columns, repeated=repeated)
            else:
                table = read_lines(path, file, file_format, columns)
        yield replace(table, parts=_checked(path, table.parts))


def rows(
    path: Path, columns: Sequence[str], file_format: str | None = None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each row's place, for messages, and its fields of ``columns``, as text; null is empty.

    Args:
        path: path of the file.
        columns: names of the columns.
        file_format: format of the file; by default, that of its suffix.

    Raises:
        ParameterError: as for ``opened``.
    """
    wanted = list(dict.fromkeys(columns))
    with opened(path, file_format or table_format(path), Columns(values=wanted)) as table:
        for part in table.parts:
            fields = [[text or "" for text in part.texts(name)] for name in columns]
            for row, values in enumerate(zip(*fields, strict=True)):
                yield part.place(row), values


def lines(path: Path, remedy: str = "convert the text first") -> Iterator[tuple[int, str]]:
    """Yield the numbers and lines of a UTF-8 file, which may be compressed.

    Args:
        path: path of the file.
        remedy: remedy for bytes that aren't UTF-8.

    Raises:
        ParameterError: the file can't be read, or a line is too long or isn't UTF-8.
    """
    with _readable(path), open_input(path) as file:
        yield from Lines(path, file, remedy)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # Arrow's own errors are OSErrors, too, but without the system's number.
        if isinstance(error, OSError) and error.errno is not None:
            raise ParameterError(
                f"{path}: can't be read ({error.strerror}); check the path"
            ) from None
        raise ParameterError(f"{path}: damaged, or not a Parquet file; write it again") from None


def _checked(path: Path, parts: Iterator[Part]) -> Iterator[Part]:
    """Yield ``parts``, but don't convert errors from the code between them."""
    while True:
        with _readable(path):
            part = next(parts, None)
        if part is None:
            return
        yield part
