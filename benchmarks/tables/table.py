"""What tables of all topics share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.markdown import markdown
from benchmarks.store import Stored

LEFT_OUT = "–"
NOT_REACHED = "not reached"
SUBJECTS = {"glove": "glove-7k", "wikipedia": "wikipedia-50k"}
"""Folders of results, by the ends of the names of tables that there are of two embeddings."""

_NAMES = {
    "laplace": "Laplace noise on float vectors (Madlib)",
    "Madlib (Laplace)": "Laplace noise on float vectors (Madlib)",
    "brr": "`brr`",
    "vickrey": "`vickrey`, t = 0.5",
    "exponential": "`exponential`",
    "find": "look-up of a word",
    "search": "search: the scan of all codes",
    "open": "opening the bundle and verifying its hashes",
    "open, cold": "opening it in a process that has just started",
    "exponential, by the clock": "`exponential`, by the clock",
    "with a budget, by the clock": "`exponential` with a budget",
    "with a new budget, by the clock": "`exponential` with a new budget, its first 300 words",
    "typing, budget on: p50": "typing with a budget, median",
    "typing, budget on: p99": "typing with a budget, 99th percentile",
    "zipf": "Zipf",
    "imdb": "IMDB",
}


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        sources: stored results, as SUBJECT/BENCHMARK.
        make: takes them, returns Markdown.
        command: that makes it, where no stored result of a bundle tells.
        commands_only: on what and where it was measured is left to another page that has it.
    """

    sources: Sequence[str]
    make: Callable[..., str]
    command: str = ""
    commands_only: bool = False


def as_printed(
    stored: Stored, keep: Sequence[int] | None = None, columns: Sequence[str] | None = None
) -> str:
    """Return the table that a benchmark printed.

    Args:
        stored: its result.
        keep: which columns; all by default.
        columns: other headings for these.
    """
    chosen = range(len(stored.columns)) if keep is None else keep
    return markdown(
        columns or [stored.columns[i] for i in chosen],
        [[name_of(row[i]) for i in chosen] for row in stored.rows],
    )


def name_of(cell: str) -> str:
    """Return what the pages call what a benchmark printed."""
    return _NAMES.get(cell, LEFT_OUT if cell == "-" else cell)
