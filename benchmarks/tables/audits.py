"""Tables of audits: what they can see, and what they found in other packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import AUDIT_VECTORS, Stored, read_alone
from benchmarks.tables.table import Table


def _audit(what: str) -> str:
    """Return what an audit can see, by exact sums."""
    from benchmarks import audit_power

    sizes = [f"{size:,}" for size in audit_power.SIZES]
    if what == "leaks":
        return markdown(["leak", *sizes], audit_power.limits())
    rows = [[f"`{name}`", *cells] for name, *cells in audit_power.powers()]
    return markdown(["name in `broken.py`", *sizes[:3]], rows)


def _audit_counted() -> str:
    """Return how often audits rejected what is broken, and what isn't."""
    found = read_alone(AUDIT_VECTORS)
    return markdown(
        ["", "samples", "rejected"],
        [
            [
                f"`{row['name'].rpartition(':')[2]}`",
                f"{row['samples']:,}",
                f"{row['rejected']} of {row['trials']}",
            ]
            for row in found["rows"]
        ],
    )


def _audit_peers(found: Stored) -> str:
    """Return what was found in each package, and which parts of an audit it passed."""
    rows = []
    for package, command, part, said in found.rows:
        rows.append([package.replace("==", " "), f"`{command}`", part, said])
    for name, audit in found.numbers["audits"].items():
        passed = [part["name"] for part in audit.get("parts", ()) if part["passed"]]
        if passed:
            last = max(i for i, row in enumerate(rows) if row[1] == f"`{name}`")
            rows.insert(last + 1, [rows[last][0], f"`{name}`", "passed", ", ".join(passed)])
    return markdown(["", "shown by", "part", "found"], rows)


TABLES: Mapping[str, Table] = {
    **{
        f"audit-{what}": Table(
            (), partial(_audit, what), command="python -m benchmarks.audit_power --limits"
        )
        for what in ("leaks", "vectors")
    },
    "audit-counted": Table(
        (), _audit_counted, command="python -m benchmarks.audit_power --vectors --trials 100"
    ),
    "audit-peers": Table(["glove-50d-2k/audit-peers"], _audit_peers),
}
