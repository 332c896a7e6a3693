"""Plots are the same bytes every time, and can stand beside others in a page."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from brrkit_toolchain.report.palette import SERIES, style_sheet
from brrkit_toolchain.report.plots import Axis, Mark, Series, dot_plot, line_plot

LINES = (
    Series("first & foremost", [1, 2, 5, 10], [0.1, 0.4, 0.6, 0.9], [0, 0.3, 0.5, 0.8], [0.2] * 4),
    Series("second", [1, 2, 5, 10], [0.9, 0.5, 0.4, 0.3], style="dashed"),
)


def draw(**options: Any) -> str:
    labels: dict[str, Any] = {"title": "Up < down", "x": Axis("ε"), "y": Axis("Share")}
    return line_plot(LINES, **{"name": "plot", **labels, **options})


def plot(*lines: Series, **options: Any) -> str:
    return line_plot(
        lines, **{"name": "plot", "title": "t", "x": Axis("x"), "y": Axis("y"), **options}
    )


def ids(svg: str) -> list[str]:
    return [e.attrib["id"] for e in ElementTree.fromstring(svg).iter() if "id" in e.attrib]


def texts_of(svg: str) -> list[str | None]:
    return [e.text for e in ElementTree.fromstring(svg).iter()]


def test_it_stands_beside_others_and_is_read_aloud() -> None:
    svg = draw()
    assert svg == draw()
    assert svg.startswith("<svg ")
    found = ids(svg)
    assert len(found) == len(set(found)) > 10
    assert all(name.startswith("plot-") for name in found)
    assert not set(found) & set(ids(draw(name="other")))
    targets = re.findall(r'(?:href="|url\()#([^")]+)', svg)
    assert targets
    assert set(targets) <= set(found)
    assert not re.search(r"<metadata|<\?xml|<script|@import|url\([^#]", svg)
    root = ElementTree.fromstring(svg)
    assert root.attrib["role"] == "img"
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert (title.text, title.attrib["id"]) == ("Up < down", root.attrib["aria-labelledby"])
    assert {"ε", "Share", "first & foremost", "second"} <= set(texts_of(svg))


def test_themed_colors_are_the_page_s() -> None:
    svg = draw(themed=True, mark=Mark(3, "here"))
    assert {"var(--series-1)", "var(--series-2)"} == set(re.findall(r"var\([^)]*\)", svg))
    assert "currentColor" in svg
    assert not re.findall(r"#[0-9a-f]{6}\b|<style", svg)


def test_alone_it_is_the_same_on_paper_of_its_own_light_and_dark() -> None:
    svg = draw()
    (style,) = re.findall(r"<style>(.*?)</style>", svg, flags=re.DOTALL)
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    for name in ("paper", "ink", "series-1", f"series-{len(SERIES)}"):
        shades = [re.findall(rf"--{name}: (#[0-9a-f]{{6}});", part) for part in (light, dark)]
        assert [len(found) for found in shades] == [1, 1]
        assert shades[0] != shades[1]
    assert "fill: var(--paper)" in svg
    assert not re.findall(r"#[0-9a-f]{6}\b", svg.replace(style, ""))


@pytest.mark.parametrize("shade", [0, 1], ids=["light", "dark"])
def test_lines_stand_out_from_their_paper(shade: int) -> None:
    """By the contrast that WCAG 2.2 asks of graphics, 3 to 1."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    paper = re.findall(r"--paper: (#[0-9a-f]{6})", style_sheet())[shade]
    assert len({both[shade] for both in SERIES}) == len(SERIES)
    for both in SERIES:
        bright, faint = sorted((luminance(paper), luminance(both[shade])), reverse=True)
        assert (bright + 0.05) / (faint + 0.05) >= 3, both[shade]


def test_a_series_keeps_the_color_that_it_is_given() -> None:
    for themed in (True, False):
        svg = plot(Series("only", [1, 2], [1, 2], color=3), themed=themed)
        assert set(re.findall(r": var\(--series-(\d+)\)", svg)) == {"4"}


def test_the_legend_has_each_color_and_each_family_once() -> None:
    lines = [
        Series(label, [1, 2], [1, 2], style=style, color=color, family=family)
        for family, style in (("small", "solid"), ("large", "dashed"))
        for color, label in enumerate(("one", "other"))
    ]
    texts = texts_of(plot(*lines))
    assert [texts.count(name) for name in ("one", "other", "small", "large")] == [1] * 4
    assert "small" not in texts_of(plot(*lines[:2]))


def test_a_long_axis_has_fewer_numbers() -> None:
    for last, shown in ((50, ["1", "2", "5", "10"]), (20_000, ["1", "10"])):
        texts = texts_of(plot(Series("only", [1, last], [1, 2]), x=Axis("x", log=True)))
        ticks = texts[: texts.index("x")]
        assert [name for name in ("1", "2", "5", "10") if name in ticks] == shown


def test_names_at_an_axis_are_as_many_as_there_is_room_for() -> None:
    for days, shown in ((3, {0, 1, 2}), (9, {2, 5, 8}), (52, {0, 17, 34, 51})):
        names = {float(7 * day): f"2026-{day:05}" for day in range(days)}
        texts = set(
            texts_of(plot(Series("only", list(names), [1.0] * days), x=Axis("x", names=names)))
        )
        assert texts & set(names.values()) == {names[7 * day] for day in shown}
    one = plot(Series("only", [0], [1]), x=Axis("x", names={0: "folder/" + "a" * 40}))
    assert f"…{'a' * 22}" in one


def test_a_label_may_be_any_word(recwarn: pytest.WarningsRecorder) -> None:
    words = ["$a$", "🍕", "<b>", "_x"]
    assert set(words) <= set(texts_of(plot(*(Series(word, [1, 2], [1, 2]) for word in words))))
    assert [*recwarn] == []


def test_marked_position() -> None:
    for log_x in (False, True):
        x = Axis("ε", log=log_x)
        assert "recommended" in draw(x=x, mark=Mark(4, "recommended"))
        assert "recommended" not in draw(x=x)


def test_dots_stand_in_their_rows() -> None:
    series = [Series("a", [0.2, 0.6], [0, 1], [0.1, 0.5], [0.3, 0.7]), Series("b", [0.4], [1])]
    svg = dot_plot(
        ["first row", "second"],
        series,
        name="dots",
        title="t",
        x_label="share",
        x_range=(0, 1),
        themed=True,
    )
    assert {"first row", "second", "a", "b", "share"} <= set(texts_of(svg))
    assert all(name.startswith("dots-") for name in ids(svg))

    def places(series: int) -> list[tuple[float, float]]:
        """Return where the markers in the plot are, from the left and from the top."""
        marked = re.findall(
            rf'<use [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*var\(--series-{series}\)', svg
        )
        return [(float(x), float(y)) for x, y in marked]

    (first, second, legend), (other, _) = places(1), places(2)
    assert first[0] < other[0] < second[0]
    assert first[1] < second[1] < other[1] < legend[1]
