"""Tables of who wrote released texts, and which texts they are."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import writers
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of


def _named(stored: Stored) -> str:
    """Return how often a sender is named."""
    return markdown(writers.COLUMNS, writers.named_rows(stored.numbers["named"]))


def _recognized(stored: Stored) -> str:
    """Return how often a message is picked out of others."""
    rows = writers.recognized_rows(stored.numbers["recognized"])
    return markdown(writers.RECOGNIZED_COLUMNS, [[*map(name_of, row)] for row in rows])


def _task(stored: Stored) -> str:
    """Return what a classifier learns from frames."""
    return markdown(writers.TASK_COLUMNS, writers.task_rows(stored.numbers["task"]))


_SOURCE = ("sample/writers",)
TABLES: Mapping[str, Table] = {
    "writers-named": Table(_SOURCE, _named),
    "writers-recognized": Table(_SOURCE, _recognized),
    "writers-task": Table(_SOURCE, _task),
}
