"""Tables of the languages of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import WRITTEN_IN, read_alone
from benchmarks.tables.table import Table


def _written_in(columns: Sequence[int]) -> str:
    """Return some columns of each language's results."""
    from benchmarks import written_in

    found = read_alone(WRITTEN_IN, timed=True)
    cells = [[row[i] for i in columns] for row in written_in.rows(found["languages"])]
    measured = [row for row in cells if any(cell != "–" for cell in row[1:])]
    return markdown([written_in.COLUMNS[i] for i in columns], measured)


def _written_in_short() -> str:
    """Return the README's table of languages with vectors, without intervals."""
    lines = _written_in((0, 3, 8, 9)).splitlines(keepends=True)
    shown = "".join(line for line in lines if not line.endswith("– |\n"))
    return re.sub(r" \([\d.]+–[\d.]+\)", "", shown).replace(", cut by its own rules", "")


TABLES: Mapping[str, Table] = {
    "written-in-short": Table((), _written_in_short, command="python -m benchmarks.written_in"),
    **{
        name: Table((), partial(_written_in, columns), command="python -m benchmarks.written_in")
        for name, columns in {
            "written-in-found": (0, 1, 2, 3, 4, 5),
            "written-in-kept": (0, 6, 7, 8, 9, 10),
            "written-in-tasks": (0, 11, 12, 13),
            "written-in-costs": (0, 14, 15, 16),
        }.items()
    },
}
