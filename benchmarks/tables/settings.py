"""Tables of a setting's calibration, its certificate, and a memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.store import Stored
from benchmarks.tables.table import Table, as_printed


def _memory(memory: Stored) -> str:
    headings = [_of_releases(name) for name in memory.columns[1:]]
    printed = as_printed(memory, columns=["setting", *headings])
    return printed.replace(", second ", ", second ε = ")


def _of_releases(column: str) -> str:
    """Return the heading of a column; a number is the number of releases."""
    if not column[0].isdigit():
        return column
    return f"{column} release" if column == "1" else f"{column} releases"


def _printed_lines(stored: Stored) -> str:
    """Return the output of a command."""
    return "\n".join(["```", *(line for (line,) in stored.rows), "```", ""])


def _certify(certify: Stored) -> str:
    """Return the savings from certificates, without the times."""
    return as_printed(certify, (0, 1, 2, 3, 5), ["radius", "ε", "ε*", "reduction", "largest ε"])


_OPTIMUM = (
    "vocabulary, privacy loss per bit",
    "optimum",
    "`exponential`, certified",
    "`exponential`, any vocabulary",
    "ratio of their ε",
)

TABLES: Mapping[str, Table] = {
    "calibrate": Table(["glove-7k/calibrate"], _printed_lines),
    "certify": Table(["glove-7k/certify"], _certify),
    "optimum": Table(["glove-7k/optimum"], partial(as_printed, columns=_OPTIMUM)),
    "memory": Table(["glove-7k/memory"], _memory),
}
