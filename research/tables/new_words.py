"""Tables of words that the vocabulary lacks: numbers found, by protocol."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table


def _new_words(what: str, found: Stored) -> str:
    """Return the findings of new words, the noise of counts, or the costs of a report of STAR."""
    from research.new_words import compared

    if what == "star":
        columns, *rows = compared.star_table(found.numbers["star"])
        return markdown(columns, rows)
    if what == "noise":
        return markdown(*compared.agreement(found.numbers["rows"]))
    return markdown(compared.COLUMNS, compared.cells(found.numbers["rows"]))


TABLES: Mapping[str, Table] = {
    **{
        f"new-words{what and '-'}{what}": Table(
            ["encyclopedia-10k/new-words"], partial(_new_words, what), commands_only=what != "star"
        )
        for what in ("", "noise", "star")
    },
}
