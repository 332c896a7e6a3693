"""Timing of several tasks in turn, so that drift of the machine affects all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import TypeVar

Times = dict[str, list[float]]
"""Seconds of each round, by the name of the task."""

Name = TypeVar("Name")


def interleave(tasks: Mapping[Name, Callable[[], object]], rounds: int) -> dict[Name, list[float]]:
    """Return the seconds of every task, run once a round, in turn (A B C A B C ...).

    Each turn starts with an untimed run, because the other tasks leave the caches cold.
    """
    times: dict[Name, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            task()
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    return times


def ratio(first: list[float], second: list[float]) -> float:
    """Return the median of the ratios within a round."""
    return median(a / b for a, b in zip(first, second, strict=True))
