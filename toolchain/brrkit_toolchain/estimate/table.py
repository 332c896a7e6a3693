"""The table of an estimate: a row for each word of the vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brrkit_toolchain.estimate.estimate import FrequencyEstimate
from brrkit_toolchain.io.files import replaced
from brrkit_toolchain.io.tables.formats import table_format

COLUMNS = ("word", "reports", "share", "low", "high")


def write_table(path: Path, estimate: FrequencyEstimate) -> None:
    """Write ``COLUMNS`` of all words, in the order of the vocabulary, at once or not at all.

    Raises:
        ParameterError: the suffix of ``path`` says no table.
        OutputError: the system refuses.
    """
    import pyarrow as pa

    from brrkit_toolchain.io.tables.writing import writer

    file_format = table_format(path)
    numbers: list[Any] = [estimate.counts, estimate.shares, estimate.low, estimate.high]
    if file_format != "parquet":
        counts, *shares = numbers
        numbers = [map(str, counts), *([f"{share:.6g}" for share in each] for each in shares)]
    columns = map(pa.array, (estimate.words, *numbers))
    batch = pa.record_batch(dict(zip(COLUMNS, columns, strict=True)))
    with (
        replaced(path) as file,
        writer(file, path, file_format, batch.schema, COLUMNS[1:]) as table,
    ):
        table.write(batch)
