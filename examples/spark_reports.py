"""A hundred million reports on Spark, in the form of a pipeline, and ``brr estimate`` on them.

    python -m examples.spark_reports --bundle bundle --output reports.parquet --reports 100000000

Spark writes a folder of Parquet, partitioned by day, with a row for each report. The words are
drawn by Zipf's law, and released by the bundle's setting for counts, many at a time with a seeded
generator, because nobody typed them. Real reports come from devices, or from ``brrkit.Counts``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from brrkit import WordBundle
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain.language.word_sample import zipf

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 7
PART = 1_000_000  # reports of a task
UNKNOWN = 0.03  # share of unknown words


def main() -> None:
    """Write the reports with Spark, then estimate."""
    from pyspark.sql import SparkSession

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bundle", type=Path, required=True, help="with a setting for counts")
    parser.add_argument("--output", type=Path, required=True, help="a folder to write")
    parser.add_argument("--reports", type=int, default=100_000_000)
    chosen = parser.parse_args()
    if not str(chosen.output).endswith(".parquet"):
        parser.error("--output ends with .parquet")
    path = str(chosen.bundle.resolve())

    def draw(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        bundle = WordBundle.open(path)
        n, counts = len(bundle), bundle.counts
        assert counts is not None
        response = ApproximateResponse.of_cap(counts.cap, n + 1)
        shares = np.append(zipf(np.arange(n)) * (1 - UNKNOWN), UNKNOWN)
        words: Any = np.array([bundle.vocabulary.word(i) for i in range(n)] + [""], object)
        for part in parts:
            for seed in part["id"]:
                generator = np.random.default_rng(int(seed))
                typed = generator.choice(n + 1, PART, p=shares)
                released = words[response.draw(typed, generator)]
                yield pd.DataFrame({"day": int(seed) % DAYS + 1, "word": released})

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[*]").appName("reports").getOrCreate()
    tasks = -(-chosen.reports // PART)
    reports = spark.range(0, tasks, 1, tasks).mapInPandas(draw, "day int, word string")
    reports.write.partitionBy("day").parquet(str(chosen.output))
    spark.stop()
    command = [sys.executable, "-m", "brrkit_toolchain", "estimate", str(chosen.output)]
    subprocess.run([*command, "--bundle", path, "--top", "5", "--shuffled", "1"], check=True)


if __name__ == "__main__":
    main()
