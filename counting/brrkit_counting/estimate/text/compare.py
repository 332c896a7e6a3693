"""Words that two populations, or two weeks, typed in different shares, from reports of text.

A word is tested if both populations together show that it was typed. The estimating function of
both together is applied to each. Under equal shares, the two corrected means differ by noise of a
known variance. The sum decides whether a word is tested, and the difference decides the test.
Benjamini and Yekutieli's procedure (2001) then bounds the expected share of false discoveries for
any dependence of the tests, because words near each other share noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit_counting.estimate.differences import (
    Difference,
    PopulationComparison,
    adjusted_p_values,
    check_rate,
    surest_first,
)
from brrkit_counting.estimate.options import FALSE_DISCOVERIES
from brrkit_counting.estimate.text.intervals import WIDE, Z, for_words, gather
from brrkit_counting.estimate.text.likelihood import Fit, maximize
from brrkit_toolchain.channel.linear import Linear

_MOST_TESTED = 500
"""Largest number of tested words, the most frequent ones of both together."""


def compare_text(
    bundle: WordBundle,
    channel: Linear,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    rate: float = FALSE_DISCOVERIES,
    progress: bool = False,
) -> PopulationComparison:
    """Test for words that were typed in different shares.

    Args:
        bundle: the bundle that made both.
        channel: channel of the mechanism that made both.
        first: int64[n], number of reports of each word.
        second: int64[n], the same for the other population.
        rate: largest expected share of false discoveries.
        progress: show bars on standard error.

    Raises:
        ParameterError: the rate isn't between 0 and 1.
    """
    check_rate(rate)
    together = first + second
    sizes = first.sum(), second.sum()
    fits = [maximize(channel, counts, progress=progress) for counts in (first, second)]
    both = _mixture(fits, [float(size) for size in sizes])
    evidence = gather(channel, both, together)
    candidates = np.argsort(-both.shares[:-1], kind="stable")[:_MOST_TESTED]
    functions = for_words(evidence, candidates, WIDE, progress=progress)

    found: list[tuple[int, float, float, float]] = []
    for word, function in zip(candidates.tolist(), functions, strict=True):
        at = function.outputs
        total = evidence.corrected([word], function)
        if total < 2 * np.sqrt(function.noise + function.leak):
            continue
        shares = [
            float(
                fit.shares[word]
                + fit.shares[-1] * channel.stand_ins[word]
                + function.values @ (counts[at] / size - fit.outputs[at])
            )
            for fit, counts, size in zip(fits, (first, second), sizes, strict=True)
        ]
        scale = together.sum() / sizes[0] + together.sum() / sizes[1]
        deviation = np.sqrt(function.noise * scale + 2 * function.leak)
        found.append((word, shares[0], shares[1], float(deviation)))
    return _discoveries(bundle, found, (int(sizes[0]), int(sizes[1])), rate)


def _discoveries(
    bundle: WordBundle,
    found: list[tuple[int, float, float, float]],
    reports: tuple[int, int],
    rate: float,
) -> PopulationComparison:
    from scipy.stats import norm

    p_values = [2 * norm.sf(abs(b - a) / deviation) for _, a, b, deviation in found]
    differences = [
        Difference(
            bundle.vocabulary.word(word),
            a,
            b,
            b - a - Z * deviation,
            b - a + Z * deviation,
            float(level),
        )
        for (word, a, b, deviation), level in zip(found, adjusted_p_values(p_values), strict=True)
        if level <= rate
    ]
    return PopulationComparison(
        tuple(sorted(differences, key=surest_first)), len(found), reports, rate
    )


def _mixture(fits: Sequence[Fit], sizes: Sequence[float]) -> Fit:
    """Return the fit of the whole from those of its parts."""
    weights = np.array(sizes) / sum(sizes)
    return Fit(
        np.average([fit.shares for fit in fits], axis=0, weights=weights),
        np.average([fit.outputs for fit in fits], axis=0, weights=weights),
        sum(fit.log_likelihood for fit in fits),
        sum(fit.gap for fit in fits),
        sum(fit.tolerance for fit in fits),
        sum(fit.evaluations for fit in fits),
    )
