"""Command line of the benchmarks: python -m benchmarks --help."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks import (
    amount,
    attackers,
    bases,
    build,
    calibrate,
    certify,
    codes,
    corpus,
    cost,
    counted,
    estimate,
    example,
    fillers,
    frequencies,
    frontier,
    languages,
    memory,
    next_word,
    opening,
    optimum,
    policy,
    repeated,
    size,
    speed,
    standard,
    task_unsupervised,
    task_vectors,
    task_writers,
    tasks,
    text_attack,
    text_time,
    typed,
    vectors,
    way,
    writers,
)
from benchmarks.bench import Bench
from benchmarks.program import program
from benchmarks.report import Finding
from benchmarks.task_comparisons import TASKS

BENCHMARKS: dict[str, Callable[[Bench], Finding]] = {
    "build": build.run,
    "size": size.run,
    "speed": speed.run,
    "open": opening.run,
    "codes": codes.run,
    "frontier": frontier.run,
    "attackers": attackers.run,
    "bases": bases.run,
    **{f"tasks-{name}": partial(tasks.run, name) for name in TASKS},
    "example": example.run,
    "tasks-writers": task_writers.run,
    "tasks-vectors": task_vectors.run,
    "tasks-unsupervised": task_unsupervised.run,
    "standard": standard.run,
    "text-attack": text_attack.run,
    "text-time": text_time.run,
    "way": way.run,
    "next-word": next_word.run,
    "typed": typed.run,
    "writers": writers.run,
    "calibrate": calibrate.run,
    "certify": certify.run,
    "optimum": optimum.run,
    "policy": policy.run,
    "memory": memory.run,
    "repeated": repeated.run,
    "fillers": fillers.run,
    "amount": amount.run,
    "corpus": corpus.run,
    "vectors": vectors.run,
    "frequencies": frequencies.run,
    "estimate": estimate.run,
    "counted": counted.run,
    "cost": cost.run,
    "languages": languages.run,
}

main = program(
    BENCHMARKS,
    """Print what brrkit costs and keeps, as ratios against what a user would pick instead.

    NAMES are benchmarks; default: all. benchmarks/README.md says what each prints.
    """,
)

if __name__ == "__main__":
    main()
