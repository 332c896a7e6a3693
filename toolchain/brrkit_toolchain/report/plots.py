"""Line and dot plots as SVG, alone or inside a page, with the same bytes for the same data.

They are light or dark by the reader's preference, and readable from 400 pixels.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from brrkit_toolchain.report.palette import SERIES, style_sheet

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_MARKERS = "os^Dv<>pXh"
Style = Literal["solid", "dashed", "dotted"]

SIZE = (5.4, 3.6)
"""Width and height of a plot in inches of 72 points, without its legend."""

_LEGEND_ROW = 0.22  # inches
_LONG_AXIS = 1_000  # ratio of its ends; longer axes have no room for three numbers a decade
_TICKS = 46  # letters at the horizontal axis
_LONG_TICK = 22  # letters of one tick
_LONG_LABEL = 28  # letters of a label without room for another one next to it
_INK, _PAPER = "#fe0100", "#fe01ff"  # placeholders: colors with no other use
_COLORS = tuple(f"#fe01{place:02x}" for place in range(1, len(SERIES) + 1))


@dataclass(frozen=True)
class Series:
    """One line of a plot.

    Attributes:
        label: its name in the legend; series with the same label share a color.
        x: positions, ascending.
        y: values at these positions.
        low: lower ends of a band around the values, such as a confidence interval; None without a
            band.
        high: upper ends of the band.
        style: style of the line; ``dashed`` distinguishes families of series.
        color: number of its color; by default, its place among the series.
        markers: whether points are marked.
        family: meaning of the style, for the legend.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    style: Style = "solid"
    color: int | None = None
    markers: bool = True
    family: str | None = None


@dataclass(frozen=True)
class Axis:
    """An axis of a plot.

    Attributes:
        label: label with the unit.
        log: whether it is logarithmic.
        ends: its lowest and highest value; by default, those of the values.
        names: labels at positions of a horizontal axis instead of numbers, if there is room.
    """

    label: str
    log: bool = False
    ends: tuple[float, float] | None = None
    names: Mapping[float, str] | None = None


@dataclass(frozen=True)
class Mark:
    """A vertical line across a plot.

    Attributes:
        x: its position.
        label: label next to it.
    """

    x: float
    label: str


def line_plot(
    series: Sequence[Series],
    *,
    name: str,
    title: str,
    x: Axis,
    y: Axis,
    mark: Mark | None = None,
    themed: bool = False,
) -> str:
    """Return a plot of ``series`` as the text of an SVG element, without an XML header.

    Args:
        series: the lines, in the order of the legend.
        name: letters, digits and hyphens; prefix of every id, so that a page can contain plots with
            different names.
        title: description of the plot for people who can't see it; it isn't drawn.
        x: the horizontal axis.
        y: the vertical axis.
        mark: a vertical line to draw.
        themed: whether to use the colors of its page, which has the CSS variables of
            ``palette.style_sheet``; otherwise, it has its own style sheet and paper.
    """

    def draw(axes: Axes) -> None:
        for place, line in zip(_places(series), series, strict=True):
            _draw(axes, line, place)
        if x.log:
            axes.set_xscale("log")
            _plain_ticks(axes)
        if y.log:
            axes.set_yscale("log")
        if x.ends is not None:
            axes.set_xlim(*x.ends)
        if y.ends is not None:
            axes.set_ylim(*y.ends)
        if x.names is not None:
            _named_ticks(axes, x.names)
        if mark is not None:
            _draw_mark(axes, mark)
        axes.set_xlabel(x.label)
        axes.set_ylabel(y.label)

    return _plot(draw, series, name, title, SIZE[1], themed=themed)


def dot_plot(
    rows: Sequence[str],
    series: Sequence[Series],
    *,
    name: str,
    title: str,
    x_label: str,
    x_range: tuple[float, float],
    height: float = SIZE[1],
    themed: bool = False,
) -> str:
    """Return a plot with a dot for each of ``series`` in each of ``rows``, like ``line_plot``.

    Args:
        rows: labels of the rows, from top to bottom.
        series: series of dots: ``x`` has values, ``y`` the numbers of their rows, and ``low`` and
            ``high`` the ends of a line through each dot.
        name: as for ``line_plot``.
        title: as for ``line_plot``.
        x_label: label of the horizontal axis, with the unit.
        x_range: ends of the horizontal axis.
        height: height in inches, without the legend.
        themed: as for ``line_plot``.
    """

    def draw(axes: Axes) -> None:
        for number, (place, dots) in enumerate(zip(_places(series), series, strict=True)):
            beside = (number - (len(series) - 1) / 2) * 0.7 / len(series)
            y = [row + beside for row in dots.y]
            axes.plot(dots.x, y, **_look(dots, place) | {"linestyle": ""})
            if dots.low is not None and dots.high is not None:
                axes.hlines(y, dots.low, dots.high, colors=_COLORS[place], linewidth=1.6)
        between = [row + 0.5 for row in range(len(rows) - 1)]
        axes.hlines(between, *x_range, colors=_INK, linewidth=0.6, alpha=0.2)
        axes.yaxis.grid(visible=False)
        axes.set_xlim(*x_range)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params("y", length=0)
        axes.set_xlabel(x_label)

    return _plot(draw, series, name, title, height, themed=themed)


def _places(series: Sequence[Series]) -> list[int]:
    """Return the number of each series' color and marker."""
    return [
        (place if line.color is None else line.color) % len(_COLORS)
        for place, line in enumerate(series)
    ]


def _plot(
    draw: Callable[[Axes], None],
    series: Sequence[Series],
    name: str,
    title: str,
    height: float,
    *,
    themed: bool,
) -> str:
    """Return the drawing of ``draw`` as an SVG element, with a legend of ``series`` below."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no warning of its cache's folder
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings = {
        "svg.fonttype": "none",  # text that can be searched and read aloud
        "svg.hashsalt": name,
        "font.family": "sans-serif",
        "font.size": 11,
        "text.color": _INK,
        "axes.labelcolor": _INK,
        "axes.edgecolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
    }
    with mpl.rc_context(settings), warnings.catch_warnings():  # type: ignore[arg-type]
        # The reader's fonts contain characters that fonts here may lack, such as emoji.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        handles = _handles(series)
        columns = 1 if any(len(str(each.get_label())) > _LONG_LABEL for each in handles) else 2
        size = SIZE[0], height + _LEGEND_ROW * ceil(len(handles) / columns)
        paper = "none" if themed else _PAPER
        figure = Figure(figsize=size, layout="constrained", facecolor=paper)
        axes = figure.add_subplot(facecolor="none")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.2, color=_INK, linewidth=0.6)
        draw(axes)
        legend = figure.legend(
            handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=10
        )
        for text in legend.get_texts():  # words may contain dollar signs
            text.set_parse_math(False)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return _embeddable(file.getvalue(), name, title, themed)


def _handles(series: Sequence[Series]) -> list[Artist]:
    """Return the legend's entries: each label once, in its color, and each family in its style."""
    from matplotlib.lines import Line2D

    handles: dict[str, Artist] = {}
    for place, line in zip(_places(series), series, strict=True):
        look = _look(line, place) | ({} if line.family is None else {"linestyle": "solid"})
        handles.setdefault(line.label, Line2D([], [], label=line.label, **look))
    families = {line.family: line.style for line in series if line.family is not None}
    if len(families) > 1:
        for name, style in families.items():
            handles[name] = Line2D([], [], label=name, color=_INK, linestyle=style)
    return list(handles.values())


def _look(line: Series, place: int) -> dict[str, Any]:
    """Return the style of a line, with the color and the marker of its place."""
    return {
        "linestyle": line.style,
        "linewidth": 1.6,
        "color": _COLORS[place],
        "marker": _MARKERS[place] if line.markers else "",
        "markersize": 4,
    }


def _draw(axes: Axes, line: Series, place: int) -> None:
    """Draw a line with its band."""
    if line.low is not None and line.high is not None:
        color = _COLORS[place]
        axes.fill_between(line.x, line.low, line.high, color=color, alpha=0.15, linewidth=0)
    axes.plot(line.x, line.y, **_look(line, place))


def _draw_mark(axes: Axes, mark: Mark) -> None:
    """Draw a vertical line, with a label next to its upper end."""
    axes.axvline(mark.x, color=_INK, linestyle="--", linewidth=1)
    axes.annotate(
        mark.label,
        (mark.x, 1),
        (4, -4),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        verticalalignment="top",
    )


def _named_ticks(axes: Axes, names: Mapping[float, str]) -> None:
    """Write as many names at the horizontal axis as fit; the start of long names is cut off."""
    shown = {
        x: f"…{name[-_LONG_TICK:]}" if len(name) > _LONG_TICK else name for x, name in names.items()
    }
    room = max(_TICKS // max(map(len, shown.values())), 2)
    step = ceil((len(shown) - 1) / (room - 1)) or 1
    at = list(shown)[::-step][::-1]
    axes.set_xticks(at, [shown[x] for x in at], parse_math=False)


def _plain_ticks(axes: Axes) -> None:
    """Write 1, 2, 5, 10 at a logarithmic axis, not powers of ten; 1, 10, 100 at a long one."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _LONG_AXIS * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _embeddable(svg: str, name: str, title: str, themed: bool) -> str:
    """Prepare Matplotlib's file for a page with other plots."""
    svg = _named(_without_head(svg), name)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", svg)
    svg = _described(svg, name, title)
    return _colored(svg if themed else _with_style(svg)) + "\n"


def _without_head(svg: str) -> str:
    """Return the element alone.

    Matplotlib's style sheet would apply to the whole page, so its only rule moves to the root.
    """
    svg = svg[svg.index("<svg ") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return re.sub(r"\s*<style type=\"text/css\">.*?</style>", "", svg, flags=re.DOTALL)


def _named(svg: str, name: str) -> str:
    """Add the prefix ``name`` to every id, both at its definition and at its uses."""
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    return svg.replace("url(#", f"url(#{name}-")


def _described(svg: str, name: str, title: str) -> str:
    """Give the element a title, for people who can't see it."""
    head = (
        f'role="img" aria-labelledby="{name}-title" '
        'style="stroke-linejoin: round; stroke-linecap: butt"'
    )
    svg = svg.replace("<svg ", f"<svg {head} ", 1)
    return svg.replace(">", f'>\n <title id="{name}-title">{escape(title)}</title>', 1)


def _with_style(svg: str) -> str:
    """Give the element the style sheet that its page would have."""
    style = f"<style>\n{style_sheet()}:root {{ color: var(--ink); }}\n</style>"
    return svg.replace("</title>", f"</title>\n {style}", 1)


def _colored(svg: str) -> str:
    """Replace the placeholders by the style sheet's colors."""
    svg = svg.replace(_INK, "currentColor").replace(_PAPER, "var(--paper)")
    for place, color in enumerate(_COLORS, start=1):
        svg = svg.replace(color, f"var(--series-{place})")
    return svg
