"""Time and memory of the whole ``brr estimate``, by the number of reports."""

from __future__ import annotations

import sys
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.bench import Bench, progress
from benchmarks.child import watch_tree
from benchmarks.frequencies import channel_at, truths
from benchmarks.report import Finding

REPORTS = (1_000_000, 100_000_000)
ESTIMATED_LOSS = 20.0
"""E = epsilon * P_avg."""


def run(bench: Bench) -> Finding:
    """Draw counts of reports with known shares; estimate with every kind of output."""
    bundle = bench.bundle
    name, truth = list(truths(bundle).items())[-1]
    outputs = channel_at(bench, ESTIMATED_LOSS).forward(truth)
    words = list(bundle.vocabulary)
    reports = bench.folder / "reports.parquet"
    took = {}
    for size in REPORTS[:1] if bench.quick else REPORTS:
        progress(f"estimate: {size:,} reports")
        counts = np.random.default_rng(0).multinomial(size, outputs / outputs.sum())
        pq.write_table(pa.table({"word": words, "count": counts}), reports)
        took[size] = watch_tree(
            [
                *(sys.executable, "-m", "brrkit_toolchain", "estimate", str(reports)),
                *("--bundle", str(bundle.path), "--top", "20"),
                *("--epsilon", repr(bench.epsilons(ESTIMATED_LOSS)[0])),
                *("--output", str(bench.folder / "words.csv")),
                *("--page", str(bench.folder / "words.html")),
            ]
        )
    return Finding(
        title=f"estimate: reports at E = {ESTIMATED_LOSS:g}, a table of all words, a page",
        columns=("reports", "seconds", "CPU seconds", "peak MB"),
        rows=[
            (f"{size:,}", f"{one.seconds:.0f}", f"{one.cpu:.0f}", f"{one.peak / 1e6:,.0f}")
            for size, one in took.items()
        ],
        claims=[],
        notes=(f"shares of words: {name}; counts drawn from the mechanism's output",),
        numbers={
            str(size): {key: value for key, value in asdict(one).items() if key != "printed"}
            for size, one in took.items()
        },
    )
