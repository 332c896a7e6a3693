"""Files of reports, read: privatized words with their counts, or batches.

The formats are in ``docs/reference/reports.md``. Whoever wrote a file may have erred or lied.
Messages name the file and the place, never a word: one that isn't of the bundle may be a word as it
was typed.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from brrkit.errors import ParameterError
from brrkit_toolchain.frequencies.batch import LARGEST_LINE, MOST_REPORTS, Batch, read_batch
from brrkit_toolchain.system.columns import place_of
from brrkit_toolchain.system.files import numbered_lines, open_input

WORD, COUNT = "word", "count"
"""Columns of tables."""

_PARQUET_ROWS = 1 << 20  # that are counted at a time

Entry: TypeAlias = tuple[str, int, str]
"""A word, how often it came out, and the file and line that say so."""

_INTEGER = re.compile(r"[0-9]{1,16}")


def has_batches(path: Path) -> bool:
    """Tell by its name whether a file has batches, in JSON."""
    return path.suffix in (".json", ".jsonl")


def is_plain_text(path: Path) -> bool:
    """Tell by its name whether a file is neither a table nor has batches."""
    return not has_batches(path) and path.suffix not in (".csv", ".parquet")


def read_batches(path: Path) -> Iterator[tuple[Batch, str]]:
    """Yield the batches of a ``.json`` file (one) or a ``.jsonl`` file, with their places.

    Raises:
        ParameterError: the file can't be read, or a batch isn't as in
        ``docs/reference/reports.md``.
    """
    if path.suffix == ".json":
        texts: Iterable[tuple[str, str]] = [(str(path), _whole(path))]
    else:
        texts = ((f"{path}: line {number}", line) for number, line in _lines(path) if line.strip())
    for place, text in texts:
        yield read_batch(text.encode(), place), place


def read_words(path: Path, column: str | None = None) -> Iterator[Entry]:
    """Yield the words of a table or a text, by the end of its name; a word may come several times.

    Args:
        path: ``.csv`` with ``WORD`` and ``COUNT``; ``.parquet``, a file or a folder of such files,
            which may be without ``COUNT``: then each row is a report; or any other: text, words
            between white space.
        column: of privatized texts; then the file is one that ``brr privatize`` writes.

    Raises:
        ParameterError: the file can't be read, or isn't of its format.
    """
    if column is not None:
        return _column_words(path, column)
    if path.suffix == ".parquet":
        return _parquet_words(path)
    if path.suffix == ".csv":
        return _csv_words(path)
    return _text_words(path)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbers and lines of a UTF-8 file of any length; a byte order mark goes."""
    try:
        with open_input(path) as file:
            remedy = "a Parquet file's name ends with .parquet"
            yield from numbered_lines(file, str(path), LARGEST_LINE, remedy=remedy)
    except OSError as error:
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None


def _whole(path: Path) -> str:
    """Return a UTF-8 file of ``LARGEST_LINE`` bytes at most."""
    text = "".join(line for _, line in _lines(path))
    if len(text) > LARGEST_LINE:
        raise ParameterError(
            f"{path}: more than {LARGEST_LINE:,} bytes; write batches as .jsonl, one a line"
        )
    return text


def _text_words(path: Path) -> Iterator[Entry]:
    for number, line in _lines(path):
        for word, count in Counter(line.split()).items():
            yield word, count, f"{path}: line {number}"


def _column_words(path: Path, column: str) -> Iterator[Entry]:
    from brrkit_toolchain.corpus.files import SUFFIXES, opened, said_format

    file_format = said_format(path)
    if file_format is None:
        raise ParameterError(
            f"{path}: a column is of a file named {', '.join(SUFFIXES)}; leave out the column, or "
            "rename the file"
        )
    with opened(path, file_format, [column], []) as file:
        for batch in file.batches:
            texts = filter(None, batch.column(column).to_pylist())
            for word, count in Counter(word for text in texts for word in text.split()).items():
                yield word, count, str(path)


def _csv_words(path: Path) -> Iterator[Entry]:
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for at, line in _lines(path):
            number = at
            if "\0" in line:
                raise ParameterError(f"{path}: line {at} has a zero byte; check the file")
            yield line

    try:
        rows = csv.reader(texts(), strict=True)
        header = next(rows, [])
        word_at, count_at = (place_of(path, header, name) for name in (WORD, COUNT))
        for row in rows:
            place = f"{path}: line {number}"
            if not row:
                continue
            if len(row) != len(header):
                raise ParameterError(
                    f"{place} has {len(row)} columns where the first line names {len(header)}; "
                    "repair the line"
                )
            if not _INTEGER.fullmatch(row[count_at]):
                raise ParameterError(
                    f"{place}: the {COUNT} isn't a whole number from 0 to 2^53; repair the line"
                )
            yield row[word_at], int(row[count_at]), place
    except csv.Error as error:
        raise ParameterError(f"{path}: line {number} isn't CSV ({error}); repair it") from None


def _parquet_words(path: Path) -> Iterator[Entry]:
    """Yield the words of a file, or of all files of a folder, as Spark writes them."""
    if not path.is_dir():
        yield from _parquet_file_words(path)
        return
    parts = [part for part in sorted(path.rglob("*.parquet")) if part.name[0] not in "._"]
    if not parts:
        raise ParameterError(f"{path}: has no file whose name ends with .parquet; check the folder")
    for part in parts:
        yield from _parquet_file_words(part)


def _parquet_file_words(path: Path) -> Iterator[Entry]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_input(path) as file, pq.ParquetFile(file) as table:
            columns = _parquet_columns(path, table.schema_arrow)
            row = 1
            for batch in table.iter_batches(_PARQUET_ROWS, columns=columns):
                place = f"{path}: row {row}"
                for word, count in _counted(batch, path, row):
                    yield word, count, place
                row += len(batch)
    except OSError as error:
        if error.strerror is None:  # Arrow's own, of what is in the file
            raise ParameterError(f"{path}: a damaged Parquet file; write it again") from None
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None
    except (pa.ArrowException, UnicodeDecodeError):
        raise ParameterError(
            f"{path}: not a Parquet file, or a damaged one; write it again"
        ) from None


def _parquet_columns(path: Path, schema: Any) -> list[str]:
    """Return which columns to read: ``WORD``, and ``COUNT`` if there is one."""
    import pyarrow as pa

    columns = [WORD, COUNT] if COUNT in schema.names else [WORD]
    for name, is_kind, kind in ((WORD, _is_text, "text"), (COUNT, pa.types.is_integer, "integers")):
        if name not in columns:
            continue
        if schema.names.count(name) != 1 or not is_kind(schema.field(name).type):
            raise ParameterError(
                f"{path}: there is no column {name!r} of {kind}, or several; it needs "
                f"{WORD!r}, a row for each report, or {WORD!r} and {COUNT!r}"
            )
    return columns


def _counted(batch: Any, path: Path, first: int) -> Iterator[tuple[str, int]]:
    """Yield the words of some rows, of which the ``first`` has that number, and their counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def check(bad: Any, problem: str) -> None:
        row = pc.index(bad, True).as_py()
        if row >= 0:
            raise ParameterError(f"{path}: row {first + row}{problem}")

    for column in batch.columns:
        check(pc.is_null(column), " has an empty field; repair the row")
    words = batch.column(WORD)
    if COUNT not in batch.schema.names:
        for each in pc.value_counts(words).to_pylist():
            yield each["values"], each["counts"]
        return
    counts = batch.column(COUNT)
    wrong = pc.or_(pc.less(counts, 0), pc.greater(counts, MOST_REPORTS))
    check(wrong, f": the {COUNT} isn't a whole number from 0 to 2^53; repair it")
    if pa.types.is_dictionary(words.type):
        words = words.cast(words.type.value_type)
    yield from zip(words.to_pylist(), counts.to_pylist(), strict=True)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
