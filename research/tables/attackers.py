"""Tables of attackers who are trained: on released texts, to guess words, intents or articles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.tables.table import Table, as_printed

_GUESSES = [
    "attacker",
    *(
        f"{over}, {n}"
        for over in ("all words", "content words")
        for n in ("first guess", "ten guesses")
    ),
]

_RECOGNIZED = [
    *("recognized", "first words", "accuracy, typed", "accuracy, released"),
    *("chance", "texts"),
]

TABLES: Mapping[str, Table] = {
    "neural-attacker": Table(
        ["wikipedia-50k/neural-attacker"], partial(as_printed, columns=_GUESSES)
    ),
    "identify": Table(["wikipedia-50k/identify"], partial(as_printed, columns=_RECOGNIZED)),
}
