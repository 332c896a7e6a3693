"""From raw rows to means with intervals, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from brrkit.setting import Estimate
from brrkit_toolchain.confidence import mean
from brrkit_toolchain.report.plots import Series, Style
from research.papers.contenders import Contender
from research.papers.results import Result


@dataclass(frozen=True)
class Evaluated:
    """Results of an experiment on one subject.

    Attributes:
        rows: all measured rows.
        settings: settings on which they depend.
        context: their origin: commands, machine.
    """

    rows: Sequence[Result]
    settings: Mapping[str, Any]
    context: Mapping[str, Any]

    @property
    def estimated_losses(self) -> list[float]:
        """The values of E = epsilon * P_avg that were measured, ascending."""
        return sorted({row.estimated_loss for row in self.rows if row.estimated_loss is not None})

    @property
    def trials(self) -> int:
        """The number of repetitions; the last one may be incomplete."""
        return len({row.trial for row in self.rows})

    def madlib(self, estimated_loss: float) -> float:
        """Return Madlib's epsilon for this E."""
        return estimated_loss / float(self.settings["averages"]["euclidean"])

    def estimate(
        self, metric: str, mechanism: str, parameter: str = "", estimated_loss: float | None = None
    ) -> Estimate | None:
        """Return the mean of a metric over trials, with its 95% t-interval; None if not there."""
        wanted = (metric, mechanism, parameter, estimated_loss)
        values = [
            row.value
            for row in self.rows
            if (row.metric, row.mechanism, row.parameter, row.estimated_loss) == wanted
        ]
        return mean(np.array(values)) if values else None


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes:
        title: one line.
        columns: headings.
        rows: cells.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_markdown(self) -> str:
        """Return the title and the table in GitHub's Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return f"{self.title}:\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_text(self) -> str:
        """Return the title and aligned columns."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        cells = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *cells]) + "\n"


@dataclass(frozen=True)
class Figure:
    """A plot.

    Attributes:
        name: last part of its file's name.
        title: a few words.
        caption: how to read it, one sentence or two.
        draw: takes the first part of every id, returns the SVG.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[str], str]


@dataclass(frozen=True)
class Findings:
    """The presentation of an experiment's results.

    Attributes:
        notes: paragraphs on how they were measured.
        figures: plots.
        tables: numbers.
    """

    notes: Sequence[str]
    figures: Sequence[Figure]
    tables: Sequence[Table]


def shown(estimate: Estimate | None, digits: int = 3) -> str:
    """Return a number with half the width of its interval, or nothing."""
    if estimate is None:
        return ""
    half = (estimate.high - estimate.low) / 2
    return f"{estimate.value:.{digits}f}" + (f" ± {half:.{digits}f}" if half > 0 else "")


def curve(
    evaluated: Evaluated,
    metric: str,
    contender: Contender,
    *,
    color: int,
    against: str | None = None,
    style: Style = "solid",
    family: str | None = None,
) -> list[Series]:
    """Return a metric of a contender against Madlib's epsilon, or against another metric.

    The band is the 95% interval over trials. Nothing if the contender wasn't measured.
    """
    name = (contender.mechanism, contender.parameter)
    points: list[tuple[float, Estimate]] = []
    for estimated_loss in evaluated.estimated_losses:
        y = evaluated.estimate(metric, *name, estimated_loss)
        x = evaluated.estimate(against, *name, estimated_loss) if against else None
        if y is not None:
            points.append((x.value if x else evaluated.madlib(estimated_loss), y))
    if not points:
        return []
    return [
        Series(
            contender.label,
            [x for x, _ in points],
            [y.value for _, y in points],
            [y.low for _, y in points],
            [y.high for _, y in points],
            style=style,
            color=color,
            family=family,
        )
    ]


def by_estimated_loss(
    evaluated: Evaluated, metric: str, title: str, contenders: Sequence[Contender]
) -> Table:
    """Return a table of a metric: a row for each E, a column for each contender."""
    measured = {(row.mechanism, row.parameter) for row in evaluated.rows}
    there = [c for c in contenders if (c.mechanism, c.parameter) in measured]
    rows = [
        [
            f"{evaluated.madlib(estimated_loss):.3g}",
            f"{estimated_loss:.1f}",
            *(
                shown(evaluated.estimate(metric, c.mechanism, c.parameter, estimated_loss))
                for c in there
            ),
        ]
        for estimated_loss in evaluated.estimated_losses
    ]
    return Table(title, ["ε of Madlib", "E", *(c.label for c in there)], rows)
