"""The plots of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from brrkit.mechanisms import MECHANISMS
from brrkit.setting import DEFAULT_MECHANISM, Estimate, Setting
from brrkit_toolchain.attackers.texts.text_attack import TextAttack
from brrkit_toolchain.channel import LAPLACE, label
from brrkit_toolchain.report.plots import Axis, Mark, Series, dot_plot, line_plot
from brrkit_toolchain.utility.curves import MeasuredSetting

SHARE = (-0.02, 1.02)
"""Ends of the vertical axis of shares and cosines."""

_ORDER = (*sorted(MECHANISMS, key=lambda name: name != DEFAULT_MECHANISM), LAPLACE)
_PLACES = {name: place for place, name in enumerate(_ORDER)}
"""Every mechanism keeps its color in all plots."""

_ALONE = len(_ORDER)  # number of the color of a setting on no mechanism's line


def against_epsilon(
    rows: Sequence[MeasuredSetting],
    what: Callable[[MeasuredSetting], Estimate],
    *,
    name: str,
    title: str,
    y: Axis,
    setting: Setting,
) -> str:
    """Return a plot of one estimate of every mechanism against epsilon, with the setting marked."""
    series = []
    groups: dict[tuple[str, ...], list[MeasuredSetting]] = {}
    for row in rows:
        parameters = (f"{name} = {value}" for name, value in row.setting.parameters.items())
        groups.setdefault((row.setting.mechanism, *parameters), []).append(row)
    for group, points in groups.items():
        values = [what(row) for row in points]
        series.append(
            Series(
                " ".join(group),
                [row.setting.epsilon for row in points],
                [value.value for value in values],
                [value.low for value in values],
                [value.high for value in values],
                color=_PLACES[group[0]] if len(points) > 1 else _ALONE,
            )
        )
    return _on_epsilon(series, setting, name=name, title=title, y=y)


def utility_against_epsilon(
    utility: Mapping[str, Any],
    what: str,
    *,
    average: float,
    name: str,
    title: str,
    y_label: str,
    setting: Setting,
) -> str:
    """Return a plot of ``what`` for the device's mechanisms against epsilon; P_avg is ``average``.

    The other arguments are those of ``against_estimated_loss`` and ``against_epsilon``.
    """
    series = [
        Series(
            label(mechanism),
            [estimated_loss / average for estimated_loss in utility["estimated_losses"]],
            [point[what] for point in points],
            color=_PLACES[mechanism],
        )
        for mechanism, points in utility["mechanisms"].items()
        if mechanism != LAPLACE
    ]
    return _on_epsilon(series, setting, name=name, title=title, y=Axis(y_label, ends=SHARE))


def against_estimated_loss(
    utility: Mapping[str, Any], what: str, *, name: str, title: str, y_label: str
) -> str:
    """Return a plot of ``what`` ("unchanged" or "cosine") at equal E, with the full-size mechanism.

    Args:
        utility: the manifest's field.
        what: a field of ``Utility``.
        name: of the plot.
        title: what it shows.
        y_label: of the vertical axis.
    """
    series = [
        Series(
            label(mechanism),
            utility["estimated_losses"],
            [point[what] for point in points],
            style="dashed" if mechanism == LAPLACE else "solid",
            color=_PLACES[mechanism],
        )
        for mechanism, points in utility["mechanisms"].items()
    ]
    return _shares(series, name, title, "estimated privacy loss E = ε · P_avg", y_label)


def against_attack(
    utility: Mapping[str, Any], attack: Mapping[str, Any], *, name: str, title: str, y_label: str
) -> str:
    """Return a plot of the cosine kept against the success of an attacker who sees one word.

    Args:
        utility: the manifest's field.
        attack: the manifest's field, at the same losses. The full-size mechanism isn't in it: there
            the released word is the best guess, so the success is the share of unchanged words.
        name: of the plot.
        title: what it shows.
        y_label: of the vertical axis.
    """
    series = []
    for mechanism, points in utility["mechanisms"].items():
        if mechanism == LAPLACE:
            successes = [point["unchanged"] for point in points]
        else:
            successes = [point["success"]["value"] for point in attack["mechanisms"][mechanism]]
        order = sorted(range(len(points)), key=successes.__getitem__)
        series.append(
            Series(
                label(mechanism),
                [successes[i] for i in order],
                [points[i]["cosine"] for i in order],
                style="dashed" if mechanism == LAPLACE else "solid",
                color=_PLACES[mechanism],
            )
        )
    return _shares(series, name, title, "attack success", y_label)


_WORDS = {"all": "all words", "content": "content words"}


def by_class(found: TextAttack, *, name: str, title: str) -> str:
    """Return a plot of every attacker's success on a text, by class of its known words."""
    rows = [kind for kind in found.attackers["sentence"] if kind != "unknown"]
    series = []
    for attacker, by_class in found.attackers.items():
        successes = [by_class[row].top1 for row in rows]
        series.append(
            Series(
                attacker.replace("_", " "),
                [success.value for success in successes],
                range(len(rows)),
                [success.low for success in successes],
                [success.high for success in successes],
            )
        )
    return dot_plot(
        [_WORDS.get(row, row) for row in rows],
        series,
        name=name,
        title=title,
        x_label="attack success",
        x_range=SHARE,
        height=5.2,
        themed=True,
    )


def against_length(found: TextAttack, *, name: str, title: str) -> str:
    """Return a plot of the sentence attacker's success against the length of the pieces."""
    successes = list(found.lengths.values())
    sentence = Series(
        "sentence",
        list(found.lengths),
        [success.value for success in successes],
        [success.low for success in successes],
        [success.high for success in successes],
        color=list(found.attackers).index("sentence"),
    )
    return line_plot(
        [sentence],
        name=name,
        title=title,
        x=Axis("words that are read together", log=True),
        y=Axis("attack success", ends=SHARE),
        themed=True,
    )


def _shares(series: list[Series], name: str, title: str, x_label: str, y_label: str) -> str:
    return line_plot(
        series,
        name=name,
        title=title,
        x=Axis(x_label),
        y=Axis(y_label, ends=SHARE),
        themed=True,
    )


def _on_epsilon(
    series: Sequence[Series], setting: Setting, *, name: str, title: str, y: Axis
) -> str:
    """Return a plot against epsilon, on a logarithmic axis with the setting marked."""
    return line_plot(
        series,
        name=name,
        title=title,
        x=Axis("ε per bit", log=True),
        y=y,
        mark=Mark(setting.epsilon, label(setting.mechanism)),
        themed=True,
    )
