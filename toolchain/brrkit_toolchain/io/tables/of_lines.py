"""Formats of lines, read in parts: text, CSV, TSV and JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from brrkit import ParameterError, strict_json
from brrkit_toolchain.io.tables.blocks import Lines
from brrkit_toolchain.io.tables.delimited import read_delimited
from brrkit_toolchain.io.tables.formats import TEXT
from brrkit_toolchain.io.tables.parts import Columns, Part, Rows, Table


def read_lines(path: Path, file: BinaryIO, file_format: str, columns: Columns) -> Table:
    """Open a file of lines, with its rows in parts of about ``PART`` bytes.

    Raises:
        ParameterError: a column is missing, or a line has another format. The parts raise it, too.
    """
    source = Lines(path, file)
    if file_format == TEXT:
        names = chosen = [TEXT]
        rows = _text_rows(source)
    elif file_format == "jsonl":
        names = chosen = list(columns.names)
        rows = _json_rows(path, source, columns)
    else:
        names, chosen, rows = read_delimited(path, source, file_format, columns)
    schema = pa.schema([(name, pa.string()) for name in chosen])

    def parts() -> Iterator[Part]:
        for numbers, fields in rows:
            arrays = [pa.array(column, pa.string()) for column in fields]
            yield Part(pa.record_batch(arrays, schema=schema), numbers, str(path))

    return Table(names, schema, parts(), os.fstat(file.fileno()).st_size, file.tell)


def _text_rows(source: Lines) -> Iterator[Rows]:
    for block in source.blocks():
        numbers, lines = zip(*block, strict=True)
        yield numbers, [[line.rstrip("\r\n") for line in lines]]


def _json_rows(path: Path, source: Lines, columns: Columns) -> Iterator[Rows]:
    for block in source.blocks():
        rows = [
            (number, *_json_fields(f"{path}: line {number}", line, columns))
            for number, line in block
            if line.strip()
        ]
        if rows:
            numbers, *fields = zip(*rows, strict=True)
            yield numbers, fields


def _json_fields(place: str, line: str, columns: Columns) -> list[str | None]:
    record = None
    try:
        record = strict_json.parse(line.encode())
    except UnicodeEncodeError:
        raise ParameterError(f"{place} has half a surrogate pair; repair the line") from None
    except strict_json.NotANumberError:
        raise ParameterError(f"{place} has NaN or Infinity, which JSON lacks; write null") from None
    except ValueError:
        pass
    if not isinstance(record, dict):
        several = line.lstrip().startswith("[") or line.strip() == "{"
        remedy = "write one object per line, as 'jq -c' does" if several else "check the line"
        raise ParameterError(f"{place} isn't a JSON object; {remedy}")
    fields: list[str | None] = []
    for names, kinds, wanted in (
        (columns.texts, (str,), "a string nor null"),
        (columns.values, (str, int, float), "a value nor null"),
    ):
        for name in names:
            value = record.get(name, ...)
            if value is not None and not isinstance(value, kinds):
                raise ParameterError(
                    f"{place}: column {name!r} isn't there, or is neither {wanted}; check the line"
                )
            fields.append(value if isinstance(value, str | None) else json.dumps(value))
    fields += (
        json.dumps(record[name], ensure_ascii=False) if name in record else None
        for name in columns.keep
    )
    return fields
