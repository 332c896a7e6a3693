"""Time and memory of ``brr estimate`` on reports made for counts, in rows of Parquet."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.bench import Bench, progress
from benchmarks.child import watch_tree
from benchmarks.report import Finding
from brrkit_counting.calibrate import calibrate_counts
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain.language.word_sample import zipf

REPORTS = (1_000_000, 10_000_000, 100_000_000)
PART = 5_000_000  # rows of a file
UNKNOWN = 0.05


def run(bench: Bench) -> Finding:
    """Write folders of Parquet like Spark; estimate with every kind of output."""
    bundle, n = bench.bundle, len(bench.bundle)
    cap = calibrate_counts(bundle).setting.cap
    response = ApproximateResponse.of_cap(cap, n + 1)
    shares = np.append(zipf(np.arange(n)) * (1 - UNKNOWN), UNKNOWN)
    words = pa.array([bundle.vocabulary.word(i) for i in range(n)] + [""])
    generator = np.random.default_rng(0)
    outputs = response.kept * shares + response.drawn
    folder, took = bench.folder / "reports.parquet", {}
    for size in REPORTS[:1] if bench.quick else REPORTS:
        progress(f"counted: {size:,} reports")
        folder.mkdir()
        for number, start in enumerate(range(0, size, PART)):
            drawn = generator.choice(n + 1, min(PART, size - start), p=outputs).astype(np.int32)
            column = words.take(pa.array(drawn))
            pq.write_table(pa.table({"word": column}), folder / f"part-{number:05}.parquet")
        took[size] = watch_tree(
            [
                *(sys.executable, "-m", "brrkit_toolchain", "estimate", str(folder)),
                *("--bundle", str(bundle.path), "--cap", repr(cap), "--shuffled", "1"),
                *("--output", str(bench.folder / "words.csv")),
                *("--page", str(bench.folder / "words.html")),
            ]
        )
        shutil.rmtree(folder)
    return Finding(
        title=f"counted: reports with cap {cap:g}, a row each, a table of all words, a page",
        columns=("reports", "seconds", "CPU seconds", "peak MB"),
        rows=[
            (f"{size:,}", f"{one.seconds:.0f}", f"{one.cpu:.0f}", f"{one.peak / 1e6:,.0f}")
            for size, one in took.items()
        ],
        claims=[],
        notes=("words typed by Zipf's law, 5% unknown ones",),
        numbers={
            str(size): {key: value for key, value in asdict(one).items() if key != "printed"}
            for size, one in took.items()
        },
    )
