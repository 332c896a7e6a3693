"""Line and dot plots as SVG: the same bytes for the same data, to stand alone or inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The first five are told apart with colour blindness too; markers differ besides.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#8a6d1d",
    "#777777",
    "#5e3c99",
    "#d4a800",
    "#b2182b",
)
"""Colours of the series of a plot that isn't themed, in order."""

_INK = "#1a1a1a"
_MARKERS = "os^Dv<>pXh"
Style = Literal["solid", "dashed", "dotted"]

_STYLES = {"solid": "-", "dashed": "--", "dotted": ":"}


@dataclass(frozen=True)
class Series:
    """One line of a plot.

    Attributes:
        label: its name in the legend.
        x: positions, ascending.
        y: values, as many.
        low: lower ends of a band around the values (a confidence interval, say), if there is one.
        high: its upper ends.
        style: of the line; ``dashed`` tells families of series apart.
        colour: number of its colour; its place among the series by default.
        markers: whether points are marked.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    style: Style = "solid"
    colour: int | None = None
    markers: bool = True


def line_plot(
    series: Sequence[Series],
    *,
    name: str,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    marked_x: float | None = None,
    marked_label: str = "",
    size: tuple[float, float] = (6.4, 4.2),
    themed: bool = False,
) -> str:
    """Return a plot of ``series`` as the text of an SVG element, without an XML header.

    Args:
        series: the lines, in the order of the legend.
        name: letters, digits and hyphens; starts every id, so that plots with different names can
            stand in one page.
        title: what the plot shows, for people who can't see it; it isn't drawn.
        x_label: with the unit.
        y_label: with the unit.
        log_x: a logarithmic horizontal axis.
        log_y: a logarithmic vertical axis.
        y_range: ends of the vertical axis; by default what the values need.
        marked_x: where to draw a vertical line.
        marked_label: what to write beside that line.
        size: width and height in inches of 72 points.
        themed: axes and text in ``currentColor``, no background, and series in the CSS variables
            ``--series-1`` to ``--series-10``; otherwise plain colours on white.
    """

    def draw(axes: Axes, ink: str, colours: Sequence[str]) -> None:
        for number, line in enumerate(series):
            _draw(axes, line, number if line.colour is None else line.colour, colours)
        if log_x:
            axes.set_xscale("log")
            _plain_ticks(axes)
        if log_y:
            axes.set_yscale("log")
        if y_range is not None:
            axes.set_ylim(*y_range)
        if marked_x is not None:
            _mark(axes, marked_x, marked_label, ink)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    return _plot(draw, name, title, size, themed=themed)


def dot_plot(
    rows: Sequence[str],
    series: Sequence[Series],
    *,
    name: str,
    title: str,
    x_label: str,
    x_range: tuple[float, float],
    size: tuple[float, float] = (6.4, 4.2),
    themed: bool = False,
) -> str:
    """Return a plot with a dot of each of ``series`` in each of ``rows``, like ``line_plot``'s.

    Args:
        rows: their labels, from top to bottom.
        series: what has dots: ``x`` are values, ``y`` the numbers of their rows, ``low`` and
            ``high`` the ends of a line through each.
        name: as ``line_plot``; so are the title, the size and whether it is themed.
        title: what it shows.
        x_label: with the unit.
        x_range: ends of the horizontal axis.
        size: width and height in inches of 72 points.
        themed: in the page's colours.
    """

    def draw(axes: Axes, ink: str, colours: Sequence[str]) -> None:
        for number, dots in enumerate(series):
            place = number if dots.colour is None else dots.colour
            beside = (number - (len(series) - 1) / 2) * 0.7 / len(series)
            y = [row + beside for row in dots.y]
            colour, marker = colours[place % len(colours)], _MARKERS[place % len(_MARKERS)]
            axes.plot(
                dots.x, y, linestyle="", color=colour, marker=marker, markersize=4, label=dots.label
            )
            if dots.low is not None and dots.high is not None:
                axes.hlines(y, dots.low, dots.high, colors=colour, linewidth=1.6)
        between = [row + 0.5 for row in range(len(rows) - 1)]
        axes.hlines(between, *x_range, colors=ink, linewidth=0.6, alpha=0.2)
        axes.yaxis.grid(visible=False)
        axes.set_xlim(*x_range)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params("y", length=0)
        axes.set_xlabel(x_label)

    return _plot(draw, name, title, size, themed=themed)


def _plot(
    draw: Callable[[Axes, str, Sequence[str]], None],
    name: str,
    title: str,
    size: tuple[float, float],
    *,
    themed: bool,
) -> str:
    """Return what ``draw`` draws on axes, with ink and colours of series, as an SVG element."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    ink, colours = (_INK, COLOURS) if not themed else (_placeholder(0), _placeholders())
    settings = {
        "svg.fonttype": "none",  # real text, which can be searched and read aloud
        "svg.hashsalt": name,
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": ink,
        "xtick.color": ink,
        "ytick.color": ink,
    }
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        figure = Figure(figsize=size, layout="constrained", facecolor="none" if themed else "white")
        axes = figure.add_subplot(facecolor="none")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.2, color=ink, linewidth=0.6)
        draw(axes, ink, colours)
        columns = 3 if size[0] > 5 else 2
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return _embeddable(file.getvalue(), name, title, themed)


def _draw(axes: Axes, line: Series, place: int, colours: Sequence[str]) -> None:
    """Draw a line with its band, in the colour and with the marker of its place."""
    colour = colours[place % len(colours)]
    if line.low is not None and line.high is not None:
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(
        line.x,
        line.y,
        _STYLES[line.style],
        color=colour,
        label=line.label,
        marker=_MARKERS[place % len(_MARKERS)] if line.markers else "",
        markersize=4,
        linewidth=1.6,
    )


def _mark(axes: Axes, x: float, label: str, ink: str) -> None:
    """Draw a vertical line, with a label beside its upper end."""
    axes.axvline(x, color=ink, linestyle="--", linewidth=1)
    axes.annotate(
        label,
        (x, 1),
        (4, -4),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        verticalalignment="top",
    )


def _plain_ticks(axes: Axes) -> None:
    """Write 0.5, 1, 2, 5 at a logarithmic axis instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _placeholder(number: int) -> str:
    """Return a colour that nothing else has, to be replaced afterwards."""
    return f"#fe01{number:02x}"


def _placeholders() -> tuple[str, ...]:
    return tuple(_placeholder(number + 1) for number in range(len(COLOURS)))


def _embeddable(svg: str, name: str, title: str, themed: bool) -> str:
    """Make Matplotlib's file fit to be put into a page, beside others."""
    svg = _named(_without_head(svg), name)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", svg)
    svg = _described(svg, name, title)
    return (_in_theme(svg) if themed else svg) + "\n"


def _without_head(svg: str) -> str:
    """Return the element alone.

    A style sheet inside a page would be the whole page's: its one rule goes to the root.
    """
    svg = svg[svg.index("<svg ") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return re.sub(r"\s*<style type=\"text/css\">.*?</style>", "", svg, flags=re.DOTALL)


def _named(svg: str, name: str) -> str:
    """Put ``name`` in front of every id, where it is given and where it is used."""
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


def _in_theme(svg: str) -> str:
    """Put the page's colours in place of the placeholders."""
    svg = svg.replace(_placeholder(0), "currentColor")
    for number, colour in enumerate(_placeholders(), start=1):
        svg = svg.replace(colour, f"var(--series-{number})")
    return svg
