"""Which words two populations, or two weeks, typed in different shares.

For each word that both together show to be typed at all, the estimating function of both together
is applied to either; under equal shares, its two corrected means differ by noise of a known
variance. Whether a word is tested depends on the sum, and the test on the difference. Benjamini and
Yekutieli's procedure (2001) then bounds the expected share of false discoveries whatever the tests'
dependence: words near each other share noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.estimate.text.intervals import WIDE, Z, for_words, gather
from brrkit_counting.estimate.text.likelihood import Fit, maximize
from brrkit_toolchain.channel.linear import Linear

FALSE_DISCOVERIES = 0.05
"""Expected share of words that don't differ among those that are said to, at most."""


_CANDIDATES = 500  # words tested, at most: the most frequent ones of both together


@dataclass(frozen=True)
class Difference:
    """A word that differs.

    Attributes:
        name: the word.
        first: its share in the first population, with 1 / n of the unknown words', corrected; may
            be slightly below 0.
        second: its share in the second.
        low: lower end of the 95% interval of second - first.
        high: upper end.
        adjusted: the smallest bound on the share of false discoveries at which it is one.
    """

    name: str
    first: float
    second: float
    low: float
    high: float
    adjusted: float


@dataclass(frozen=True)
class PopulationComparison:
    """What differs between two populations.

    Attributes:
        differences: the discoveries, the surest first.
        tested: how many words were.
        reports: of the first and the second.
        rate: expected share of false discoveries, at most.
    """

    differences: tuple[Difference, ...]
    tested: int
    reports: tuple[int, int]
    rate: float


def compare(
    bundle: WordBundle,
    channel: Linear,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    rate: float = FALSE_DISCOVERIES,
    progress: bool = False,
) -> PopulationComparison:
    """Test which words were typed in different shares.

    Args:
        bundle: that both were made with.
        channel: of the mechanism that made both.
        first: int64[n], how often each word came out.
        second: the same of the other population.
        rate: expected share of false discoveries, at most.
        progress: show bars on standard error.

    Raises:
        ParameterError: the rate isn't between 0 and 1.
    """
    if not 0 < rate < 1:
        raise ParameterError(f"the rate of false discoveries must be between 0 and 1, not {rate:g}")
    together = first + second
    sizes = first.sum(), second.sum()
    fits = [maximize(channel, counts, progress=progress) for counts in (first, second)]
    both = _mixture(fits, [float(size) for size in sizes])
    evidence = gather(channel, both, together)
    candidates = np.argsort(-both.shares[:-1], kind="stable")[:_CANDIDATES]
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
                + fit.shares[-1] / len(channel)
                + function.values @ (counts[at] / size - fit.outputs[at])
            )
            for fit, counts, size in zip(fits, (first, second), sizes, strict=True)
        ]
        scale = together.sum() / sizes[0] + together.sum() / sizes[1]
        deviation = np.sqrt(function.noise * scale + 2 * function.leak)
        found.append((word, shares[0], shares[1], float(deviation)))
    return _discoveries(bundle, found, (int(sizes[0]), int(sizes[1])), rate)


def adjusted(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Benjamini and Yekutieli's adjusted p-values, in the order of ``p_values``."""
    p = np.asarray(p_values, np.float64)
    ranks = np.arange(1, len(p) + 1)
    order = np.argsort(p)
    scaled = p[order] * (1 / ranks).sum() * len(p) / ranks
    result = np.empty(len(p))
    result[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return result


def _discoveries(
    bundle: WordBundle,
    found: list[tuple[int, float, float, float]],
    reports: tuple[int, int],
    rate: float,
) -> PopulationComparison:
    from scipy.stats import norm

    sure = adjusted([2 * norm.sf(abs(b - a) / deviation) for _, a, b, deviation in found])
    differences = [
        Difference(
            bundle.vocabulary.word(word),
            a,
            b,
            b - a - Z * deviation,
            b - a + Z * deviation,
            float(level),
        )
        for (word, a, b, deviation), level in zip(found, sure, strict=True)
        if level <= rate
    ]
    differences.sort(key=lambda d: (d.adjusted, -abs(d.second - d.first)))
    return PopulationComparison(tuple(differences), len(found), reports, rate)


def _mixture(fits: Sequence[Fit], sizes: Sequence[float]) -> Fit:
    """Return what fits of parts say of the whole."""
    weights = np.array(sizes) / sum(sizes)
    return Fit(
        np.average([fit.shares for fit in fits], axis=0, weights=weights),
        np.average([fit.outputs for fit in fits], axis=0, weights=weights),
        sum(fit.log_likelihood for fit in fits),
        sum(fit.gap for fit in fits),
        sum(fit.tolerance for fit in fits),
        sum(fit.evaluations for fit in fits),
    )
