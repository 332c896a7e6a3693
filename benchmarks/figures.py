"""The documentation's figures, drawn from stored results; the first is from the sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.overview import draw
from benchmarks.store import Stored
from brrkit_toolchain.report.plots import Axis, Series, Style, line_plot

_STYLES: tuple[Style, ...] = ("solid", "dashed", "dotted")
_LOSS = "estimated privacy loss E = ε · P_avg"


def _codes(codes: Stored) -> str:
    """Draw the kept cosines of brr on all codes, and of the full-size mechanism."""
    noise = {
        name: points
        for name, points in codes.numbers["noise"].items()
        if name.startswith(("brr", "laplace"))
    }
    kinds = {name: name.split(", ")[1] for name in noise}
    methods = list(dict.fromkeys(kind.split()[0] for kind in kinds.values()))
    bits = list(dict.fromkeys(kind.split()[-1] for kind in kinds.values()))
    styles: tuple[Style, ...] = ("dotted", "solid", "dashed")
    series = []
    for name, points in noise.items():
        method, length = kinds[name].split()[0], kinds[name].split()[-1]
        on_codes = name.startswith("brr")
        series.append(
            Series(
                f"{length} bits" if on_codes else "Laplace noise on vectors",
                [float(loss) for loss in points],
                [point["cosine"] for point in points.values()],
                style=styles[methods.index(method)],
                color=bits.index(length),
                markers=False,
                family=f"codes by {method}" if on_codes else None,
            )
        )
    return line_plot(
        series,
        name="codes",
        title="Utility of brr at equal E, by codes",
        x=Axis(_LOSS, log=True),
        y=Axis("cosine of released to typed word", ends=(0, 1)),
    )


def _frontier(*files: Stored) -> str:
    """Draw the cosine kept against the attacker's success, of each file."""
    series = []
    for stored, style in zip(files, _STYLES, strict=False):
        points = stored.numbers["points"]
        shown = {
            "Laplace noise on vectors": [p for p in points if p["mechanism"] == "laplace"],
            "brr": [p for p in points if p["mechanism"] == "brr"],
            "vickrey": [p for p in points if p["mechanism"] == "vickrey"],
            "exponential, radius 0": [p for p in points if p["radius"] == 0],
            "exponential, calibrated": [p for p in points if p["chosen"]],
        }
        series += [
            Series(
                name,
                [p["success"] for p in line],
                [p["cosine"] for p in line],
                style=style,
                color=color,
                family=f"{stored.words:,} words",
            )
            for color, (name, line) in enumerate(shown.items())
        ]
    return line_plot(
        series,
        name="frontier",
        title="Utility at equal success of the isolated attacker",
        x=Axis("success of the isolated attacker"),
        y=Axis("cosine of released to typed word", ends=(0, 0.7)),
    )


def _memory(memory: Stored) -> str:
    """Draw the attack success against the number of a word's releases."""
    half = len(memory.numbers) // 2
    series = []
    for number, (name, attack) in enumerate(memory.numbers.items()):
        radius, _, how = name.partition(", ")
        series.append(
            Series(
                how.replace("memory, second", "memory, second ε ="),
                attack["releases"],
                attack["success"],
                style="solid" if number < half else "dashed",
                color=number % half,
                family=radius,
            )
        )
    return line_plot(
        series,
        name="memory",
        title="Success of an attacker who assumes equally likely words, by releases of a word",
        x=Axis("releases of the word", log=True),
        y=Axis("attack success", ends=(0, 1)),
    )


def _frequencies(frequencies: Stored) -> str:
    """Draw the errors against E."""
    labels = {
        "counts": "counts of outputs",
        "inverted": "inverted",
        "likeliest": "brr estimate",
    }
    styles: Mapping[str, Style] = {"zipf": "solid", "imdb": "dashed"}
    families = {"zipf": "words by Zipf's law", "imdb": "words of IMDB's reviews"}
    series = []
    for color, (name, label) in enumerate(labels.items()):
        for words, style in styles.items():
            rows = [
                row
                for row in frequencies.numbers["rows"]
                if row["words"] == words and row[name] is not None
            ]
            if rows:
                series.append(
                    Series(
                        label,
                        [row["estimated_loss"] for row in rows],
                        [row[name] for row in rows],
                        style=style,
                        color=color,
                        family=families[words],
                    )
                )
    return line_plot(
        series,
        name="frequencies",
        title="Error of estimated frequencies against E, by method",
        x=Axis(_LOSS),
        y=Axis("mean relative error", log=True),
    )


FIGURES: Mapping[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "overview.svg": ((), draw),
    "codes-under-noise.svg": (("glove-7k/codes",), _codes),
    "frontier.svg": (("glove-7k/frontier", "wikipedia-50k/frontier"), _frontier),
    "memory.svg": (("glove-7k/memory",), _memory),
    "frequencies.svg": (("encyclopedia-2k/frequencies",), _frequencies),
}
"""Stored results and the drawing function of each figure, by its name in docs/figures."""
