"""Command line of experiments on a bundle, like benchmarks: python -m research --help."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.bench import Bench
from benchmarks.program import program
from benchmarks.report import Finding
from research.attackers import identify, neural
from research.new_words import compared as new_words
from research.oracles import compared as oracles
from research.peers import audit, libraries, tasks

EXPERIMENTS: dict[str, Callable[[Bench], Finding]] = {
    "libraries": libraries.run,
    "audit-peers": audit.run,
    "tasks-peers": tasks.run,
    "oracles": oracles.run,
    "new-words": new_words.run,
    "neural-attacker": neural.run,
    "identify": identify.run,
}

main = program(
    EXPERIMENTS,
    """Print what others' packages and protocols cost and keep, and what other attackers see.

    NAMES are experiments; default: all. research/README.md says what each prints.
    """,
)

if __name__ == "__main__":
    main()
