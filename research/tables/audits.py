"""Tables of the power of audits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import read_alone
from benchmarks.tables.table import Table
from research import AUDIT_VECTORS


def _audit(what: str) -> str:
    """Return the power of an audit, by exact sums."""
    from research.audits import power

    sizes = [f"{size:,}" for size in power.SIZES]
    if what == "leaks":
        return markdown(["leak", *(f"{size} samples" for size in sizes)], power.limits())
    rows = [[f"`{name}`", *cells] for name, *cells in power.powers()]
    return markdown(["name in `broken.py`", *(f"{size} samples" for size in sizes[:3])], rows)


def _audit_counted() -> str:
    """Return the rates at which audits rejected broken code and correct code."""
    found = read_alone(AUDIT_VECTORS)
    return markdown(
        ["mechanism", "samples", "rejected audits"],
        [
            [
                f"`{row['name'].rpartition(':')[2]}`",
                f"{row['samples']:,}",
                f"{row['rejected']} of {row['trials']}",
            ]
            for row in found["rows"]
        ],
    )


TABLES: Mapping[str, Table] = {
    **{
        f"audit-{what}": Table(
            (), partial(_audit, what), command="python -m research.audits.power --limits"
        )
        for what in ("leaks", "vectors")
    },
    "audit-counted": Table(
        (), _audit_counted, command="python -m research.audits.power --vectors --trials 100"
    ),
}
