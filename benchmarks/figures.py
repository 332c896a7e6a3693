"""The figures of the documentation, drawn from stored results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.store import Stored
from brrkit_toolchain.report.plots import Series, Style, line_plot

_STYLES: tuple[Style, ...] = ("solid", "dashed", "dotted")


def _codes(codes: Stored) -> str:
    """Draw the cosines that brr keeps on all codes, and what the full-size mechanism does."""
    noise = {
        name: points
        for name, points in codes.numbers["noise"].items()
        if name.startswith(("brr", "laplace"))
    }
    kinds = {name: name.split(", ")[1] for name in noise}
    methods = list(dict.fromkeys(kind.split()[0] for kind in kinds.values()))
    bits = list(dict.fromkeys(kind.split()[-1] for kind in kinds.values()))
    styles: tuple[Style, ...] = ("dotted", "solid", "dashed")
    series = [
        Series(
            name.removeprefix("brr, "),
            [float(loss) for loss in points],
            [point["cosine"] for point in points.values()],
            style=styles[methods.index(kinds[name].split()[0])],
            colour=bits.index(kinds[name].split()[-1]),
            markers=False,
        )
        for name, points in noise.items()
    ]
    return line_plot(
        series,
        name="codes",
        title="Utility of brr at equal E, by codes",
        x_label="E = ε · P_avg",
        y_label="mean centered cosine of output to input",
        log_x=True,
        y_range=(0, 1),
    )


def _frontier(*files: Stored) -> str:
    """Draw the cosine kept against the attacker's success, of each file."""
    series = []
    for stored, style in zip(files, _STYLES, strict=False):
        points = stored.numbers["points"]
        shown = {
            "Madlib": [p for p in points if p["mechanism"] == "laplace"],
            "brr": [p for p in points if p["mechanism"] == "brr"],
            "vickrey": [p for p in points if p["mechanism"] == "vickrey"],
            "radius 0": [p for p in points if p["radius"] == 0],
            "calibrated": [p for p in points if p["chosen"]],
        }
        series += [
            Series(
                f"{name} ({round(stored.words / 1000)}k words)",
                [p["success"] for p in line],
                [p["cosine"] for p in line],
                style=style,
                colour=colour,
            )
            for colour, (name, line) in enumerate(shown.items())
        ]
    return line_plot(
        series,
        name="frontier",
        title="Utility at equal success of the isolated attacker",
        x_label="success of the isolated attacker",
        y_label="mean centered cosine of output to input",
        y_range=(0, 0.7),
    )


def _memory(memory: Stored) -> str:
    """Draw how often an attacker names a word against how often it was released."""
    half = len(memory.numbers) // 2
    return line_plot(
        [
            Series(
                name.replace("memory, second", "second"),
                attack["releases"],
                attack["success"],
                style="solid" if number < half else "dashed",
                colour=number % half,
            )
            for number, (name, attack) in enumerate(memory.numbers.items())
        ],
        name="memory",
        title="Success of an attacker who holds all words to be as likely, by releases of a word",
        x_label="releases of the word",
        y_label="attack success",
        log_x=True,
        y_range=(0, 1),
    )


def _frequencies(frequencies: Stored) -> str:
    """Draw the errors against E."""
    labels = {
        "counts": "counts of outputs",
        "inverted": "inverted",
        "likeliest": "brr estimate",
    }
    styles: Mapping[str, Style] = {"zipf": "solid", "imdb": "dashed"}
    series = []
    for colour, (name, label) in enumerate(labels.items()):
        for words, style in styles.items():
            rows = [
                row
                for row in frequencies.numbers["rows"]
                if row["words"] == words and row[name] is not None
            ]
            if rows:
                series.append(
                    Series(
                        f"{label}, {words}",
                        [row["estimated_loss"] for row in rows],
                        [row[name] for row in rows],
                        style=style,
                        colour=colour,
                    )
                )
    return line_plot(
        series,
        name="frequencies",
        title="Error of estimated frequencies against E, by method",
        x_label="E = epsilon · P_avg",
        y_label=f"mean relative error, {frequencies.numbers['top']} most frequent words",
        log_y=True,
    )


FIGURES: Mapping[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "codes-under-noise.svg": (("glove-7k/codes",), _codes),
    "frontier.svg": (("glove-7k/frontier", "wikipedia-50k/frontier"), _frontier),
    "memory.svg": (("glove-7k/memory",), _memory),
    "frequencies.svg": (("sample-2k/frequencies",), _frequencies),
}
"""Stored results that a figure is drawn from, and what draws it, by its name in docs/figures."""
