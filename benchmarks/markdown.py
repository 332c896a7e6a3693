"""Tables in GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a table.

    Args:
        columns: its headings.
        rows: its cells.
        numbers: all columns but the first are of numbers, and flush right.
    """
    rule = ["---", *("--:" if numbers else "---" for _ in columns[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, rule, *rows))
