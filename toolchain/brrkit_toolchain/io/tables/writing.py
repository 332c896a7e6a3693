"""Writers of tables and texts: from record batches to the formats of ``SUFFIXES``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq

from brrkit_toolchain.io.tables.formats import TEXT


class Writer(Protocol):
    """Writes record batches to a file in one of the formats."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""

    def close(self) -> None:
        """Write the end of the file."""


@contextmanager
def writer(
    file: BinaryIO, path: Path, file_format: str, schema: pa.Schema, keep: Sequence[str]
) -> Iterator[Writer]:
    """Yield a writer of record batches to a file.

    Args:
        file: the opened file.
        path: path of the file; its suffix decides the compression.
        file_format: one of the values of ``SUFFIXES``.
        schema: schema of the batches.
        keep: columns of JSON lines that are already JSON, or null if missing.
    """
    with _compressing(file, path) as content:
        made = _WRITERS[file_format](content, schema, keep)
        try:
            yield made
        finally:
            made.close()


@contextmanager
def _compressing(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    suffix = path.suffix.lower()
    if suffix == ".gz":  # without a name and a time
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            yield cast("BinaryIO", packed)
    elif suffix == ".xz":
        with lzma.LZMAFile(file, "wb") as packed:
            yield cast("BinaryIO", packed)
    else:
        yield file


class _RowWriter(Writer):
    """Writes a text format, row by row."""

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


class _TableWriter(_RowWriter):
    """The first line, with the columns' names."""

    def __init__(self, file: BinaryIO, schema: pa.Schema, keep: Sequence[str]) -> None:
        super().__init__(file, schema, keep)
        self._file.write(self._row(self._names).encode())


class _CsvWriter(_TableWriter):
    def _row(self, values: Sequence[Any]) -> str:
        row = io.StringIO()
        csv.writer(row, lineterminator="\n").writerow(values)
        return row.getvalue()


class _TsvWriter(_TableWriter):
    def _row(self, values: Sequence[Any]) -> str:
        return "\t".join(values) + "\n"


class _JsonlWriter(_RowWriter):
    def _row(self, values: Sequence[Any]) -> str:
        pairs = zip(self._names, values, strict=True)
        # Kept columns are already JSON, or missing.
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
    TEXT: _TextWriter,
    "csv": _CsvWriter,
    "tsv": _TsvWriter,
    "jsonl": _JsonlWriter,
    "parquet": _ParquetWriter,
}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
