"""Tables of words that the vocabulary lacks: how many are found, and by what."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import CANDIDATES, Stored, read_alone
from benchmarks.tables.table import Table


def _new_words(what: str, found: Stored) -> str:
    """Return what finds new words, the noise of counts, or what a report of STAR costs."""
    from benchmarks import new_words

    if what == "star":
        columns, *rows = new_words.star_table(found.numbers["star"])
        return markdown(columns, rows)
    if what == "noise":
        return markdown(*new_words.agreement(found.numbers["rows"]))
    return markdown(new_words.COLUMNS, new_words.cells(found.numbers["rows"]))


def _candidates() -> str:
    """Return how many new words are found from a list of candidates."""
    from benchmarks import candidates

    found = read_alone(CANDIDATES)
    return markdown(candidates.COLUMNS, [candidates.cells(row) for row in found["rows"]])


TABLES: Mapping[str, Table] = {
    **{
        f"new-words{what and '-'}{what}": Table(
            ["sample-10k/new-words"], partial(_new_words, what), commands_only=what != "star"
        )
        for what in ("", "noise", "star")
    },
    "candidates": Table((), _candidates, command="python -m benchmarks.candidates"),
}
