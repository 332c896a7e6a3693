"""Frequencies of typed words from reports made for counts: in closed form, with exact intervals.

A report of x is y with probability K(y|x) = a [x = y] + (1 - a) / k. So of m reports a part of
(1 - a) / k is y by chance, and what more of them are y is a times the share of y. Whatever was
typed, the number of these reports is a sum of independent ones and zeros, and no such sum leaves an
interval of Clopper and Pearson (1934) more often than one of equal probabilities does (Hoeffding
1956): ``docs/explanation/statistics.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from brrkit_counting.estimate.text.estimate import (
    UNKNOWN_WORDS,
    Carried,
    FrequencyEstimate,
    Share,
    check_informative,
    grouped,
    known,
    pearson,
)
from brrkit_counting.reports.spread import Spread, concentrated, effects
from brrkit_counting.response import ApproximateResponse

ERROR = 0.05
"""Probability that an interval misses, at most; of all together where they are simultaneous."""

MOVED = 0.01
"""By how much ``FrequencyEstimate.fakes`` can move a share."""

Numbers: TypeAlias = "int | NDArray[np.int64]"


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

    def check_informative(self, counts: NDArray[np.int64]) -> None:
        """Check that reports, int64[k], say something.

        Raises:
            ParameterError: they can't be told from those of random words.
        """
        check_informative(counts / self.repeats, np.full(len(counts), 1 / len(counts)))

    def shares(
        self, counts: NDArray[np.int64], reports: Numbers, symbols: Numbers = 1
    ) -> NDArray[np.float64]:
        """Return each one's share float64[...]; unbiased, so a rare one's may be below 0.

        The arguments are those of ``interval``.
        """
        chance = symbols * self.response.drawn
        shares: NDArray[np.float64] = (counts / reports - chance) / self.response.kept
        return shares

    def interval(
        self,
        counts: NDArray[np.int64],
        reports: Numbers,
        error: float,
        symbols: Numbers = 1,
        effects: float | NDArray[np.float64] = 1.0,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends, from 0 to 1, of intervals that each miss with at most ``error``.

        Reports that share a first draw aren't independent. So many of them vary at most as one that
        counts ``repeats`` times (Cauchy and Schwarz), so counts are divided by that; the beta
        distribution then stands for one that isn't known.

        Args:
            counts: int64[...], how often something came out.
            reports: m; of each, where they differ.
            error: of each interval.
            symbols: how many symbols each of ``counts`` is of.
            effects: how many times as much each varies as one of independent reports
                (``spread.effects``).
        """
        varies = self.repeats * np.asarray(effects)
        came, all_came = counts / varies, reports / varies
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
    groups: Mapping[str, Sequence[str]] | None = None,
    simultaneous: int = 0,
    sum_to_one: bool = False,
    spread: Spread | None = None,
) -> FrequencyEstimate:
    """Estimate how often each word was typed.

    Who calls it has looked whether the reports say anything.

    Args:
        words: the vocabulary.
        counted: how the reports came about.
        counts: int64[n + 1], how often each word came out, and the symbol of unknown words.
        top: how many of the most frequent words are shown.
        asked: others that are.
        groups: words whose total is asked for, by name; those that aren't in the vocabulary are
            left out.
        simultaneous: of how many such estimates all intervals hold together with 95%; 0: each does.
        sum_to_one: give the shares that are nearest to the unbiased ones, none below 0, and sum to
            1 with that of unknown words.
        spread: over batches, of the words and groups; None where nobody knows, and intervals are
            of what these devices typed.

    Raises:
        ParameterError: a word isn't in the vocabulary, or a group has none of it.
    """
    ids = {word: i for i, word in enumerate(words)}
    ids_asked = known(asked, ids)
    members = grouped(groups, ids)
    reports, k = int(counts.sum()), len(counts)
    sums = [int(counts[group].sum()) for group in members.values()]
    of_all = np.append(counts, np.array(sums, np.int64))
    varies = effects([spread], of_all[None], np.array([reports]))[0]
    error = ERROR / (simultaneous * (k + len(members)) or 1)
    unbiased = counted.shares(counts, reports)
    nearest = simplex(unbiased)
    shares = nearest if sum_to_one else unbiased
    low, high = counted.interval(counts, reports, error, 1, varies[:k])

    def of(name: str, i: int) -> Share:
        return Share(name, int(counts[i]), float(shares[i]), float(low[i]), float(high[i]))

    def total(name: str, group: NDArray[np.intp], i: int) -> Share:
        start, end = counted.interval(of_all[[i]], reports, error, len(group), varies[i])
        share = float(shares[group].sum())
        return Share(name, int(of_all[i]), share, float(start[0]), float(end[0]))

    first = np.argsort(-shares[:-1], kind="stable")[:top]
    return FrequencyEstimate(
        words,
        counts[:-1],
        shares[:-1],
        low[:-1],
        high[:-1],
        tuple(of(words[i], i) for i in first.tolist()),
        tuple(of(words[i], i) for i in ids_asked),
        tuple(map(total, members, members.values(), range(k, len(of_all)))),
        of(UNKNOWN_WORDS, k - 1),
        _detectable(counted.response, reports / counted.repeats / np.median(varies), error),
        pearson(counts / counted.repeats, counted.response.drawn + counted.response.kept * nearest),
        None,
        _carried([*words, UNKNOWN_WORDS], counted, of_all, k, spread),
        fakes(counted.response, reports),
    )


def fakes(response: ApproximateResponse, reports: int) -> int:
    """Return how many made-up reports among ``reports`` move a share by ``MOVED``.

    A part f of reports that are all of one word moves its share by f (1 - q) / a, at most, with q
    how often it came out: a report weighs more where few are kept.
    """
    part = MOVED * response.kept / (1 - response.drawn)
    return math.ceil(reports * part * (1 - 1e-12))


def _carried(
    names: Sequence[str],
    counted: Counted,
    counts: NDArray[np.int64],
    k: int,
    spread: Spread | None,
) -> tuple[Carried, ...]:
    """Return the words, k with the unknown ones, that few batches carry, most reports first.

    Of those only whose reports are more than what comes out by chance.
    """
    if spread is None:
        return ()
    counts, reports = counts[:k], int(counts[:k].sum())
    above, _ = counted.interval(counts, reports, 1 / k)
    found = np.flatnonzero((above > 0) & concentrated(spread, counts, reports))
    batches = counts - spread.again[:k].astype(np.int64)
    carried = [Carried(names[i], int(counts[i]), int(batches[i])) for i in found.tolist()]
    return tuple(sorted(carried, key=lambda each: -each.reports))


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
