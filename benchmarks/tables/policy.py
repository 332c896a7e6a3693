"""Tables of a policy's protection and costs, and the README's message."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import message, policy
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of

EVERYDAY, SAMPLE = ("everyday-10k/policy",), ("sample/policy",)


def _rows(stored: Stored) -> str:
    """Return the results, without times."""
    rows = policy.rows_of(stored.numbers, timed=False)
    return markdown(policy.COLUMNS, [list(map(name_of, row)) for row in rows])


def _notes(stored: Stored) -> str:
    """Return sentences about the measurement."""
    return "".join(f"* {note}\n" for note in policy.notes_of(stored.numbers))


TABLES: Mapping[str, Table] = {
    "message": Table((), message.described, command="python -m benchmarks.message"),
    "policy": Table(EVERYDAY, _rows),
    "policy-notes": Table(EVERYDAY, _notes, commands_only=True),
    "policy-sample": Table(SAMPLE, _rows),
    "policy-sample-notes": Table(SAMPLE, _notes, commands_only=True),
}
