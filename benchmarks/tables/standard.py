"""Tables of the utility of papers' data sets at equal success of the sentence attacker."""

from __future__ import annotations

import re
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
    """Return the rows of a data set for one question."""
    rows = standard.rows_of(stored.numbers["sets"][name], asked)
    return markdown(standard.COLUMNS, [list(map(name_of, row)) for row in rows])


def _short(*of_sets: Stored) -> str:
    """Return the README's table: accuracies by TF-IDF, and by mean vectors."""
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


_NAMES = {SST2: "SST-2", AG_NEWS: "AG News", EMOJI: "TweetEval", TRUSTPILOT: "Trustpilot"}
_MEASURED_ON = re.compile(
    r"(?P<words>\S+) words of (?P<texts>\S+) texts are attacked, of which (?P<known>\S+) are "
    r"known, by who knows the language from (?P<language>\S+) words; classifiers are trained on "
    r"(?P<trained>\S+) texts and tested on (?P<tested>\S+)"
)
_LEFT_OUT = re.compile(r"no (?P<package>[^,]+), \w+: it takes milliseconds a word, too long .*")


def _sentences(note: str) -> str:
    """Return a stored note in whole sentences."""
    name, _, said = note.partition(": ")
    if (found := _MEASURED_ON.fullmatch(said)) is not None:
        said = (
            "The attackers learned the language from {language} words, and attack {words} words of "
            "{texts} texts; {share} of these words are known. The classifiers are trained on "
            "{trained} texts, and tested on {tested} others."
        ).format(share=f"{float(found['known']):.1%}", **found.groupdict())
    elif (found := _LEFT_OUT.fullmatch(said)) is not None:
        said = f"`{found['package']}` is left out, because it takes milliseconds per word."
    return f"{_NAMES[name]}: {said}"


def _notes(*of_sets: Stored) -> str:
    """Return sentences about the measurement."""
    return "".join(
        f"* {_sentences(note)}\n"
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
