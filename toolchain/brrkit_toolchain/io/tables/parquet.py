"""Parquet, read in parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.io.tables.blocks import LONGEST_LINE
from brrkit_toolchain.io.tables.parts import PART, Columns, Part, Table

_ROWS_OF_LONG_TEXTS, _ROWS_OF_SHORT_TEXTS = 32, 1 << 14
"""Number of rows to decode at once: of texts, which may be long, and of short values."""
_MOST_ROWS_OF_A_PART = 1 << 16
"""Largest number of rows in a part."""
_UNPACKED_BYTES, _UNPACKED_RATIO = 1 << 26, 250
"""Largest number of unpacked bytes of a column's chunk: this, or its size on disk times this."""
_DICTIONARY_ENCODINGS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}
"""Encodings of columns that store each value once; the first two encode the accompanying data."""


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of Arrow contains texts."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def read_parquet(path: Path, file: BinaryIO, columns: Columns, *, repeated: bool) -> Table:
    """Open a Parquet file.

    Args:
        path: path of the file, for messages.
        file: the opened file.
        columns: columns to read.
        repeated: whether many rows have the same texts, such as reports; each is decoded once.

    Raises:
        ParameterError: a column is missing, or isn't text. The parts also raise Arrow's errors for
            a damaged file.
    """
    parquet = pq.ParquetFile(file)
    names = parquet.schema_arrow.names
    for name in columns.names:
        times = names.count(name)
        if times != 1:
            raise ParameterError(
                f"{path}: there {'are several columns' if times else 'is no column'} {name!r}; "
                "name another column"
            )
    fields = {name: parquet.schema_arrow.field(name) for name in names if name in columns.names}
    as_text = {name: _text_of(path, fields[name]) for name in columns.values}
    schema = pa.schema([as_text.get(name, field) for name, field in fields.items()])
    _check_unpacked(path, parquet, fields)
    coded = _coded(parquet.metadata, fields) if repeated else []
    if coded:
        parquet = pq.ParquetFile(file, metadata=parquet.metadata, read_dictionary=coded)
    read = [0]

    def parts() -> Iterator[Part]:
        for batch in _batches(path, parquet, list(fields)):
            first = read[0] + 1
            read[0] += batch.num_rows
            cast = batch.cast(schema) if as_text else batch
            yield Part(cast, range(first, read[0] + 1), str(path), "row")

    return Table(names, schema, parts(), parquet.metadata.num_rows, lambda: read[0])


def _check_unpacked(path: Path, parquet: pq.ParquetFile, columns: Collection[str]) -> None:
    """Raise an error for columns that unpack to too large pages, since Arrow holds whole pages."""
    for group in range(parquet.num_row_groups):
        # For a damaged chunk, a reader raises an error, while its metadata would end the process.
        next(parquet.iter_batches(1, row_groups=[group], columns=[*columns]), None)
    for chunk in _chunks(parquet.metadata, columns):
        most = max(_UNPACKED_BYTES, _UNPACKED_RATIO * chunk.total_compressed_size)
        if chunk.total_uncompressed_size > most:
            name = _column(chunk.path_in_schema)
            raise ParameterError(
                f"{path}: column {name!r} unpacks to more than {_UNPACKED_RATIO} times its size; "
                "write it in smaller row groups"
            )


def _chunks(
    metadata: pq.FileMetaData, columns: Collection[str]
) -> Iterator[pq.ColumnChunkMetaData]:
    """Yield the chunks of ``columns``; those of other columns may be damaged."""
    asked = [
        place
        for place in range(metadata.num_columns)
        if _column(metadata.schema.column(place).path) in columns
    ]
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        yield from map(group.column, asked)


def _column(path: str) -> str:
    return path.partition(".")[0]


def _coded(metadata: pq.FileMetaData, columns: Collection[str]) -> list[str]:
    """Return the ``columns`` of text that store each value once."""
    found = set(columns)
    for chunk in _chunks(metadata, columns):
        dictionary = {*chunk.encodings} <= _DICTIONARY_ENCODINGS and chunk.has_dictionary_page
        if chunk.physical_type != "BYTE_ARRAY" or not dictionary:
            found.discard(chunk.path_in_schema)
    return sorted(found)


def _batches(
    path: Path, parquet: pq.ParquetFile, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield rows of about ``PART`` bytes.

    Decoded bytes count, whatever sizes the file states, because a few encoded bytes may be many
    long texts.
    """
    kinds = [parquet.schema_arrow.field(name).type for name in columns]
    at_once = _ROWS_OF_SHORT_TEXTS if all(map(_is_short, kinds)) else _ROWS_OF_LONG_TEXTS
    seen = 0
    held: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in parquet.iter_batches(at_once, columns=columns, use_threads=False):
        for piece, bytes_of_it in _pieces(batch):
            if bytes_of_it > LONGEST_LINE and piece.num_rows == 1:
                raise ParameterError(
                    f"{path}: row {seen + 1} has more than {LONGEST_LINE:,} bytes; split it"
                )
            seen += piece.num_rows
            if held and (size + bytes_of_it > PART or rows + piece.num_rows > _MOST_ROWS_OF_A_PART):
                yield _joined(held)
                held, size, rows = [], 0, 0
            held.append(piece)
            size, rows = size + bytes_of_it, rows + piece.num_rows
    if held:
        yield _joined(held)


def _is_short(kind: pa.DataType) -> bool:
    """Return whether a row takes few bytes: a number, or a place in a dictionary."""
    tests = (pa.types.is_dictionary, pa.types.is_primitive, pa.types.is_null)
    return any(test(kind) for test in tests)


def _pieces(batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield a batch in pieces of about ``PART`` decoded bytes, or of one row, with their bytes."""
    plain = not any(pa.types.is_dictionary(column.type) for column in batch.columns)
    if plain and batch.nbytes <= PART:
        yield batch, batch.nbytes
        return
    lengths = np.sum([_lengths(column) for column in batch.columns], axis=0)
    ends = lengths.cumsum()
    first = 0
    while first < batch.num_rows:
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + PART, "right")))
        yield batch.slice(first, last - first), int(ends[last - 1]) - before
        first = last


def _lengths(column: pa.Array) -> NDArray[np.int64]:
    """Return the number of decoded bytes of each row of a column; for other than text, the mean."""
    if pa.types.is_dictionary(column.type):
        of_values: NDArray[np.int64] = np.append(_lengths(column.dictionary), 0)
        places = np.asarray(column.indices.fill_null(len(column.dictionary)).to_numpy())
        return np.asarray(of_values[places], np.int64)
    if not is_text(column.type):
        return np.full(len(column), column.nbytes // max(1, len(column)))
    lengths = pc.binary_length(column.cast(pa.large_string())).fill_null(0)
    return np.asarray(lengths.to_numpy(), np.int64)


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    [joined] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return joined


def _text_of(path: Path, field: pa.Field) -> pa.Field:
    """Return the field for the values of a column as text."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if is_text(kind):
        return field.with_type(kind)
    if not any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_integer,
            pa.types.is_floating,
            pa.types.is_boolean,
            pa.types.is_null,
        )
    ):
        raise ParameterError(
            f"{path}: column {field.name!r} contains {field.type}, not text; name another column"
        )
    return field.with_type(pa.string())
