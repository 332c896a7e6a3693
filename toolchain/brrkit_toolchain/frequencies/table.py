"""The table of an estimate: a row for each word of the vocabulary."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit_toolchain.frequencies.estimate import FrequencyEstimate
from brrkit_toolchain.system.files import replaced

COLUMNS = ("word", "reports", "share", "low", "high")


def check_name(path: Path) -> None:
    """Check that a table can have this name.

    Raises:
        ParameterError: it ends with neither .csv nor .parquet.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"{path}: a table's name ends with .csv or .parquet; choose one")


def write_table(path: Path, estimate: FrequencyEstimate) -> None:
    """Write ``COLUMNS`` of all words, in the order of the vocabulary, at once or not at all.

    Raises:
        OutputError: the system refuses.
    """
    columns = (
        list(estimate.words),
        estimate.counts.tolist(),
        estimate.shares.tolist(),
        estimate.low.tolist(),
        estimate.high.tolist(),
    )
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        with replaced(path) as file:
            pq.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), file)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        (word, count, *(f"{number:.6g}" for number in numbers))
        for word, count, *numbers in zip(*columns, strict=True)
    )
    with replaced(path) as file:
        file.write(text.getvalue().encode())
