"""Tables and texts, read: CSV, TSV, JSON lines, Parquet and lines of text.

Files of lines may be compressed (gzip, xz), which their content says. Memory holds a part of a
file, or one line. Only the columns that are named are read, so no other can come out. Messages name
the file, the line and the column, never what is in them, nor the other columns: the first line of a
table without names is what somebody typed.
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
        path: a regular file; one of lines may be compressed.
        file_format: one of the values of ``SUFFIXES``.
        columns: to read; of lines of text, ``TEXT``.
        repeated: many rows have the same texts, as reports do.

    Raises:
        ParameterError: it can't be read, isn't of this format, or lacks a column. So do the parts.
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
        path: of the file.
        columns: their names.
        file_format: of the file; by default, the table that its suffix says.

    Raises:
        ParameterError: as ``opened``.
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
        path: of the file.
        remedy: what to do about bytes that aren't UTF-8.

    Raises:
        ParameterError: it can't be read, or a line is too long or isn't UTF-8.
    """
    with _readable(path), open_input(path) as file:
        yield from Lines(path, file, remedy)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # Arrow's own are an OSError, too, but without the system's number.
        if isinstance(error, OSError) and error.errno is not None:
            raise ParameterError(
                f"{path}: can't be read ({error.strerror}); check the path"
            ) from None
        raise ParameterError(f"{path}: damaged, or not a Parquet file; write it again") from None


def _checked(path: Path, parts: Iterator[Part]) -> Iterator[Part]:
    """Yield ``parts``; what goes wrong in between isn't theirs."""
    while True:
        with _readable(path):
            part = next(parts, None)
        if part is None:
            return
        yield part
