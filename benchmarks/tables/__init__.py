"""The tables of the documentation, made of stored results: a module a topic."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.tables import (
    codes,
    costs,
    counting,
    frontier,
    policy,
    review,
    settings,
    tasks,
    texts,
    typed,
    writers,
    written_in,
)
from benchmarks.tables.table import Table

TABLES: Mapping[str, Table] = {
    **codes.TABLES,
    **costs.TABLES,
    **counting.TABLES,
    **frontier.TABLES,
    **policy.TABLES,
    **review.TABLES,
    **settings.TABLES,
    **tasks.TABLES,
    **texts.TABLES,
    **typed.TABLES,
    **writers.TABLES,
    **written_in.TABLES,
}
"""By the name in a page's marker."""
