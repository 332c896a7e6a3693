"""The tables of research/results, made of stored results: a module a topic."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.tables.table import Table
from research.tables import adept, attackers, audits, new_words, oracles, peers

TABLES: Mapping[str, Table] = {
    **adept.TABLES,
    **attackers.TABLES,
    **audits.TABLES,
    **new_words.TABLES,
    **oracles.TABLES,
    **peers.TABLES,
}
"""By the name in a page's marker."""
