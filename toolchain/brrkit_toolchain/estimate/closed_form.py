"""Frequencies of typed words from reports made for counts: in closed form, with exact intervals.

A report of x is y with probability K(y|x) = a [x = y] + (1 - a) / k. So of m reports a part of
(1 - a) / k is y by chance, and what more of them are y is a times the share of y. Whatever was
typed, the number of these reports is a sum of independent ones and zeros, and no such sum leaves an
interval of Clopper and Pearson (1934) more often than one of equal probabilities does (Hoeffding
1956): ``docs/explanation/statistics.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaincinv

from brrkit.errors import ParameterError
from brrkit_toolchain.channel.counts import ApproximateResponse
from brrkit_toolchain.estimate.compare import (
    FALSE_DISCOVERIES,
    Difference,
    PopulationComparison,
    adjusted,
)
from brrkit_toolchain.estimate.estimate import (
    UNKNOWN_WORDS,
    FrequencyEstimate,
    Share,
    check_informative,
    known,
    listed,
    pearson,
)

ERROR = 0.05
"""Probability that an interval misses, at most; of all together where they are simultaneous."""


@dataclass(frozen=True)
class Counted:
    """How reports came about.

    Attributes:
        response: the channel; with a keyed memory, of both draws together.
        repeats: how many reports may share a first draw: how often a device may send one word in a
            period of its memory. 1 without a memory.
    """

    response: ApproximateResponse
    repeats: int = 1

    def shares(self, counts: NDArray[np.int64], reports: int) -> NDArray[np.float64]:
        """Return each symbol's share float64[...]; unbiased, so a rare one's may be below 0."""
        shares: NDArray[np.float64] = (counts / reports - self.response.drawn) / self.response.kept
        return shares

    def interval(
        self, counts: NDArray[np.int64], reports: int, error: float, symbols: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends, from 0 to 1, of intervals that each miss with at most ``error``.

        Reports that share a first draw aren't independent. So many of them vary at most as one that
        counts ``repeats`` times (Cauchy and Schwarz), so counts are divided by that; the beta
        distribution then stands for one that isn't known.

        Args:
            counts: int64[...], how often something came out.
            reports: m.
            error: of each interval.
            symbols: how many symbols each of ``counts`` is of.
        """
        came, all_came = counts / self.repeats, reports / self.repeats
        low = betaincinv(
            came, all_came - came + 1, error / 2, where=came > 0, out=np.zeros(came.shape)
        )
        missing = all_came > came
        high = betaincinv(
            came + 1, all_came - came, 1 - error / 2, where=missing, out=np.ones(came.shape)
        )
        chance, kept = symbols * self.response.drawn, self.response.kept
        return tuple(np.clip((end - chance) / kept, 0.0, 1.0) for end in (low, high))  # type: ignore[return-value]


def estimate_counts(
    words: Sequence[str],
    counted: Counted,
    counts: NDArray[np.int64],
    *,
    top: int = 20,
    asked: Sequence[str] = (),
    lists: Mapping[str, Sequence[str]] | None = None,
    simultaneous: bool = False,
    sum_to_one: bool = False,
) -> FrequencyEstimate:
    """Estimate how often each word was typed.

    Args:
        words: the vocabulary.
        counted: how the reports came about.
        counts: int64[n + 1], how often each word came out, and the symbol of unknown words.
        top: how many of the most frequent words are shown.
        asked: others that are.
        lists: words whose total is asked for, by name; those that aren't in the vocabulary are left
            out.
        simultaneous: all intervals hold together with 95%, instead of each.
        sum_to_one: give the shares that are nearest to the unbiased ones, none below 0, and sum to
            1 with that of unknown words.

    Raises:
        ParameterError: the reports say nothing, a word isn't in the vocabulary, or a list has none
            of it.
    """
    ids = {word: i for i, word in enumerate(words)}
    ids_asked = known(asked, ids)
    groups = {name: listed(name, group, ids) for name, group in (lists or {}).items()}
    reports, k = int(counts.sum()), len(counts)
    thinned = counts / counted.repeats
    check_informative(thinned, np.full(k, 1 / k))
    error = ERROR / (k + len(groups)) if simultaneous else ERROR
    unbiased = counted.shares(counts, reports)
    nearest = simplex(unbiased)
    shares = nearest if sum_to_one else unbiased
    low, high = counted.interval(counts, reports, error)

    def of(name: str, i: int) -> Share:
        return Share(name, int(counts[i]), float(shares[i]), float(low[i]), float(high[i]))

    def total(name: str, group: Sequence[int]) -> Share:
        came = counts[np.array(group)].sum()
        start, end = counted.interval(came[None], reports, error, len(group))
        share = float(shares[np.array(group)].sum())
        return Share(name, int(came), share, float(start[0]), float(end[0]))

    first = np.argsort(-shares[:-1], kind="stable")[:top]
    return FrequencyEstimate(
        words,
        counts[:-1],
        shares[:-1],
        low[:-1],
        high[:-1],
        tuple(of(words[i], i) for i in first.tolist()),
        tuple(of(words[i], i) for i in ids_asked),
        tuple(total(name, group) for name, group in groups.items()),
        of(UNKNOWN_WORDS, k - 1),
        _detectable(counted.response, reports / counted.repeats, error),
        pearson(thinned, counted.response.drawn + counted.response.kept * nearest),
        None,
    )


def _detectable(response: ApproximateResponse, reports: float, error: float) -> float:
    """Return the share from which on a word's interval begins above 0 in half of all cases."""
    from scipy.stats import binom

    least = binom.isf(error / 2, int(reports), response.drawn) + 1
    return float(least / reports - response.drawn) / response.kept


def simplex(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point nearest to ``shares`` [k] of which no part is negative, and the sum is 1.

    "Norm-Sub" of Wang et al. 2020: a constant is subtracted, and what is below 0 is 0.
    """
    ordered = np.sort(shares)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(shares) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    nearest: NDArray[np.float64] = np.maximum(shares - excess[last], 0.0)
    return nearest


def compare_counts(
    words: Sequence[str],
    counted: Counted,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    rate: float = FALSE_DISCOVERIES,
) -> PopulationComparison:
    """Test for every word that was surely typed whether it was in another share.

    Of t reports of a word in m1 + m2, those among the m1 are at most as spread as t draws with the
    probability m1 / (m1 + m2), where the shares are equal: so a binomial test errs less often than
    it says, whatever t is, by which the words are chosen. The intervals of the differences hold for
    all tested words together.

    Args:
        words: the vocabulary.
        counted: how both came about.
        first: int64[n + 1], how often each word came out, and the symbol of unknown words.
        second: the same of the other population.
        rate: expected share of false discoveries, at most (Benjamini and Yekutieli 2001).

    Raises:
        ParameterError: the rate isn't between 0 and 1.
    """
    if not 0 < rate < 1:
        raise ParameterError(f"the rate of false discoveries must be between 0 and 1, not {rate:g}")
    sizes = int(first.sum()), int(second.sum())
    one, two = first / counted.repeats, second / counted.repeats
    part = sizes[0] / sum(sizes)
    surely, _ = counted.interval(first + second, sum(sizes), 1 / len(first))
    tested = np.flatnonzero(surely)
    first, second, one, two = first[tested], second[tested], one[tested], two[tested]
    # P[X >= one] and P[X <= one] of X ~ binomial(one + two, part).
    above = np.where(one > 0, betainc(np.maximum(one, 1e-300), two + 1, part), 1.0)
    below = np.where(two > 0, betaincc(one + 1, np.maximum(two, 1e-300), part), 1.0)
    p_values = np.minimum(2 * np.minimum(above, below), 1.0)
    levels = adjusted(p_values)
    error = ERROR / (2 * max(len(tested), 1))
    (low1, high1), (low2, high2) = (
        counted.interval(counts, size, error)
        for counts, size in zip((first, second), sizes, strict=True)
    )
    shares = counted.shares(first, sizes[0]), counted.shares(second, sizes[1])
    names = [*words, UNKNOWN_WORDS]
    differences = [
        Difference(
            names[tested[i]],
            float(shares[0][i]),
            float(shares[1][i]),
            float(low2[i] - high1[i]),
            float(high2[i] - low1[i]),
            float(levels[i]),
        )
        for i in np.flatnonzero(levels <= rate).tolist()
    ]
    differences.sort(key=lambda d: (d.adjusted, -abs(d.second - d.first)))
    return PopulationComparison(tuple(differences), len(tested), sizes, rate)
