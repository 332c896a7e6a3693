"""Parquet, read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from brrkit.errors import ParameterError
from brrkit_toolchain.io.tables.parts import PART, Columns, Part, Table


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column of Arrow holds texts."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def read_parquet(path: Path, file: BinaryIO, columns: Columns, most: int | None) -> Table:
    """Return an opened file of Parquet.

    Args:
        path: for messages.
        file: opened.
        columns: to read.
        most: rows in a part; by default, those of about ``PART`` bytes.

    Raises:
        ParameterError: a column isn't there, or is no text. What Arrow raises of a damaged file
            the parts raise, too.
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
    metadata, read = parquet.metadata, [0]
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    # Rows of about the same bytes as a part of lines, uncompressed.
    size = max(1, sum(group.total_byte_size for group in groups))
    rows = most or min(1 << 16, max(1, metadata.num_rows * PART // size))

    def parts() -> Iterator[Part]:
        for batch in parquet.iter_batches(rows, columns=list(fields), use_threads=False):
            first = read[0] + 1
            read[0] += batch.num_rows
            cast = batch.cast(schema) if as_text else batch
            yield Part(cast, range(first, read[0] + 1), str(path), "row")

    return Table(names, schema, parts(), metadata.num_rows, lambda: read[0])


def _text_of(path: Path, field: pa.Field) -> pa.Field:
    """Return the field that has the values of a column as text."""
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
            f"{path}: column {field.name!r} holds {field.type}, no text; name another column"
        )
    return field.with_type(pa.string())
