"""Tables of estimates: a row for each word of the vocabulary, and for each of several periods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from brrkit_counting.estimate.from_files import Frequencies
from brrkit_counting.estimate.periods import Periods, PeriodShare
from brrkit_toolchain.io.files import replaced
from brrkit_toolchain.io.tables.formats import table_format

COLUMNS = ("word", "reports", "share", "low", "high")
PERIOD_COLUMNS = tuple(field.name for field in fields(PeriodShare))

_TEXT_COLUMNS = ("word", "period", "kind", "name")
_ROWS_AT_ONCE = 1 << 16


def write_table(path: Path, found: Frequencies | Periods) -> None:
    """Write a table, at once or not at all.

    Args:
        path: path of the file.
        found: the estimate. For one period, ``COLUMNS`` of all words are written, in the
            vocabulary's order; for several, ``PERIOD_COLUMNS`` of its ``rows``.

    Raises:
        ParameterError: the suffix of ``path`` isn't that of a table.
        OutputError: the system refuses.
    """
    if isinstance(found, Periods):
        _write(path, PERIOD_COLUMNS, _in_parts(found))
        return
    of = found.estimate
    columns = (column.tolist() for column in (of.counts, of.shares, of.low, of.high))
    _write(path, COLUMNS, [(of.words, *columns)])


def _in_parts(periods: Periods) -> Iterator[tuple[Any, ...]]:
    """Yield columns of some rows at a time."""
    rows = (tuple(vars(row).values()) for row in periods.rows())
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        yield tuple(zip(*part, strict=True))


def _write(path: Path, names: tuple[str, ...], parts: Iterable[tuple[Any, ...]]) -> None:
    """Write rows, given in parts as columns."""
    import pyarrow as pa

    from brrkit_toolchain.io.tables.writing import writer

    file_format = table_format(path)
    numbers = tuple(name for name in names if name not in _TEXT_COLUMNS)
    of_parquet = {"reports": pa.int64()} | dict.fromkeys(_TEXT_COLUMNS, pa.string())
    kinds = {
        name: of_parquet.get(name, pa.float64()) if file_format == "parquet" else pa.string()
        for name in names
    }
    schema = pa.schema(kinds.items())
    with (
        replaced(path) as file,
        writer(file, path, file_format, schema, numbers) as table,
    ):
        for part in parts:
            columns = [
                column
                if name in _TEXT_COLUMNS or file_format == "parquet"
                else _written(name, column)
                for name, column in zip(names, part, strict=True)
            ]
            arrays = [pa.array(c, kind) for c, kind in zip(columns, kinds.values(), strict=True)]
            table.write(pa.record_batch(arrays, schema=schema))


def _written(name: str, numbers: Any) -> list[str]:
    """Return numbers as text."""
    return [str(number) if name == "reports" else f"{number:.6g}" for number in numbers]
