"""Common parts of the experiments on texts: units, privatized texts, and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tqdm import tqdm

from brrkit.setting import Setting
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.language.word_sample import WordSample
from brrkit_toolchain.report.plots import Axis, Series, line_plot
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from research.papers.bundle_words import BundleWords
from research.papers.contenders import DEVICE, MADLIB, Contender
from research.papers.results import Results, Unit
from research.papers.scale import Scale
from research.papers.summary import (
    Evaluated,
    Figure,
    Table,
    by_estimated_loss,
    curve,
    shown,
)

BASELINE = Contender("baseline", "original text")
CONTENDERS: tuple[Contender, ...] = (MADLIB, *DEVICE)
_CONTENDER = {(c.mechanism, c.parameter): c for c in CONTENDERS}
ESTIMATED_LOSSES = (10.0, 20.0, 40.0, 60.0, 80.0, 120.0, 160.0, 240.0)
"""E = epsilon * P_avg, unless epsilons are chosen."""

_GRAY = 6


def text_units(
    bundle_words: BundleWords, estimated_losses: Sequence[float], trials: int
) -> list[Unit]:
    """Return the units of an experiment: in each trial the baseline, then every contender."""
    units = []
    for trial in range(trials):
        units.append(Unit(BASELINE.mechanism, "", None, None, trial))
        units += [
            Unit(
                c.mechanism,
                c.parameter,
                estimated_loss / bundle_words.average(c),
                estimated_loss,
                trial,
            )
            for estimated_loss in estimated_losses
            for c in CONTENDERS
        ]
    return units


def size(scale: Scale) -> str:
    """Describe the size of a trial."""
    words = "all words" if scale.tokens is None else f"the first {scale.tokens} words"
    return f"{scale.texts:,} texts in each part of the data at most, {words} of each"


def privatized(bundle_words: BundleWords, unit: Unit, texts: Texts, part: str) -> Texts:
    """Return ``texts`` with each word privatized by itself; the noise depends on unit and part.

    A unit without noise gets them as they are.
    """
    if unit.epsilon is None:
        return texts
    mechanism = bundle_words.mechanism(
        _CONTENDER[unit.mechanism, unit.parameter], unit.epsilon, unit.generator("noise", part)
    )
    return Texts(mechanism(texts.ids), texts.offsets, texts.labels)


def attacked(bundle_words: BundleWords, unit: Unit) -> float:
    """Return the success of the isolated attacker, who assumes equally likely words.

    Without noise they always do.
    """
    if unit.epsilon is None:
        return 1.0
    contender = _CONTENDER[unit.mechanism, unit.parameter]
    experiment = MechanismEvaluator(
        bundle_of(bundle_words.codes),
        WordSample(np.zeros(1, np.intp)),
        bundle_words.vectors,
        seed=unit.trial,
    )
    attack = experiment.attack(
        Setting(unit.epsilon, contender.mechanism, contender.parameters), "isolated"
    )
    return attack.success.value


def run_units(
    results: Results,
    units: Sequence[Unit],
    measure: Callable[[Unit], Mapping[str, float]],
    *,
    progress: bool = True,
) -> None:
    """Measure the units that have no results yet, one after the other."""
    todo = results.missing(units)
    with tqdm(todo, unit=" units", disable=None if progress else True) as bar:
        for unit in bar:
            bar.set_description(unit.mechanism)
            results.add(unit, measure(unit))


def text_figure(evaluated: Evaluated, metric: str, name: str, reading: str) -> Figure:
    """Return a plot of a metric against Madlib's epsilon, with the baseline as a level line.

    Args:
        evaluated: the results.
        metric: the metric in the results.
        name: name of the metric.
        reading: sentence about the plot.
    """
    series = [
        line
        for color, contender in enumerate(CONTENDERS)
        for line in curve(evaluated, metric, contender, color=color)
    ]
    baseline = evaluated.estimate(metric, BASELINE.mechanism)
    if baseline is not None and evaluated.estimated_losses:
        series.append(
            Series(
                BASELINE.label,
                [
                    evaluated.madlib(estimated_loss)
                    for estimated_loss in (
                        evaluated.estimated_losses[0],
                        evaluated.estimated_losses[-1],
                    )
                ],
                [baseline.value] * 2,
                [baseline.low] * 2,
                [baseline.high] * 2,
                style="dotted",
                color=_GRAY,
                markers=False,
            )
        )
    title = f"{name} against ε"
    return Figure(
        metric,
        title,
        "The x-axis shows Madlib's ε. The other mechanisms have the same E = ε·P_avg. "
        f"{reading} Bands: 95% t-intervals over {evaluated.trials} trials.",
        lambda prefix: line_plot(
            series, name=prefix, title=title, x=Axis("ε of Madlib"), y=Axis(name)
        ),
    )


def text_table(evaluated: Evaluated, metric: str, title: str) -> Table:
    """Return a metric by E and contender, the baseline in the title."""
    baseline = shown(evaluated.estimate(metric, BASELINE.mechanism))
    return by_estimated_loss(
        evaluated,
        metric,
        f"{title} ({BASELINE.label}: {baseline})" if baseline else title,
        CONTENDERS,
    )
