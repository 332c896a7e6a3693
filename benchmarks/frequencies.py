"""Estimated frequencies of typed words: errors, intervals, and the number of reports needed."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit_counting.estimate.text.intervals import WIDE, Evidence, Z, for_words, gather
from brrkit_counting.estimate.text.likelihood import maximize
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.linear import Linear

ESTIMATED_LOSSES = (10.0, 15.0, 20.0, 25.0, 30.0, 44.0)
"""E = epsilon * P_avg."""

REPORTS = 1_000_000
TOP = 20
SHARES = (1e-2, 1e-3, 1e-4)
"""Shares of a word for which the number of reports is computed."""

_DRAWS = 20  # draws of reports for each row
_MOST_INVERTED = 4_000  # largest vocabulary for which a matrix is inverted
_UNKNOWN = 0.05
_IMDB = "text/imdb_labelled_50k.tsv.gz"


def run(bench: Bench) -> Finding:
    """Draw reports of known shares, estimate, compare."""
    bundle = bench.bundle
    rows, numbers = [], []
    for name, truth in truths(bundle).items():
        for estimated_loss in ESTIMATED_LOSSES:
            progress(f"frequencies: {name}, E = {estimated_loss:g}")
            channel = channel_at(bench, estimated_loss)
            found = _measure(channel, truth, 1 if bench.quick else _DRAWS)
            numbers.append({"words": name, "estimated_loss": estimated_loss, **found})
            rows.append(
                (
                    name,
                    f"{estimated_loss:g}",
                    f"{found['unchanged']:.3f}",
                    f"{found['counts']:.2f}",
                    "-" if found["inverted"] is None else f"{found['inverted']:.2f}",
                    f"{found['likeliest']:.2f}",
                    f"{found['width']:.2f}",
                    f"{found['covered']:.2f}",
                    *(_count(found["needed"][share]) for share in SHARES),
                )
            )
    return Finding(
        title=f"frequencies: {REPORTS:,} reports, the {TOP} most frequent words",
        columns=(
            "words",
            "E",
            "unchanged",
            "counts",
            "inverted",
            "likeliest",
            "half width",
            "covered",
            *(f"needed {share:g}" for share in SHARES),
        ),
        rows=rows,
        claims=[],
        notes=(
            f"errors are mean |estimate - truth| / truth of the {TOP} most frequent words",
            "counts: outputs as if they had been typed; inverted: the matrix's inverse",
            "half width: of the 95% intervals, over the truth, median; covered: have the truth",
            "needed: reports from which a word of that share, median of the vocabulary's, is seen "
            "to be typed half of the time",
            f"radius {bundle.bits // 8}; zipf: 1 / (rank + 2.7), {_UNKNOWN:.0%} unknown words",
        ),
        numbers={"reports": REPORTS, "top": TOP, "rows": numbers},
    )


def truths(bundle: WordBundle) -> dict[str, NDArray[np.float64]]:
    """Return shares of typed words, float64[n + 1], by name."""
    shares = 1 / (np.arange(len(bundle)) + 2.7)
    truths = {"zipf": np.append(shares / shares.sum() * (1 - _UNKNOWN), _UNKNOWN)}
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _IMDB
    if file.exists():
        truths["imdb"] = _of_text(bundle, file)
    return truths


def _of_text(bundle: WordBundle, file: Path) -> NDArray[np.float64]:
    from brrkit_toolchain.tasks.dataset import read_dataset

    typed: Counter[str] = Counter()
    for text in read_dataset(file, "text", "sentiment").texts[:10_000]:
        typed.update(bundle.tokenize(text))
    counts = np.zeros(len(bundle) + 1)
    for token, count in typed.items():
        found = bundle.tokenizer.look_up(token)
        counts[-1 if found is None else found] += count
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares


def channel_at(bench: Bench, estimated_loss: float) -> Linear:
    """Return the channel of ``exponential`` with its default radius, at an E."""
    bundle = bench.bundle
    epsilon = bench.epsilons(estimated_loss)[0]
    return Channel(bundle, Setting(epsilon, parameters={"radius": bundle.bits // 8})).linear


def _measure(channel: Linear, truth: NDArray[np.float64], repetitions: int) -> dict[str, Any]:
    outputs = channel.forward(truth)
    outputs /= outputs.sum()
    top = np.argsort(-truth[:-1])[:TOP]
    matrix = None
    distinct = len(np.unique(channel.planes, axis=1).T) == len(channel)
    if distinct and len(channel) <= _MOST_INVERTED:
        matrix = channel.into(np.arange(len(channel)))
    errors: dict[str, list[float]] = {"counts": [], "likeliest": [], "inverted": []}
    covered, widths = [], []
    for repetition in range(repetitions):
        generator = np.random.default_rng(repetition)
        counts = generator.multinomial(REPORTS, outputs)
        fit = maximize(channel, counts, progress=False)
        evidence = gather(channel, fit, counts)
        functions = for_words(evidence, top, WIDE, progress=False)
        likeliest = fit.shares[:-1].copy()
        for word, function in zip(top.tolist(), functions, strict=True):
            low, high = function.interval(evidence.corrected([word], function))
            # Like brr estimate, except for the uncertainty about unknown words, which isn't noise.
            typed = truth[word] + truth[-1] * channel.stand_ins[word]
            covered.append(low <= typed <= high)
            likeliest[word] = min(max(likeliest[word], low), high)
            widths.append((high - low) / 2 / truth[word])
        estimates = {"counts": counts / REPORTS, "likeliest": likeliest}
        if matrix is not None:
            estimates["inverted"] = np.asarray(
                np.linalg.solve(matrix, counts / REPORTS), np.float64
            )
        for name, shares in estimates.items():
            errors[name].append(float((abs(shares[top] - truth[top]) / truth[top]).mean()))
    return {
        "unchanged": float(channel.diagonal.mean()),
        **{name: float(np.mean(values)) if values else None for name, values in errors.items()},
        "width": float(np.median(widths)),
        "covered": float(np.mean(covered)),
        "intervals": len(covered),
        "evaluations": fit.evaluations,
        "needed": _needed(evidence),
    }


def _needed(evidence: Evidence) -> dict[float, float]:
    """Return the number of reports for a median word with the given share."""
    n, m = len(evidence.channel), evidence.reports
    words = np.unique(np.linspace(0, n - 1, 40).astype(np.intp))
    functions = for_words(evidence, words, min(WIDE, n), progress=False)
    return {
        share: float(
            np.median(
                [Z * Z * m * (f.noise + f.leak + f.slope * share) / share**2 for f in functions]
            )
        )
        for share in SHARES
    }


def _count(number: float) -> str:
    """Return a number with two significant digits."""
    digits = 1 - math.floor(math.log10(number))
    return f"{round(number, digits):,.0f}"
