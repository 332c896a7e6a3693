"""Tables of what papers' data sets keep and show at equal success of the attacker who reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks import standard
from benchmarks.markdown import markdown
from benchmarks.standard_data import (
    AG_NEWS,
    EMOJI,
    EMOJI_OF_TWEET,
    GENDER,
    SENTIMENT,
    SST2,
    TOPIC,
    TRUSTPILOT,
)
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of

SOURCES = {name: f"sample-{name}/standard" for name in standard.MEASURED_WITH}

_SHORT = (
    ("SST-2, 2 sentiments", SST2, SENTIMENT),
    ("AG News, 4 topics", AG_NEWS, TOPIC),
    ("tweets, 20 emoji", EMOJI, EMOJI_OF_TWEET),
)
_OWN_AND_LAPLACE = (1, 0, 2)  # rows: with task bits, without, Laplace noise


def _of_set(name: str, asked: str, stored: Stored) -> str:
    """Return the rows of a data set and what is asked of it."""
    rows = standard.rows_of(stored.numbers["sets"][name], asked)
    return markdown(standard.COLUMNS, [list(map(name_of, row)) for row in rows])


def _short(*of_sets: Stored) -> str:
    """Return what the README says: accuracies by TF-IDF, and by mean vectors."""
    rows = []
    for stored, (label, name, asked) in zip(of_sets, _SHORT, strict=True):
        found = stored.numbers["sets"][name]
        released = [found["rows"][i] for i in _OWN_AND_LAPLACE]
        success = "–".join(
            sorted(
                {f"{pick(each['all']['value'] for each in released):.2f}" for pick in (min, max)}
            )
        )
        cells = [found["typed"][asked], *(each["answers"][asked] for each in released)]
        rows.append([label, success, *(_both(each) for each in cells)])
    columns = [
        "",
        "attack success, known words",
        "typed",
        "released",
        "without task bits",
        "Laplace noise",
    ]
    return markdown(columns, rows)


def _both(answered: Mapping[str, Mapping[str, float]]) -> str:
    return f"{answered['whole']['value']:.2f}, {answered['vectors']['value']:.2f}"


def _notes(*of_sets: Stored) -> str:
    """Return how it was measured."""
    return "".join(
        f"* {note}\n"
        for stored in of_sets
        for found in stored.numbers["sets"].values()
        for note in found["notes"]
    )


TABLES: Mapping[str, Table] = {
    **{
        f"standard-{name}": Table([SOURCES[name]], partial(_of_set, name, asked))
        for _, name, asked in _SHORT
    },
    **{
        f"standard-{TRUSTPILOT}-{asked}": Table(
            [SOURCES[SST2]], partial(_of_set, TRUSTPILOT, asked)
        )
        for asked in (SENTIMENT, GENDER)
    },
    "standard-short": Table([SOURCES[name] for _, name, _ in _SHORT], _short, commands_only=True),
    "standard-notes": Table([SOURCES[name] for _, name, _ in _SHORT], _notes, commands_only=True),
}
