"""Tables of what phones type: what is known of it, and what a release shows and keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks import typed
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of

SOURCES = ("sample/typed", "wikipedia-50k/typed")
"""Bundles, of whose rows each says how many words they have."""


def _by_bundle(
    columns: Sequence[str], rows: Callable[[Mapping[str, Any]], list[list[str]]], *stored: Stored
) -> str:
    """Return the rows that a benchmark printed of each bundle: kinds together, bundles in order."""
    cells = [
        [first, f"{each.words:,}", *map(name_of, rest)]
        for each in stored
        for first, *rest in rows(each.numbers)
    ]
    first, *rest = columns
    order = list(dict.fromkeys(row[0] for row in cells))
    return markdown([first, "words", *rest], sorted(cells, key=lambda row: order.index(row[0])))


def _of_kinds(
    rows: Callable[[Mapping[str, Any]], list[list[str]]], numbers: Mapping[str, Any]
) -> list[list[str]]:
    return rows(numbers["kinds"])


def _notes(stored: Stored) -> str:
    """Return how much text it is of, and what senders know."""
    return "".join(f"* {note}\n" for note in stored.numbers["notes"])


def _pairs(stored: Stored) -> str:
    """Return texts as typed and as released."""
    pairs = [[_as_text(text), *released] for text, *released in stored.numbers["pairs"]]
    return markdown(typed.PAIR_COLUMNS, pairs, numbers=False)


def _as_text(text: str) -> str:
    """Return ``text`` with the characters of Markdown as themselves."""
    return "".join(f"\\{each}" if each in r"\`*_{}[]<>#|~" else each for each in text)


TABLES: Mapping[str, Table] = {
    "typed-known": Table(
        SOURCES, partial(_by_bundle, typed.KNOWN_COLUMNS, partial(_of_kinds, typed.known_rows))
    ),
    "typed-shown": Table(
        SOURCES, partial(_by_bundle, typed.SHOWN_COLUMNS, partial(_of_kinds, typed.shown_rows))
    ),
    "typed-tasks": Table(SOURCES, partial(_by_bundle, typed.TASK_COLUMNS, typed.task_rows)),
    "typed-notes": Table(SOURCES[:1], _notes, commands_only=True),
    "typed-pairs": Table(SOURCES[:1], _pairs, commands_only=True),
}
