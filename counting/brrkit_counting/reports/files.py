"""Reading of report files: privatized words with their counts, or batches.

``spec/reports.md`` specifies the formats. A file's content may be wrong, by mistake or on purpose.
Messages name the file and the place, but never a word, because one outside the bundle may be typed
text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brrkit.errors import ParameterError
from brrkit_counting.reports.batch import LARGEST_LINE, MOST_REPORTS, Batch, read_batch
from brrkit_toolchain.io.tables.formats import SUFFIXES, TEXT, said_format, uncompressed

if TYPE_CHECKING:
    from brrkit_toolchain.io.tables.parts import Part

WORD, COUNT = "word", "count"
"""Columns of tables."""


@dataclass(frozen=True)
class Words:
    """Consecutive words of a file; each may occur several times.

    Attributes:
        words: words, in the vocabulary or not.
        counts: number of reports of each word.
        place: function that names the file and the line of the i-th word.
    """

    words: Sequence[str]
    counts: Sequence[int]
    place: Callable[[int], str]

    @classmethod
    def of(cls, counts: Mapping[str, int], place: str) -> Words:
        """Return words with the same place."""
        return cls(list(counts), list(counts.values()), lambda _: place)


def has_batches(path: Path) -> bool:
    """Return whether a file has batches in JSON, by its name."""
    return _is_one_batch(path) or said_format(path) == "jsonl"


def _is_one_batch(path: Path) -> bool:
    return uncompressed(path).suffix.lower() == ".json"


def is_plain_text(path: Path) -> bool:
    """Return whether a file is neither a table nor has batches, by its name."""
    return not _is_one_batch(path) and said_format(path) in (None, TEXT)


def read_batches(path: Path) -> Iterator[tuple[Batch, str]]:
    """Yield the batches of a file of one batch (``.json``) or of JSON lines, with their places.

    Raises:
        ParameterError: the file can't be read, or a batch isn't in the form of ``spec/reports.md``.
    """
    if _is_one_batch(path):
        texts: Iterable[tuple[str, str]] = [(str(path), _whole(path))]
    else:
        texts = ((f"{path}: line {number}", line) for number, line in _lines(path) if line.strip())
    for place, text in texts:
        yield read_batch(text.encode(), place), place


def read_words(path: Path, column: str | None = None) -> Iterator[Words]:
    """Yield the words of a table or a text, by its suffix; a word may occur several times.

    Args:
        path: a table with ``WORD`` and ``COUNT``, or any other file: text with words between white
            space. Parquet may be a folder of files, and may lack ``COUNT``, if each row is a
            report.
        column: column of privatized texts, if ``brr privatize`` wrote the file.

    Raises:
        ParameterError: the file can't be read, or isn't in its format.
    """
    file_format = said_format(path)
    if column is None and file_format in (None, TEXT):
        yield from _text_words(path)
        return
    if file_format is None:
        raise ParameterError(
            f"{path}: only files named {', '.join(SUFFIXES)} can have a column; leave out the "
            "column, or rename the file"
        )
    for file in _files(path) if file_format == "parquet" else [path]:
        if column is None:
            yield from _table_words(file, file_format)
        else:
            yield from _column_words(file, file_format, column)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    from brrkit_toolchain.io.tables.reading import lines

    return lines(path, "a Parquet file's name ends with .parquet")


def _whole(path: Path) -> str:
    """Return the content of a UTF-8 file of at most ``LARGEST_LINE`` bytes."""
    text = ""
    for _, line in _lines(path):
        text += line
        if len(text) > LARGEST_LINE:
            raise ParameterError(
                f"{path}: has more than {LARGEST_LINE:,} bytes; write a .jsonl file with a batch "
                "on each line"
            )
    return text


def _text_words(path: Path) -> Iterator[Words]:
    for number, line in _lines(path):
        yield Words.of(Counter(line.split()), f"{path}: line {number}")


def _column_words(path: Path, file_format: str, column: str) -> Iterator[Words]:
    from brrkit_toolchain.io.tables.parts import Columns
    from brrkit_toolchain.io.tables.reading import opened

    name = TEXT if file_format == TEXT else column
    with opened(path, file_format, Columns([name])) as table:
        for part in table.parts:
            texts = filter(None, part.texts(name))
            yield Words.of(Counter(word for text in texts for word in text.split()), str(path))


def _files(path: Path) -> list[Path]:
    """Return a Parquet file, or all files of a folder from Spark."""
    if not path.is_dir():
        return [path]
    parts = [part for part in sorted(path.rglob("*.parquet")) if part.name[0] not in "._"]
    if not parts:
        raise ParameterError(f"{path}: contains no .parquet file; check the folder")
    return parts


def _table_words(path: Path, file_format: str) -> Iterator[Words]:
    from brrkit_toolchain.io.tables.parts import Columns
    from brrkit_toolchain.io.tables.reading import opened

    with opened(path, file_format, Columns()) as table:
        counted = file_format != "parquet" or COUNT in table.names
    columns = Columns(keep=[WORD, COUNT] if counted else [WORD])
    with opened(path, file_format, columns, repeated=True) as table:
        if file_format == "parquet":
            _check_types(path, table.schema)
        for part in table.parts:
            yield _counted(part)


def _check_types(path: Path, schema: Any) -> None:
    import pyarrow as pa

    from brrkit_toolchain.io.tables.parquet import is_text

    kinds = {WORD: (is_text, "text"), COUNT: (pa.types.is_integer, "integers")}
    for field in schema:
        is_kind, kind = kinds[field.name]
        if not is_kind(field.type):
            raise ParameterError(
                f"{path}: column {field.name!r} doesn't contain {kind}; write {WORD!r} with a row "
                f"for each report, or {WORD!r} and {COUNT!r}"
            )


def _counted(part: Part) -> Words:
    """Return the words of some rows, and their numbers of reports."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def check(bad: Any, problem: str) -> None:
        row = pc.index(bad, True).as_py()
        if row >= 0:
            raise ParameterError(f"{part.place(row)}{problem}")

    for column in part.batch.columns:
        check(pc.is_null(column), " has an empty field; repair the row")
    words = part.batch[WORD]
    if pa.types.is_dictionary(words.type):
        words = words.cast(words.type.value_type)
    counted = COUNT in part.batch.schema.names
    if counted:
        counts = part.batch[COUNT]
        wrong = f": the {COUNT} isn't a whole number from 0 to 2^53; repair it"
        if pa.types.is_string(counts.type):
            check(pc.invert(pc.match_substring_regex(counts, "^[0-9]{1,16}$")), wrong)
            counts = counts.cast(pa.int64())
        check(pc.or_(pc.less(counts, 0), pc.greater(counts, MOST_REPORTS)), wrong)
    else:
        words, counts = pc.value_counts(words).flatten()
    texts = replace(part, batch=pa.record_batch({WORD: words})).texts(WORD)
    place = part.place if counted else lambda _: part.place(0)
    return Words([str(word) for word in texts], counts.to_pylist(), place)
