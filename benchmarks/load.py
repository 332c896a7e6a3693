"""Time of a word in a batch against single words, on an idle machine and on a busy one.

Unlike the other benchmarks, the runtime is timed with every thread that its libraries would start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

import click
import numpy as np

from benchmarks.bench import Bench, progress
from benchmarks.child import all_cores
from benchmarks.report import Claim, Finding
from benchmarks.speed import LOSS
from benchmarks.timing import interleave, ratio
from brrkit import Privatizer, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting

BATCHES = (1, 2, 16, 128, 256, 1000)
"""Words in a call."""

_WORDS = 1000  # a turn, in calls of each size
_BUSY = "while True: pass"


def run(bench: Bench) -> Finding:
    """Time every mechanism beside 0, 1 and as many busy processes as there are cores."""
    rounds = 3 if bench.quick else 11
    epsilon, _ = bench.epsilons(LOSS)
    command = [sys.executable, "-m", "benchmarks.load", str(bench.bundle.path), repr(epsilon)]
    found = {}
    for busy in sorted({0, 1, os.cpu_count() or 1}):
        progress(f"load: {rounds} rounds beside {busy} busy processes")
        with _busy(busy):
            done = subprocess.run(
                [*command, str(rounds)],
                capture_output=True,
                text=True,
                env=all_cores(),
                check=False,
            )
        if done.returncode:
            raise click.ClickException(done.stderr.strip() or "the timing failed")
        found[busy] = json.loads(done.stdout)
    rows, claims = [], []
    for busy, numbers in found.items():
        ratios = {
            name: [ratio(times[str(size)], times["1"]) for size in BATCHES[1:]]
            for name, times in numbers["seconds"].items()
        }
        for name, values in ratios.items():
            single = 1e6 * median(numbers["seconds"][name]["1"])
            rows.append((f"{name}, {busy} busy", f"{single:.0f}", *(f"{r:.2f}" for r in values)))
        worst = max(max(values) for values in ratios.values())
        claims += [
            Claim(f"batch / single, the worst beside {busy} busy", worst, "<=", 1.05),
            Claim(f"share of other threads beside {busy} busy", numbers["others"], "<=", 0.01),
        ]
    return Finding(
        title=f"load: a word in a batch / a single word, at E = epsilon * P_avg = {LOSS:g}",
        columns=("mechanism, busy processes", "single, us", *map(str, BATCHES[1:])),
        rows=rows,
        claims=claims,
        notes=(
            f"medians of {rounds} rounds in turn of {_WORDS:,} words, wall clock; libraries "
            f"may use {os.cpu_count()} threads",
            "share of other threads: CPU time that threads other than the calling one took",
        ),
        numbers={str(busy): numbers for busy, numbers in found.items()},
    )


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Keep that many processes computing."""
    processes = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _time(path: str, epsilon: str, rounds: str) -> dict[str, object]:
    """Return the seconds a word of each round, by mechanism and size; and others' CPU share."""
    bundle = WordBundle.open(path)
    ids = np.random.default_rng(0).integers(0, len(bundle), _WORDS).tolist()
    words = [bundle.vocabulary.word(i) for i in ids]
    tasks: dict[tuple[str, int], Callable[[], object]] = {
        (name, size): partial(
            _in_calls, Privatizer(bundle, Setting(float(epsilon), name)), words, size
        )
        for name in MECHANISMS
        for size in BATCHES
    }
    before = time.process_time(), time.thread_time()
    times = interleave(tasks, int(rounds))
    whole, own = time.process_time() - before[0], time.thread_time() - before[1]
    seconds: dict[str, dict[int, list[float]]] = {name: {} for name in MECHANISMS}
    for (name, size), found in times.items():
        seconds[name][size] = [value / _WORDS for value in found]
    return {"seconds": seconds, "others": 1 - own / whole}


def _in_calls(privatizer: Privatizer, words: list[str], size: int) -> None:
    for start in range(0, len(words), size):
        privatizer.words(words[start : start + size])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for each in ("bundle", "epsilon", "rounds"):
        parser.add_argument(each)
    print(json.dumps(_time(*vars(parser.parse_args()).values())))
