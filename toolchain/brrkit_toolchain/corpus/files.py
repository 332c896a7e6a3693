"""Files of texts as record batches, and back: text, CSV, JSON lines, Parquet.

Files of lines may be compressed when they are read (gzip, xz); what is written isn't.

Only the columns that are named are read, so no other can come out. Messages name the file, the line
and the column, never what is in them: libraries' own messages quote the text.
"""

from __future__ import annotations

import csv
import io
import json
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from brrkit import ParameterError, strict_json
from brrkit_toolchain.corpus.batches import absent
from brrkit_toolchain.system.columns import place_of
from brrkit_toolchain.system.files import DAMAGED, decompressed, numbered_lines, open_input

LONGEST_LINE = 1 << 24
"""Bytes of a line of text, of a JSON line, and of a field of CSV."""

TEXT = "text"
"""The one column of a text file, which has a text a line."""

SUFFIXES = {
    ".txt": "text",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

_COMPRESSED = {".gz", ".xz"}
_BYTES = 1 << 20  # of lines, in a record batch


@dataclass(frozen=True)
class OpenedFile:
    """An opened file.

    Attributes:
        schema: of the chosen columns.
        batches: its rows.
        total: its size, in bytes; rows of Parquet.
        position: how much of that has been read.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    total: int
    position: Callable[[], int]


def format_of(path: Path, remedy: str = "write it as one of them") -> str:
    """Return the format that a file's suffix says; before .gz or .xz, one of lines.

    Args:
        path: of the file.
        remedy: what the caller's user can do where it says none.

    Raises:
        ParameterError: it says none.
    """
    found = said_format(path)
    if found is None:
        raise ParameterError(
            f"{path}: this suffix says no format; {', '.join(SUFFIXES)} do; {remedy}"
        )
    return found


def said_format(path: Path) -> str | None:
    """Return the format that a file's suffix says, as ``format_of``, or None."""
    if path.suffix.lower() not in _COMPRESSED:
        return SUFFIXES.get(path.suffix.lower())
    found = SUFFIXES.get(path.with_suffix("").suffix.lower())
    return None if found == "parquet" else found


def common_format(file: Path, output: Path) -> str:
    """Return the format that the suffix of ``file`` says, in which ``output`` is written, too.

    Raises:
        ParameterError: it says none, or the suffix of ``output`` says another, or a compression.
    """
    file_format = format_of(file, "name the format")
    if output.suffix.lower() in _COMPRESSED:
        raise ParameterError(
            f"{output}: is written as it is; leave out {output.suffix}, and compress it then"
        )
    if SUFFIXES.get(output.suffix.lower(), file_format) != file_format:
        raise ParameterError(
            f"{output}: is written in the format of {file}, {file_format}; name it so, or "
            "name the format"
        )
    return file_format


@contextmanager
def opened(
    path: Path, file_format: str, columns: Sequence[str], keep: Sequence[str]
) -> Iterator[OpenedFile]:
    """Open a file for reading.

    Args:
        path: a regular file; one of lines may be compressed.
        file_format: one of the values of ``SUFFIXES``.
        columns: to read, as text.
        keep: to read as they are; those of JSON lines as JSON.

    Raises:
        ParameterError: it can't be read, isn't of this format, or lacks a column. So do the
            batches.
    """
    with _readable(path, file_format):
        file = open_input(path)
    with file:
        with _readable(path, file_format):
            found = _READERS[file_format](path, file, columns, keep)
        yield replace(found, batches=_checked(path, file_format, found.batches))


def _checked(
    path: Path, file_format: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield ``batches``; what goes wrong in between isn't theirs."""
    while True:
        with _readable(path, file_format):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


@contextmanager
def _readable(path: Path, file_format: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, *DAMAGED) as error:
        # Arrow's own are an OSError, too, but without the system's number.
        if isinstance(error, OSError) and error.errno is not None:
            raise ParameterError(
                f"{path}: can't be read ({error.strerror}); check the path"
            ) from None
        raise ParameterError(f"{path}: damaged, or not {file_format}; check the file") from None


def writer(file: BinaryIO, file_format: str, schema: pa.Schema, keep: Sequence[str]) -> Writer:
    """Return what writes record batches of ``schema`` to a file; close it at the end."""
    return _WRITERS[file_format](file, schema, keep)


def _read_text(
    path: Path, file: BinaryIO, _columns: Sequence[str], _keep: Sequence[str]
) -> OpenedFile:
    schema = pa.schema([pa.field(TEXT, pa.string())])
    content = decompressed(file)

    def rows() -> Iterator[list[str | None]]:
        for _, line in numbered_lines(content, str(path), LONGEST_LINE):
            yield [line.rstrip("\r\n")]

    return _opened(file, content, schema, rows())


def _read_csv(
    path: Path, file: BinaryIO, columns: Sequence[str], keep: Sequence[str]
) -> OpenedFile:
    csv.field_size_limit(LONGEST_LINE)
    content = decompressed(file)
    reader = csv.reader(
        (line for _, line in numbered_lines(content, str(path), LONGEST_LINE)), strict=True
    )

    def records() -> Iterator[list[str]]:
        try:
            yield from reader
        except csv.Error as error:
            raise ParameterError(
                f"{path}: line {reader.line_num} isn't CSV ({error}); check its quotes"
            ) from None

    rows = records()
    names = next(rows, [])
    for name in (*columns, *keep):
        place_of(path, names, name)
    chosen = [i for i, name in enumerate(names) if name in (*columns, *keep)]

    def fields() -> Iterator[list[str | None]]:
        for record in rows:
            if not record:  # an empty line
                continue
            if len(record) != len(names):
                raise ParameterError(
                    f"{path}: line {reader.line_num} has {len(record)} fields instead of "
                    f"{len(names)}; check its commas and quotes"
                )
            yield [record[i] for i in chosen]

    schema = pa.schema([(names[i], pa.string()) for i in chosen])
    return _opened(file, content, schema, fields())


def _read_jsonl(
    path: Path, file: BinaryIO, columns: Sequence[str], keep: Sequence[str]
) -> OpenedFile:
    content = decompressed(file)

    def fields() -> Iterator[list[str | None]]:
        for number, line in numbered_lines(content, str(path), LONGEST_LINE):
            if not line.strip():
                continue
            try:
                record = strict_json.parse(line.encode())
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise ParameterError(f"{path}: line {number} isn't a JSON object; check the line")
            for name in columns:
                if not isinstance(record.get(name, 0), str | None):
                    raise ParameterError(
                        f"{path}: line {number}: column {name!r} isn't there, or is neither a "
                        "string nor null; check the line"
                    )
            kept = (_dump(record[name]) if name in record else None for name in keep)
            yield [*(record[name] for name in columns), *kept]

    schema = pa.schema([(name, pa.string()) for name in (*columns, *keep)])
    return _opened(file, content, schema, fields())


def _read_parquet(
    path: Path, file: BinaryIO, columns: Sequence[str], keep: Sequence[str]
) -> OpenedFile:
    parquet = pq.ParquetFile(file)
    names = parquet.schema_arrow.names
    for name in (*columns, *keep):
        if names.count(name) != 1:
            raise ParameterError(f"{path}: {absent(name)}; check its name")
    chosen = [name for name in names if name in (*columns, *keep)]
    metadata, read = parquet.metadata, [0]
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    # Rows of about the same bytes as a batch of lines, uncompressed.
    size = max(1, sum(group.total_byte_size for group in groups))
    rows = min(1 << 16, max(1, metadata.num_rows * _BYTES // size))

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in parquet.iter_batches(rows, columns=chosen, use_threads=False):
            read[0] += batch.num_rows
            yield batch

    schema = pa.schema([parquet.schema_arrow.field(name) for name in chosen])
    return OpenedFile(schema, batches(), metadata.num_rows, lambda: read[0])


_READERS = {
    "text": _read_text,
    "csv": _read_csv,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}


def _opened(
    file: BinaryIO, content: BinaryIO, schema: pa.Schema, rows: Iterator[list[str | None]]
) -> OpenedFile:
    """Return an opened file of ``rows``, in record batches of about ``_BYTES`` of its content."""

    def batches() -> Iterator[pa.RecordBatch]:
        waiting: list[list[str | None]] = []
        begin = content.tell()
        for row in rows:
            waiting.append(row)
            if content.tell() - begin >= _BYTES:
                yield _batch(waiting, schema)
                waiting, begin = [], content.tell()
        if waiting:
            yield _batch(waiting, schema)

    return OpenedFile(schema, batches(), os.fstat(file.fileno()).st_size, file.tell)


def _batch(rows: list[list[str | None]], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return pa.record_batch(columns, schema=schema)


class Writer(Protocol):
    """Writes record batches to a file in one of the formats."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""

    def close(self) -> None:
        """Write what comes last."""


class _RowWriter(Writer):
    """Writes a format that is text, a row at a time."""

    def __init__(self, file: BinaryIO, schema: pa.Schema, keep: Sequence[str]) -> None:
        self._file, self._names, self._keep = file, schema.names, keep

    def write(self, batch: pa.RecordBatch) -> None:
        columns = [column.to_pylist() for column in batch.columns]
        self._file.write("".join(map(self._row, zip(*columns, strict=True))).encode())

    @abstractmethod
    def _row(self, values: Sequence[Any]) -> str: ...


class _TextWriter(_RowWriter):
    def _row(self, values: Sequence[Any]) -> str:
        return f"{values[0]}\n"


class _CsvWriter(_RowWriter):
    def __init__(self, file: BinaryIO, schema: pa.Schema, keep: Sequence[str]) -> None:
        super().__init__(file, schema, keep)
        self._file.write(self._row(self._names).encode())

    def _row(self, values: Sequence[Any]) -> str:
        row = io.StringIO()
        csv.writer(row, lineterminator="\n").writerow(values)
        return row.getvalue()


class _JsonlWriter(_RowWriter):
    def _row(self, values: Sequence[Any]) -> str:
        pairs = zip(self._names, values, strict=True)
        # What is kept is JSON already, or wasn't there.
        fields = [
            f"{_dump(name)}: {value if name in self._keep else _dump(value)}"
            for name, value in pairs
            if name not in self._keep or value is not None
        ]
        return "{" + ", ".join(fields) + "}\n"


class _ParquetWriter:
    def __init__(self, file: BinaryIO, schema: pa.Schema, _keep: Sequence[str]) -> None:
        self._parquet = pq.ParquetWriter(file, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._parquet.write_batch(batch)

    def close(self) -> None:
        self._parquet.close()


_WRITERS: dict[str, Callable[[BinaryIO, pa.Schema, Sequence[str]], Writer]] = {
    "text": _TextWriter,
    "csv": _CsvWriter,
    "jsonl": _JsonlWriter,
    "parquet": _ParquetWriter,
}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
