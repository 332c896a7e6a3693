"""Tables of codes: their quality before noise, and each mechanism's utility at equal E."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchmarks.markdown import markdown
from benchmarks.store import FOLDER, Stored
from benchmarks.tables.table import NOT_REACHED, SUBJECTS, Table, name_of

_PROGRAM = FOLDER / "near-lossless.json"
"""What the C program of the near-lossless paper reached: no code of ours decides it."""

_LOSSES = ("20", "30", "44", "80")
_DEFAULT_CODES = "neighborhood 64"

_PAIRS = {
    "MEN": "MEN",
    "SimLex": "SimLex-999",
    "SimVerb": "SimVerb-3500",
    "WS353": "WordSim-353",
}


def _equal_loss(what: str, codes: Stored) -> str:
    """Return one quantity for every mechanism on the default codes, at equal E."""
    noise = codes.numbers["noise"]
    kinds = {
        name.split(", ")[0]: points
        for name, points in noise.items()
        if name.endswith((_DEFAULT_CODES, "float32"))
    }
    return markdown(
        ["E", *(name_of(kind) for kind in kinds)],
        [[loss, *(f"{points[loss][what]:.2f}" for points in kinds.values())] for loss in _LOSSES],
    )


def _noise(what: str, codes: Stored) -> str:
    """Return one quantity for every mechanism on every kind of codes, at equal E."""
    losses = ("10", "20", "30", "44", "60", "80")
    return markdown(
        ["", *(f"E = {loss}" for loss in losses)],
        [
            [_codes_label(name), *(f"{points[loss][what]:.2f}" for loss in losses)]
            for name, points in codes.numbers["noise"].items()
        ],
    )


def _codes_label(name: str) -> str:
    mechanism, _, kind = name.partition(", ")
    method, _, bits = kind.partition(" ")
    return name_of(mechanism) if not bits else f"{name_of(mechanism)}, `{method}`, {bits} bits"


def _equal_share(codes: Stored) -> str:
    """Return the cosine at an equal share of unchanged words, between the stored points."""
    shares = (0.1, 0.25, 0.5, 0.75)
    rows = []
    for name, points in codes.numbers["noise"].items():
        unchanged = np.array([point["unchanged"] for point in points.values()])
        order = np.argsort(unchanged, kind="stable")
        cosines = np.array([point["cosine"] for point in points.values()])[order]
        there = np.interp(shares, unchanged[order], cosines)
        cells = (
            f"{cosine:.2f}" if unchanged.max() >= share else NOT_REACHED
            for share, cosine in zip(shares, there, strict=True)
        )
        rows.append([_codes_label(name), *cells])
    return markdown(["", *(f"{share:.0%} unchanged" for share in shares)], rows)


def _quality(only: str | None, codes: Stored) -> str:
    """Return quality before noise, with that of the near-lossless paper's C program."""
    quality = codes.numbers["quality"]
    theirs = json.loads(_PROGRAM.read_text(encoding="utf-8"))["quality"].get(codes.embeddings, {})
    columns = [*_PAIRS, "NN@10"] + ([] if only else ["equal codes"])
    rows = []

    def line(name: str, scores: Mapping[str, float]) -> list[str]:
        digits = {"NN@10": 3, "equal codes": 0}
        return [
            name,
            *(
                f"{scores[column]:.{digits.get(column, 1)}f}" if column in scores else ""
                for column in columns
            ),
        ]

    for kind, scores in quality.items():
        method, _, bits = kind.partition(" ")
        if not bits:
            rows.append(line("float vectors", scores))
        elif only is None or method == only:
            rows.append(line(f"{bits} bits, " + ("brrkit" if only else f"`{method}`"), scores))
            if method == _DEFAULT_CODES.split(maxsplit=1)[0] and bits in theirs:
                rows.append(line(f"{bits} bits, the paper's C program", theirs[bits]))
    return markdown(["", *(_PAIRS.get(column, column) for column in columns)], rows)


_OF_ALL_CODES: Mapping[str, Callable[[Stored], str]] = {
    "quality": partial(_quality, None),
    "cosine": partial(_noise, "cosine"),
    "unchanged": partial(_noise, "unchanged"),
    "share": _equal_share,
}

TABLES: Mapping[str, Table] = {
    "equal-loss-cosine": Table(["wikipedia-50k/codes"], partial(_equal_loss, "cosine")),
    "equal-loss-unchanged": Table(["wikipedia-50k/codes"], partial(_equal_loss, "unchanged")),
    "quality": Table(["glove-7k/codes"], partial(_quality, "neighborhood")),
    **{
        f"codes-{what}-{subject}": Table([f"{folder}/codes"], make)
        for subject, folder in SUBJECTS.items()
        for what, make in _OF_ALL_CODES.items()
    },
}
