"""Tables of text typed on phones: known words, attack success and utility."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks import typed
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of

SOURCES = ("sample/typed", "wikipedia-50k/typed")
"""Stored results by bundle; each row states the bundle's number of words."""


def _by_bundle(
    columns: Sequence[str], rows: Callable[[Mapping[str, Any]], list[list[str]]], *stored: Stored
) -> str:
    """Return a benchmark's printed rows of all bundles, by kind, with the bundles in order."""
    cells = [
        [first, f"{each.words:,}", *map(name_of, rest)]
        for each in stored
        for first, *rest in rows(each.numbers)
    ]
    first, *rest = columns
    order = list(dict.fromkeys(row[0] for row in cells))
    return markdown(
        [first, "vocabulary", *rest], sorted(cells, key=lambda row: order.index(row[0]))
    )


def _of_kinds(
    rows: Callable[[Mapping[str, Any]], list[list[str]]], numbers: Mapping[str, Any]
) -> list[list[str]]:
    return rows(numbers["kinds"])


_SENTENCES = {
    r"(\S+) words counted, (\S+) released, of these (\S+) attacked; attackers know (\S+) others": (
        r"\1 words are counted, \2 are released, and \3 are attacked. Attackers know \4 words of "
        "other texts."
    ),
    r"senders: of messages, those of (\d+) words at least": (
        r"Shares by sender cover the senders of at least \1 words."
    ),
    r"goal: radius (\d+) of (\d+) bits, no task bits, no cap; perplexity, .*": (
        r"The setting for the goal has a radius of \1 of \2 bits, no task bits and no cap. "
        "Perplexity is measured by an interpolated trigram model of other texts as typed (absolute "
        "discount 0.75, over bigrams with modified Kneser-Ney discounts)."
    ),
    r"cosine: by the vectors of (\S+), which have (\S+) of the bundle's words": (
        r"Cosines use the vectors of \1. These vectors cover \2 of the bundle's words."
    ),
    r"that a word was unknown: area under the curve .*": (
        "AUC and gain are exact, for one released word."
    ),
}
"""Notes in stored results, and the sentences that replace them."""


def _notes(stored: Stored) -> str:
    """Return the notes on the measurement."""
    notes = stored.numbers["notes"]
    for pattern, said in _SENTENCES.items():
        notes = [re.sub(pattern, said, note) for note in notes]
    shares = (
        re.sub(r"(?<=cover )0\.\d+", lambda share: f"{float(share[0]):.1%}", note) for note in notes
    )
    return "".join(f"* {note}\n" for note in shares)


def _pairs(stored: Stored) -> str:
    """Return texts as typed and as released."""
    pairs = [[_as_text(text), *released] for text, *released in stored.numbers["pairs"]]
    return markdown(typed.PAIR_COLUMNS, pairs, numbers=False)


def _as_text(text: str) -> str:
    """Return ``text`` with Markdown's special characters escaped."""
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
