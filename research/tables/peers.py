"""Tables of other packages: cost, behavior, results of audits, and utility."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, as_printed


def _audit_peers(found: Stored) -> str:
    """Return the findings in each package, and the parts of an audit that it passed."""
    rows = []
    for package, command, part, said in found.rows:
        rows.append([package.replace("==", " "), f"`{command}`", part, said])
    for name, audit in found.numbers["audits"].items():
        passed = [part["name"] for part in audit.get("parts", ()) if part["passed"]]
        if passed:
            last = max(i for i, row in enumerate(rows) if row[1] == f"`{name}`")
            rows.insert(last + 1, [rows[last][0], f"`{name}`", "passed", ", ".join(passed)])
    return markdown(["package", "shown by", "part", "result"], rows)


_TASKS = [
    *("mechanism", "attack success, all words", "sentiment accuracy", "cosine similarity"),
    *("attack success, content words", "ε"),
]

TABLES: Mapping[str, Table] = {
    "libraries-cost": Table(
        ["glove-7k/libraries"],
        partial(
            as_printed,
            keep=range(4),
            columns=["mechanism", "load, s", "RAM, MB", "µs per word"],
        ),
    ),
    "libraries-tokens": Table(
        ["glove-7k/libraries"],
        partial(
            as_printed,
            keep=(0, 4, 5, 6, 7),
            columns=["mechanism", "unknown word", "number", "capitals", "punctuation"],
        ),
    ),
    "libraries-meaning": Table(
        ["glove-7k/libraries"],
        partial(
            as_printed,
            keep=(0, 8, 9),
            columns=["mechanism", "attack success", "cosine similarity"],
        ),
    ),
    "audit-peers": Table(["glove-50d-2k/audit-peers"], _audit_peers),
    "tasks-peers": Table(
        ["wikipedia-10k-sentiment/tasks-peers"], partial(as_printed, columns=_TASKS)
    ),
}
