"""Formats of lines, read in parts: text, CSV, TSV and JSON lines."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from brrkit import ParameterError, strict_json
from brrkit_toolchain.io.files import DAMAGED, decompressed, numbered_lines
from brrkit_toolchain.io.tables.formats import TEXT
from brrkit_toolchain.io.tables.parts import PART, Columns, Part, Table

LONGEST_LINE = 1 << 24
"""Bytes of a line of text, of a JSON line, and of a field of CSV."""


class Lines:
    """The lines of an opened UTF-8 file, which may be compressed, with their numbers."""

    def __init__(self, path: Path, file: BinaryIO, remedy: str = "convert the text first") -> None:
        self._path, self._remedy = path, remedy
        self._content = decompressed(file)
        self.length = 0
        """How many characters have been read."""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        number = 0
        try:
            for number, line in numbered_lines(
                self._content, str(self._path), LONGEST_LINE, remedy=self._remedy
            ):
                self.length += len(line)
                yield number, line
        except DAMAGED:
            raise ParameterError(
                f"{self._path}: damaged (it is compressed, and can be read up to line {number}); "
                "get it again"
            ) from None


_Row = tuple[int, list[str | None]]
"""The number of its last line, and the fields of the chosen columns."""


def read_lines(path: Path, file: BinaryIO, file_format: str, columns: Columns) -> Table:
    """Return an opened file of lines: its rows in parts of about ``PART`` bytes.

    Raises:
        ParameterError: a column isn't there, or a line isn't of the format. So do the parts.
    """
    source = Lines(path, file)
    if file_format == TEXT:
        names = chosen = [TEXT]
        found: Iterator[_Row] = ((number, [line.rstrip("\r\n")]) for number, line in source)
    elif file_format == "jsonl":
        names = chosen = list(columns.names)
        found = _json_rows(path, source, columns)
    else:
        records = (_csv_records if file_format == "csv" else _tsv_records)(path, source)
        _, names = next(records, (1, []))
        for name in columns.names:
            _check_column(path, names, name)
        places = [i for i, name in enumerate(names) if name in columns.names]
        chosen = [names[i] for i in places]
        found = _fields(path, records, len(names), places)
    schema = pa.schema([(name, pa.string()) for name in chosen])

    def part(numbers: list[int], fields: list[list[str | None]]) -> Part:
        arrays = [pa.array(column, pa.string()) for column in zip(*fields, strict=True)]
        return Part(pa.record_batch(arrays, schema=schema), numbers, str(path))

    def parts() -> Iterator[Part]:
        numbers: list[int] = []
        fields: list[list[str | None]] = []
        end = PART
        for number, row in found:
            numbers.append(number)
            fields.append(row)
            if source.length >= end:
                yield part(numbers, fields)
                numbers, fields, end = [], [], source.length + PART
        if numbers:
            yield part(numbers, fields)

    return Table(names, schema, parts(), os.fstat(file.fileno()).st_size, file.tell)


def _check_column(path: Path, names: Sequence[str], name: str) -> None:
    times = names.count(name)
    if times != 1:
        raise ParameterError(
            f"{path}: the first line names {'several columns' if times else 'no column'} {name!r} "
            f"among its {len(names)} fields; write the columns' names there, or name another column"
        )


def _csv_records(path: Path, source: Lines) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of CSV as in RFC 4180, with the numbers of their last lines."""
    csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader(_without_zero(path, source), strict=True)
    before = 0
    try:
        for record in reader:
            before = reader.line_num
            yield before, record
    except csv.Error as error:
        raise ParameterError(
            f"{path}: line {before + 1} isn't CSV ({error}); check its quotes"
        ) from None


def _tsv_records(path: Path, source: Lines) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of TSV, which has no quotes, with the numbers of their lines."""
    for number, line in enumerate(_without_zero(path, source), 1):
        yield number, line.removesuffix("\n").removesuffix("\r").split("\t")


def _without_zero(path: Path, source: Lines) -> Iterator[str]:
    for number, line in source:
        if "\0" in line:  # which CSV of Python 3.10 doesn't take
            raise ParameterError(f"{path}: line {number} has a zero byte; check the file")
        yield line


def _fields(
    path: Path, records: Iterator[tuple[int, list[str]]], width: int, places: Sequence[int]
) -> Iterator[_Row]:
    """Yield the fields at ``places`` of records, which have ``width`` each."""
    for number, record in records:
        if len(record) != width:
            if record in ([], [""]):  # an empty line
                continue
            raise ParameterError(
                f"{path}: line {number} has {len(record)} columns where the first line names "
                f"{width}; repair the line"
            )
        yield number, [record[i] for i in places]


def _json_rows(path: Path, source: Lines, columns: Columns) -> Iterator[_Row]:
    for number, line in source:
        if not line.strip():
            continue
        try:
            record = strict_json.parse(line.encode())
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise ParameterError(f"{path}: line {number} isn't a JSON object; check the line")
        fields: list[str | None] = []
        for names, kinds, wanted in (
            (columns.texts, (str,), "a string nor null"),
            (columns.values, (str, int, float), "a value nor null"),
        ):
            for name in names:
                value = record.get(name, ...)
                if value is not None and not isinstance(value, kinds):
                    raise ParameterError(
                        f"{path}: line {number}: column {name!r} isn't there, or is neither "
                        f"{wanted}; check the line"
                    )
                fields.append(value if isinstance(value, str | None) else json.dumps(value))
        fields += (
            json.dumps(record[name], ensure_ascii=False) if name in record else None
            for name in columns.keep
        )
        yield number, fields
