"""Tables in GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a table.

    Args:
        columns: its headings.
        rows: its cells.
        numbers: whether all columns except the first have numbers, aligned right.
    """
    rule = ["---", *("--:" if numbers else "---" for _ in columns[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, rule, *rows))
