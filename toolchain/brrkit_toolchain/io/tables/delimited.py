"""CSV and TSV, read in parts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from brrkit import ParameterError
from brrkit_toolchain.io.tables.blocks import LONGEST_LINE, Block, Lines
from brrkit_toolchain.io.tables.parts import PART, Columns, Rows

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", ",": "commas"}

_Record = tuple[int, list[str]]
"""The number of its last line, and its fields."""


def read_delimited(
    path: Path, source: Lines, file_format: str, columns: Columns
) -> tuple[list[str], list[str], Iterator[Rows]]:
    """Return the names of all columns, those of the chosen ones in the file's order, and the rows.

    Raises:
        ParameterError: a column is missing. The rows raise it if a line has another format.
    """
    delimiter, read = _FORMATS[file_format]
    blocks = source.blocks()

    def records_from(block: Block) -> Iterator[_Record]:
        # Quoted text may continue in the next block.
        rest = chain([block], blocks if b'"' in block.content else ())
        return read(path, rest, block.before)

    heading = records_from(source.block())
    _, names = next(heading, (1, []))
    for name in columns.names:
        _check_column(path, names, name, file_format)
    width = len(names)
    places = [i for i, name in enumerate(names) if name in columns.names]

    def rows() -> Iterator[Rows]:
        yield from _read_rows(path, heading, width, places)
        for block in blocks:
            plain = _plain_rows(block, delimiter, width, places)
            if plain is None:
                yield from _read_rows(path, records_from(block), width, places)
            else:
                yield plain

    return names, [names[i] for i in places], rows()


def _check_column(path: Path, names: Sequence[str], name: str, file_format: str) -> None:
    times = names.count(name)
    if names and not times and (other := _other_separator(names)):
        raise ParameterError(
            f"{path}: {other}; write it as {file_format.upper()}: a first line of names, and "
            f"{'commas' if file_format == 'csv' else 'tabs'} between fields"
        )
    if times != 1:
        raise ParameterError(
            f"{path}: the first line names {'several columns' if times else 'no column'} {name!r} "
            f"among its {len(names)} fields; write the columns' names there, or name another column"
        )


def _other_separator(names: Sequence[str]) -> str | None:
    """Return the other separator of a first line that lacks the column, if any."""
    if "\r" in "".join(names):
        return "its lines end with carriage returns alone"
    if names[0].lower().startswith("sep="):
        return "its first line names a separator, as spreadsheets write it"
    counts = {sign: sum(name.count(sign) for name in names) for sign in _SEPARATORS}
    most = max(counts, key=counts.__getitem__)
    return (
        f"its fields look separated by {_SEPARATORS[most]}" if counts[most] >= len(names) else None
    )


def _plain_rows(block: Block, delimiter: bytes, width: int, places: Sequence[int]) -> Rows | None:
    """Return the rows of lines with ``width`` fields each, without reading line by line.

    The result is None if each line must be read: because of quotes, empty lines or errors.
    """
    content = block.content.replace(b"\r\n", b"\n").removesuffix(b"\n") + b"\n"
    if width < 2 or len(content) > LONGEST_LINE or any(map(content.count, (b'"', b"\0", b"\r"))):
        return None
    marks = np.frombuffer(content, np.uint8)
    marks = marks[(marks == ord(delimiter)) | (marks == ord("\n"))]
    line = np.frombuffer(delimiter * (width - 1) + b"\n", np.uint8)
    if len(marks) % width or (marks.reshape(-1, width) != line).any():
        return None
    try:
        fields = content.decode().replace("\n", delimiter.decode()).split(delimiter.decode())
    except UnicodeDecodeError:
        return None
    first = block.before + 1
    return range(first, first + len(marks) // width), [fields[i:-1:width] for i in places]


def _csv_records(path: Path, blocks: Iterator[Block], before: int) -> Iterator[_Record]:
    """Yield the records of CSV as in RFC 4180."""
    csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader((line for _, line in _without_zero(path, blocks)), strict=True)
    last = before
    try:
        for record in reader:
            last = before + reader.line_num
            yield last, record
    except csv.Error as error:
        if "new-line character" in str(error):
            raise ParameterError(
                f"{path}: line {last + 1} has a carriage return that ends no line; write the "
                "file with line feeds"
            ) from None
        raise ParameterError(
            f"{path}: line {last + 1} isn't CSV ({error}); check its quotes"
        ) from None


def _tsv_records(path: Path, blocks: Iterator[Block], _before: int) -> Iterator[_Record]:
    """Yield the records of TSV, which has no quotes."""
    for number, line in _without_zero(path, blocks):
        yield number, line.removesuffix("\n").removesuffix("\r").split("\t")


_FORMATS = {"csv": (b",", _csv_records), "tsv": (b"\t", _tsv_records)}


def _without_zero(path: Path, blocks: Iterator[Block]) -> Iterator[tuple[int, str]]:
    for number, line in chain.from_iterable(blocks):
        if "\0" in line:  # the csv module of Python 3.10 doesn't accept it
            raise ParameterError(f"{path}: line {number} has a zero byte; check the file")
        yield number, line


def _read_rows(
    path: Path, records: Iterator[_Record], width: int, places: Sequence[int]
) -> Iterator[Rows]:
    """Yield the columns at ``places`` of records with ``width`` fields each."""
    rows: list[tuple[int, list[str]]] = []
    length = 0
    for number, record in records:
        if len(record) != width:
            if record in ([], [""]):  # an empty line
                continue
            raise ParameterError(
                f"{path}: line {number} has {len(record)} columns, but the first line names "
                f"{width}; repair the line"
            )
        rows.append((number, [record[i] for i in places]))
        length += sum(map(len, record)) + width
        if length >= PART:
            yield _turned(rows)
            rows, length = [], 0
    if rows:
        yield _turned(rows)


def _turned(rows: list[tuple[int, list[str]]]) -> Rows:
    numbers, fields = zip(*rows, strict=True)
    return numbers, list(zip(*fields, strict=True))
