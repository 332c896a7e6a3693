"""Tables of released texts: attack success of their readers, and utility."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import LEFT_OUT, NOT_REACHED, Table, as_printed, name_of

_READERS = {
    "isolated": "sees one released word, assumes that all words are equally likely",
    "frequencies": "sees one released word, knows the frequency of each word",
    "sentence": "sees all released words of the text, knows the language",
    "informed": "sees one released word, knows the language and all other words as typed",
    "language_alone": "sees no released word, knows the language and all other words as typed",
}


def _text_attack(stored: Stored) -> str:
    """Return the success of attackers who read a text."""
    return markdown(
        ["attacker", "all words", "content words"],
        [
            [
                f"`{name}`: {_READERS[name]}",
                *(f"{by_class[over]['top1']['value']:.2f}" for over in ("all", "content")),
            ]
            for name, by_class in stored.numbers["found"]["attackers"].items()
        ],
    )


def _equal_reader(over: str, attackers: Stored) -> str:
    """Return each mechanism's utility for a text at equal success of the sentence attacker."""
    points = [point for point in attackers.numbers["points"] if point["over"] == over]
    goals = sorted({point["goal"] for point in points})
    middle = goals[len(goals) // 2]
    found = {(point["contender"], point["goal"]): point["values"] for point in points}

    def cell(name: str, goal: float, what: str) -> str:
        if (name, goal) not in found:
            return NOT_REACHED
        value = found[name, goal][what]
        if value is None:
            return LEFT_OUT
        return f"{value:,.0f}" if what == "perplexity" else f"{value:.2f}"

    typed = attackers.numbers["typed"]
    as_typed = [f"{typed['sentiment']:.2f}"] * len(goals)
    typed_perplexity = f"{typed['perplexity']:,.0f}"
    told = [_measured_on(attackers.numbers["notes"][0])]
    told += _not_reached(attackers.numbers["missing"], over)
    table = markdown(
        [
            "mechanism",
            *(f"cosine at {goal:.2f}" for goal in goals),
            *(f"sentiment at {goal:.2f}" for goal in goals),
            f"success on the worst 1% at {middle:.2f}",
            f"perplexity at {middle:.2f}",
        ],
        [
            ["as typed", *("1.00" for _ in goals), *as_typed, LEFT_OUT, typed_perplexity],
            *(
                [
                    _contender(name),
                    *(cell(name, goal, "cosine") for goal in goals),
                    *(cell(name, goal, "sentiment") for goal in goals),
                    cell(name, middle, "worst 1%"),
                    cell(name, middle, "perplexity"),
                ]
                for name in attackers.numbers["measured"]
            ),
        ],
    )
    return table + "\n" + "\n".join(f"* {note}" for note in told) + "\n"


_MEASURED_ON = re.compile(
    r"attacked: (?P<words>\S+) words of (?P<texts>\S+) reviews, with a language model of "
    r"(?P<language>\S+) words; sentiment: trained on (?P<trained>\S+) released reviews and tested "
    r"on (?P<tested>\S+), of each the first (?P<first>\S+) words"
)
_MISSING = re.compile(
    r"(?P<package>[^,]+), (?P<kind>\w+): no strength with \S+ over (?P<over>\w+); from "
    r"(?P<least>\S+) at epsilon (?P<low>\S+) to (?P<most>\S+) at (?P<high>\S+)"
)


def _measured_on(note: str) -> str:
    """Return the stored note on the texts in whole sentences."""
    found = _MEASURED_ON.fullmatch(note)
    assert found is not None
    return (
        "The attackers learned the language from {language} words, and attack {words} words of "
        "{texts} reviews. The sentiment classifiers are trained on the first {first} words of "
        "{trained} released reviews, and tested on {tested} others."
    ).format(**found.groupdict())


def _not_reached(notes: Sequence[str], over: str) -> list[str]:
    """Return the stored notes on goals that a package doesn't reach, one for each package."""
    lines: dict[str, None] = {}
    for note in notes:
        found = _MISSING.fullmatch(note)
        if found is None:
            lines[note] = None
        elif found["over"] == over:
            line = (
                "`{package}`, {kind}, reaches none of these goals: from ε = {low} to {high}, "
                "attack success rises from {least} to {most}."
            )
            lines[line.format(**found.groupdict())] = None
    return list(lines)


def _contender(name: str) -> str:
    mechanism, _, rest = name.partition(", ")
    if "-" in mechanism:  # a package
        return f"`{mechanism}`, {rest}"
    return name_of(mechanism) + (
        f", {rest.replace('radius', 'r =')}" if mechanism == "exponential" else ""
    )


_BESIDE = ("Madlib (Laplace)", "brr")

_SHOWN = {
    "typed": "typed",
    "`uniform`, radius 8": "`uniform`, radius 8",
    "`unigram`, of ranks": "`unigram`, from ranks",
    "`bigram`, of reviews": "`bigram`, from reviews",
}


def _utility(bases: Stored, attackers: Stored) -> str:
    """Return the utility at one success of the sentence attacker, for a peer and each base."""
    typed = attackers.numbers["typed"]["perplexity"]
    rows = [
        [
            _contender(point["contender"]),
            f"{point['values']['cosine']:.2f}",
            f"{point['values']['perplexity'] / typed:,.0f}",
            LEFT_OUT,
        ]
        for point in attackers.numbers["points"]
        if (point["over"], point["goal"]) == ("all", 0.3) and point["contender"] in _BESIDE
    ]
    names = {name: f"`exponential`, base {label}" for name, label in _SHOWN.items()}
    rows += [
        [
            names[name],
            f"{point['cosine']:.2f}",
            f"{point['perplexity']:,.1f}"
            if point["perplexity"] < 10
            else f"{point['perplexity']:,.0f}",
            f"{point['loss']:.0f}",
        ]
        for name, point in bases.numbers["points"].items()
        if name in _SHOWN
    ]
    columns = ["", "cosine", "perplexity, relative to typed", "bound on the privacy loss"]
    return markdown(columns, rows)


def _examples(bases: Stored) -> str:
    """Return the starts of the first reviews, as typed and as released, without selection."""
    examples = bases.numbers["examples"]
    rows = [
        [f"{number + 1}. {label}", examples[name][number]]
        for number in range(len(examples["typed"]))
        for name, label in _SHOWN.items()
    ]
    return markdown(["review", "first words"], rows).replace("| --- | --: |", "| --- | --- |")


_BASES_COLUMNS = [
    "base",
    "cosine",
    "cosine, content words",
    "success, content words",
    "success, content words, at equal cosine",
    "relative perplexity",
    "accuracy of sentiment",
    "bound on the privacy loss",
    "ε",
]

_REPEATED_COLUMNS = [
    "releases",
    *(
        f"{over} words, {guesses}"
        for over in ("all", "content")
        for guesses in ("first guess", "ten guesses")
    ),
]
_AMOUNT_COLUMNS = [
    "words of other reviews",
    *(
        f"`{attacker}`, {over} words"
        for attacker in ("frequencies", "sentence", "informed")
        for over in ("all", "content")
    ),
]

TABLES: Mapping[str, Table] = {
    "text-attack": Table(["wikipedia-50k/text-attack"], _text_attack),
    **{
        f"attackers-{over}": Table(["wikipedia-50k/attackers"], partial(_equal_reader, over))
        for over in ("content", "all")
    },
    "utility": Table(["wikipedia-50k/bases", "wikipedia-50k/attackers"], _utility),
    "bases": Table(["wikipedia-50k/bases"], partial(as_printed, columns=_BASES_COLUMNS)),
    "bases-examples": Table(["wikipedia-50k/bases"], _examples),
    "repeated": Table(["sample/repeated"], partial(as_printed, columns=_REPEATED_COLUMNS)),
    "amount": Table(["sample/amount"], partial(as_printed, columns=_AMOUNT_COLUMNS)),
    "fillers": Table(
        ["sample/fillers"],
        partial(as_printed, columns=["frames seen together", "kind recognized"]),
    ),
    "next-word": Table(["wikipedia-50k/next-word"], as_printed),
}
