"""How often intervals of frequencies have the truth, in many simulations.

    python tests/helpers/frequency_coverage.py --simulations 400

Each draws typed words and reports anew, on 120 words in clusters, and asks for the share of a word
among the 12 most frequent, of one of the others, and of a list of 30. (Together with their part of
the unknown words', which is what reports identify.)
"""

from __future__ import annotations

import argparse

import numpy as np
from frequency_tools import draw, toy_channel, zipf

from brrkit_counting.estimate.text.intervals import for_lists, for_word, gather
from brrkit_counting.estimate.text.likelihood import maximize

SETTINGS = (
    (0.5, 6, 20_000),
    (0.7, 6, 2_000),
    (0.7, 6, 20_000),
    (0.7, 6, 500_000),
    (1.2, 4, 20_000),
)
"""Epsilon, radius, reports."""


def covered(epsilon: float, radius: int, reports: int, simulations: int) -> np.ndarray:
    """Return how often each of the three intervals had the truth."""
    channel, truth = toy_channel(120, epsilon, radius), zipf(120)
    hits = np.zeros(3)
    for simulation in range(simulations):
        generator = np.random.default_rng(simulation)
        counts = draw(channel, truth, reports, generator)
        evidence = gather(channel, maximize(channel, counts, progress=False), counts)
        words = [int(generator.integers(12))], [int(generator.integers(12, 120))]
        everyfourth = np.arange(3, 120, 4)
        functions = [for_word(evidence, word) for (word,) in words]
        functions += for_lists(evidence, [everyfourth], progress=False)
        for k, (asked, function) in enumerate(
            zip((*words, everyfourth.tolist()), functions, strict=True)
        ):
            low, high = function.interval(evidence.corrected(asked, function))
            hits[k] += low <= truth[asked].sum() + truth[-1] * evidence.part(asked) <= high
    return hits


def main() -> None:
    """Print a line for each setting, and one for all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--simulations", type=int, default=400)
    simulations = parser.parse_args().simulations
    total = np.zeros(3)
    print("epsilon radius reports  frequent  other  list")
    for setting in SETTINGS:
        hits = covered(*setting, simulations)
        total += hits
        print(*setting, *(f"{hit / simulations:.4f}" for hit in hits), flush=True)
    print("all", *(f"{hit / simulations / len(SETTINGS):.4f}" for hit in total))


if __name__ == "__main__":
    main()
