"""The page of ADePT's experiments: Markdown and figures from stored raw results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.errors import ParameterError
from brrkit_toolchain.confidence import mean
from brrkit_toolchain.io.files import text_lines, written_file
from brrkit_toolchain.io.outputs import check_outputs
from brrkit_toolchain.report.plots import Axis, Series, Style, line_plot
from research.adept.evaluate import (
    MAJORITY,
    METRICS,
    ORIGINAL,
    PUBLISHED_GAUSSIAN,
    PUBLISHED_LAPLACE,
)
from research.adept.stored import Stored, read_stored
from research.adept.variants import VARIANTS
from research.adept.word_level import PAIRS, WORD_MECHANISMS
from research.papers.page import (
    FIGURES,
    REMARKS,
    commands_block,
    machine_line,
    result_files,
    write_with_figures,
)
from research.papers.results import Result
from research.papers.summary import Table, shown

_PUBLISHED = (PUBLISHED_LAPLACE, PUBLISHED_GAUSSIAN)
_CORRECTED = ("laplace-l1", "laplace-l2")  # the paper's noise with the clip that it needs
_LOSSES = ("mean privacy loss", "median privacy loss")  # of pairs of sentences
_GRAY = 6
_OURS, _PUBLISHED_FAMILY, _WORD_FAMILY = "of sentences", "as published", "word by word, mean loss"
_FAMILIES: Mapping[str, Style] = {
    _OURS: "solid",
    _PUBLISHED_FAMILY: "dashed",
    _WORD_FAMILY: "dotted",
}
_NAMES = {"accuracy": "Intent accuracy", "auc": "AUC of the attack", "kept": "Words kept"}


def summary(rows: Sequence[Result]) -> str:
    """Return all means over trials with 95% t-intervals, as a table in Markdown."""
    stored = Stored("", rows, {}, {}, None)
    units = dict.fromkeys((row.parameter or row.mechanism, row.epsilon) for row in rows)
    cells = []
    for contender, epsilon in units:
        true = stored.estimate("true_epsilon", contender, epsilon)
        losses = [stored.estimate(metric, contender, epsilon) for metric in METRICS[4:]]
        cells.append(
            [
                contender,
                "" if epsilon is None else f"{epsilon:g}",
                *("" if found is None else f"{found.value:,.5g}" for found in (true, *losses)),
                *(shown(stored.estimate(metric, contender, epsilon)) for metric in _NAMES),
            ]
        )
    columns = ["variant", "ε", "true ε", *_LOSSES, *_NAMES.values()]
    return Table("Means over trials", columns, cells).to_markdown()


def write_page(folder: Path, output: Path) -> None:
    """Write a page of the results in ``folder``.

    Args:
        folder: folder with a folder of results for each data set, which may contain more for single
            changes; and with ``remarks.md``, if any.
        output: the Markdown file; figures go into the folder ``figures`` next to it.

    Raises:
        ParameterError: there are no results, or files are damaged.
        OutputError: a file can't be written.
    """
    check_outputs(result_files(folder), places=[output])
    written_file(output)
    figures: dict[str, str] = {}
    sets = read_stored(folder)
    if not sets:
        raise ParameterError(
            f"{folder}: holds no folder of results; run 'python -m research.adept evaluate "
            f"--output {folder}/NAME' first"
        )
    parts = [_introduction(list(sets.values()), _command(folder, output))]
    remarks = folder / REMARKS
    if remarks.exists():
        parts.append("".join(text_lines(remarks, "the remarks")))
    for name, stored in sets.items():
        figures[f"adept-{name}.svg"] = _figure(stored)
        parts += _parts(stored)
        changes = read_stored(folder / name)
        if changes:
            parts += _changes(stored, list(changes.values()))
    write_with_figures(output, "\n".join(parts), figures)


def _command(folder: Path, output: Path) -> str:
    """Return the command that writes the page; of absolute paths only the names."""
    paths = [path.name if path.is_absolute() else str(path) for path in (folder, output)]
    return f"python -m research.adept page {paths[0]} --output {paths[1]}"


def _introduction(sets: Sequence[Stored], command: str) -> str:
    machines = dict.fromkeys(machine_line(stored.context["machine"]) for stored in sets)
    return "\n".join(
        [
            "# Rewriting sentences: results",
            "",
            "This page compares variants of ADePT (Krishna et al. 2021), which rewrites whole "
            "sentences. `python -m research.adept evaluate` runs the experiments. "
            f"`{command}` writes this page from the stored results. [How to rewrite whole "
            "sentences](../../docs/how-to/sentences.md) describes the variant `codes`, and "
            "[details](sentences.md) the others.",
            "",
            "One half of each data set trains the autoencoders. The other half, in quarters, "
            "represents the users' sentences. A classifier of intents (logistic regression on "
            "words) is trained on one rewritten quarter with the released labels, and tested on "
            "another quarter as typed. **Intent accuracy** is its accuracy. The paper's "
            "membership inference attack on this classifier is trained with the remaining "
            "quarters, one of which trains a shadow model. **AUC** measures that attack; random "
            "guesses have an AUC of 0.5. **Words kept** is the share of a sentence's different "
            "words that the rewritten sentence contains. **True ε** bounds the privacy loss "
            "between any two sentences (for `gaussian`, with δ). Every trial has its own split "
            "and models. The numbers after ± and the bands are 95% t-intervals over trials.",
            "",
            "The `published` variants use Laplace and Gaussian noise as in ADePT's paper. Their "
            "true ε is larger than the nominal one. Word-level `exponential` and `brr` privatize "
            "word by word, and keep the label as typed. **They guarantee nothing for the label or "
            "the number of words**, so their true ε is infinite. For two sentences with equal "
            "numbers of words, the privacy loss is at most ε times the sum of the words' "
            f"distances. The tables show the mean and median of this bound over {PAIRS:,} such "
            "pairs instead of the true ε.",
            "",
            *(f"Machine: {machine}." for machine in machines),
            "",
        ]
    )


def _figure(stored: Stored) -> str:
    """Return intent accuracy against true epsilon."""
    series = []
    ends = []
    contenders = [*VARIANTS, *_PUBLISHED, *WORD_MECHANISMS]
    for color, contender in enumerate(contenders):
        epsilons = stored.epsilons(contender)
        if not epsilons:
            continue
        words = contender in WORD_MECHANISMS
        against = "mean_privacy_loss" if words else "true_epsilon"
        x = [stored.number(against, contender, epsilon) for epsilon in epsilons]
        ends += x
        family = _WORD_FAMILY if words else _PUBLISHED_FAMILY if contender in _PUBLISHED else _OURS
        series.append(_line(stored, contender, epsilons, x, family, color))
    baselines: Mapping[str, Style] = {ORIGINAL: "dashed", MAJORITY: "dotted"}
    for baseline, style in baselines.items():
        values = stored.estimate("accuracy", baseline)
        if values is not None and ends:
            series.append(
                Series(
                    baseline,
                    [min(ends), max(ends)],
                    [values.value] * 2,
                    style=style,
                    color=_GRAY,
                    markers=False,
                )
            )
    return line_plot(
        series,
        name=f"adept-{stored.name}",
        title=f"Intent accuracy against true epsilon on {stored.name}",
        x=Axis("true ε between any two sentences", log=True),
        y=Axis("intent accuracy", ends=(0, 1)),
    )


def _line(
    stored: Stored,
    contender: str,
    epsilons: Sequence[float],
    x: Sequence[float],
    family: str,
    color: int,
) -> Series:
    found = [stored.estimate("accuracy", contender, epsilon) for epsilon in epsilons]
    there = [estimate for estimate in found if estimate is not None]
    return Series(
        contender,
        x,
        [estimate.value for estimate in there],
        [estimate.low for estimate in there],
        [estimate.high for estimate in there],
        style=_FAMILIES[family],
        color=color if color < _GRAY else color + 1,
        family=family,
    )


def _parts(stored: Stored) -> list[str]:
    file = f"{FIGURES}/adept-{stored.name}.svg"
    title = stored.name.upper()
    model = ", ".join(f"{key} {value}" for key, value in stored.settings["model"].items())
    parts = [
        f"## {title}\n",
        f"`{stored.settings['data']}`; {stored.trials} trials. Models: {model}.\n",
        f"![Intent accuracy against true ε]({file})\n",
        "*Intent accuracy against true ε.* A line nearer to the upper left means more accuracy at "
        "the same privacy loss. For word-level mechanisms, the x-axis shows the mean privacy loss "
        "of pairs, which doesn't bound all pairs.\n",
    ]
    variants = [name for name in VARIANTS if stored.epsilons(name)]
    parts += [_by_epsilon(stored, metric, variants).to_markdown() for metric in _NAMES]
    gain = _gain(stored)
    if gain is not None:
        parts.append(gain.to_markdown())
    for name, contenders, columns, rows in (
        ("As published", _PUBLISHED, ["nominal ε", "true ε"], _published_cells),
        ("Word by word", WORD_MECHANISMS, ["ε per bit", *_LOSSES], _word_cells),
    ):
        cells = [
            [contender, *rows(stored, contender, epsilon)]
            for contender in contenders
            for epsilon in stored.epsilons(contender)
        ]
        if cells:
            parts.append(Table(name, ["variant", *columns, *_NAMES.values()], cells).to_markdown())
    parts += _example_parts(stored)
    parts.append(commands_block(stored.context))
    return parts


def _published_cells(stored: Stored, contender: str, epsilon: float) -> list[str]:
    true = stored.number("true_epsilon", contender, epsilon)
    return [f"{epsilon:g}", f"{true:,.5g}", *_metrics(stored, contender, epsilon)]


def _word_cells(stored: Stored, contender: str, epsilon: float) -> list[str]:
    losses = [stored.number(metric, contender, epsilon) for metric in METRICS[4:]]
    return [
        f"{epsilon:g}",
        *(f"{loss:,.0f}" for loss in losses),
        *_metrics(stored, contender, epsilon),
    ]


def _metrics(stored: Stored, contender: str, epsilon: float) -> list[str]:
    return [shown(stored.estimate(metric, contender, epsilon)) for metric in _NAMES]


def _by_epsilon(stored: Stored, metric: str, variants: Sequence[str]) -> Table:
    epsilons = sorted({epsilon for name in variants for epsilon in stored.epsilons(name)})
    rows = [
        [f"{epsilon:g}", *(shown(stored.estimate(metric, name, epsilon)) for name in variants)]
        for epsilon in epsilons
    ]
    baselines = (ORIGINAL, MAJORITY) if metric == "accuracy" else (ORIGINAL,)
    levels = [
        f"{name}: {found}" for name in baselines if (found := shown(stored.estimate(metric, name)))
    ]
    title = f"{_NAMES[metric]} ({', '.join(levels)})"
    return Table(title, ["ε", *variants], rows)


def _gain(stored: Stored) -> Table | None:
    """Return the gain in accuracy of ``codes`` over the better of the corrected originals."""
    rows = []
    for epsilon in stored.epsilons("codes"):
        ours = stored.values("accuracy", "codes", epsilon)
        others = {
            name: values
            for name in _CORRECTED
            if len(values := stored.values("accuracy", name, epsilon)) == len(ours)
        }
        if others:
            best = max(others, key=lambda name: float(np.mean(others[name])))
            gains = 100 * (np.array(ours) - np.array(others[best]))
            rows.append([f"{epsilon:g}", _points(gains), best])
    if not rows:
        return None
    title = "Intent accuracy of `codes` minus that of the better corrected original"
    return Table(title, ["ε", "difference, percentage points", "better original"], rows)


def _points(gains: Any) -> str:
    center = float(gains.mean())
    if len(gains) < 2:
        return f"{center:+.1f}"
    # Differences can be negative, which ``mean`` isn't for.
    shifted = mean(gains - gains.min())
    return f"{center:+.1f} ± {shifted.high - shifted.value:.1f}"


def _example_parts(stored: Stored) -> list[str]:
    if stored.examples is None:
        return []
    parts = [
        "### Rewritten sentences\n",
        "These are test sentences of the first trial, as in the paper's Table 1. They were chosen "
        "without a look at the outputs.\n",
    ]
    labeled = stored.settings["labelled"]
    for number, (label, typed) in enumerate(stored.examples["typed"]):
        rows = []
        for contender, epsilon, true, pairs in stored.examples["rewritten"]:
            words = contender in WORD_MECHANISMS
            privacy = f"{epsilon:g} a bit" if words else f"{true or math.inf:,.5g}"
            shown_label = "as typed" if words or not labeled else pairs[number][0]
            rows.append([contender, privacy, shown_label, pairs[number][1]])
        parts.append(
            Table(
                f"{label}: *{typed}*", ["variant", "true ε", "label", "sentence"], rows
            ).to_markdown()
        )
    return parts


def _changes(stored: Stored, changes: Sequence[Stored]) -> list[str]:
    """Return tables for each variant: accuracy and words kept, by change and epsilon."""
    # The splits differ more than most changes do: only the same ones are compared.
    trials = {row.trial for change in changes for row in change.rows}
    base = replace(stored, rows=[row for row in stored.rows if row.trial in trials])
    parts = [
        f"## {stored.name.upper()}: one change at a time\n",
        "Each row changes one setting of the experiment above. All rows use the same splits; the "
        "number in brackets is the number of trials.\n",
    ]
    for name in VARIANTS:
        runs = [base, *(change for change in changes if change.epsilons(name))]
        epsilons = sorted({epsilon for run in runs[1:] for epsilon in run.epsilons(name)})
        for metric in ("accuracy", "kept") if epsilons else ():
            rows = [
                [
                    f"{'unchanged' if run is base else run.name} ({run.trials})",
                    *(shown(run.estimate(metric, name, epsilon)) for epsilon in epsilons),
                ]
                for run in runs
            ]
            columns = ["change", *(f"ε = {epsilon:g}" for epsilon in epsilons)]
            parts.append(Table(f"{_NAMES[metric]}, `{name}`", columns, rows).to_markdown())
    parts += [commands_block(change.context) for change in changes]
    return parts
