"""Tables of each mechanism's utility at equal success of an attacker who sees one word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import LEFT_OUT, NOT_REACHED, SUBJECTS, Table, name_of

_REACHED = 0.85  # smallest share of a wanted success; a point with less couldn't reach it


def _points(frontier: Stored) -> list[dict[str, Any]]:
    return list(frontier.numbers["points"])


def _label(point: Mapping[str, Any]) -> str:
    if point["mechanism"] == "exponential":
        return f"`exponential`, r = {point['radius']}"
    return name_of(point["mechanism"])


def _at(
    points: Sequence[Mapping[str, Any]], value: Callable[[Mapping[str, Any]], str]
) -> list[list[str]]:
    """Return a row for each mechanism and radius, with a value for each success."""
    targets = sorted({point["target"] for point in points})
    order: dict[str, float] = {}
    for point in points:
        order.setdefault(_label(point), -1 if point["radius"] is None else point["radius"])
    drawn = ("laplace", "brr", "vickrey")
    first = [name_of(name) for name in drawn]
    labels = [
        *(label for label in first if label in order),
        *sorted((label for label in order if order[label] >= 0), key=lambda label: order[label]),
        *(label for label in order if order[label] < 0 and label not in first),
    ]
    found = {(_label(point), point["target"]): point for point in points}

    def cell(label: str, target: float) -> str:
        point = found.get((label, target))
        if point is None:
            return LEFT_OUT
        return value(point) if point["success"] > _REACHED * target else NOT_REACHED

    return [[label, *(cell(label, target) for target in targets)] for label in labels]


def _frontier(value: Callable[[Mapping[str, Any]], str], frontier: Stored) -> str:
    """Return one quantity of the frontier, at each success."""
    points = _points(frontier)
    targets = sorted({point["target"] for point in points})
    rows = [row for row in _at(points, value) if set(row[1:]) - {LEFT_OUT, NOT_REACHED}]
    return markdown(
        ["attack success over all words", *(f"{target:.1f}" for target in targets)], rows
    )


def _bold(point: Mapping[str, Any], text: str) -> str:
    return f"**{text}**" if point["chosen"] else text


def _cosine(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['cosine']:.2f}")


def _worst(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['worst']:.2f}")


def _loss(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['estimated_loss']:.1f}" if point["estimated_loss"] else LEFT_OUT)


def _certified(point: Mapping[str, Any]) -> str:
    return _bold(point, LEFT_OUT if point["certified"] is None else f"{point['certified']:.1f}")


def _equal_attack(frontier: Stored) -> str:
    """Return the README's table of five mechanisms at equal attack success."""
    points = _points(frontier)
    targets = sorted({point["target"] for point in points})
    middle = targets[1]
    kinds: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "Laplace noise on float vectors (Madlib)": lambda p: p["mechanism"] == "laplace",
        "`brr`": lambda p: p["mechanism"] == "brr",
        "`vickrey`, t = 0.5": lambda p: p["mechanism"] == "vickrey",
        "`exponential`, radius 0": lambda p: p["radius"] == 0,
        "**`exponential`, as calibrated**": lambda p: p["chosen"],
    }
    rows = []
    for name, belongs in kinds.items():
        at = {point["target"]: point for point in points if belongs(point)}
        loss = (
            at[middle]["estimated_loss"]
            if at[middle]["certified"] is None
            else at[middle]["certified"]
        )
        rows.append(
            [
                name,
                *(f"{at[target]['cosine']:.2f}" for target in targets),
                f"{at[middle]['worst']:.2f}",
                f"{loss:.0f}",
            ]
        )
    return markdown(
        [
            "mechanism",
            *(f"cosine at {target:.1f}" for target in targets),
            f"success on the worst 1% at {middle:.1f}",
            f"E at {middle:.1f}",
        ],
        rows,
    )


TABLES: Mapping[str, Table] = {
    "equal-attack": Table(["glove-7k/frontier"], _equal_attack),
    **{
        f"frontier-{what}-{subject}": Table([f"{folder}/frontier"], partial(_frontier, value))
        for subject, folder in SUBJECTS.items()
        for what, value in {
            "cosine": _cosine,
            "worst": _worst,
            "loss": _loss,
            "certified": _certified,
        }.items()
    },
}
