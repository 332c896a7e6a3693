"""The documentation's tables from stored results, with one module for each topic."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.tables import (
    attack_me,
    codes,
    costs,
    counting,
    frontier,
    policy,
    review,
    settings,
    standard,
    tasks,
    texts,
    typed,
    writers,
    written_in,
)
from benchmarks.tables.table import Table

TABLES: Mapping[str, Table] = {
    **attack_me.TABLES,
    **codes.TABLES,
    **costs.TABLES,
    **counting.TABLES,
    **frontier.TABLES,
    **policy.TABLES,
    **review.TABLES,
    **settings.TABLES,
    **standard.TABLES,
    **tasks.TABLES,
    **texts.TABLES,
    **typed.TABLES,
    **writers.TABLES,
    **written_in.TABLES,
}
"""The tables, by the name in a page's marker."""
