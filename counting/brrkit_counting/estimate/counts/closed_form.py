"""Frequencies of typed words from reports made for counts, in closed form with exact intervals.

A report of x is y with probability K(y|x) = a [x = y] + (1 - a) / k. So a share of (1 - a) / k of m
reports is y by chance, and the excess over this share is a times the share of y. Whatever was
typed, the number of these reports is a sum of independent ones and zeros. No such sum leaves an
interval of Clopper and Pearson (1934) more often than a sum with equal probabilities (Hoeffding
1956): ``docs/explanation/statistics.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from brrkit_counting.estimate.options import EstimateOptions
from brrkit_counting.estimate.pearson import check_informative, pearson
from brrkit_counting.estimate.shares import (
    UNKNOWN_WORDS,
    Carried,
    FrequencyEstimate,
    Share,
    asked_ids,
    group_ids,
)
from brrkit_counting.reports.spread import Spread, concentrated, effects
from brrkit_counting.response import ApproximateResponse

ERROR = 0.05
"""Largest probability that an interval misses, or that any misses if they are simultaneous."""

MOVED = 0.01
"""Largest effect of ``FrequencyEstimate.fakes`` on a share."""

Numbers: TypeAlias = "int | NDArray[np.int64]"


@dataclass(frozen=True)
class CountsChannel:
    """The channel from typed words to reports made for counts.

    Attributes:
        response: the channel; with a keyed memory, that of both draws together.
        repeats: largest number of reports that share a first draw: those of one word from a device
            in a period of its memory. 1 without a memory.
        kept: the exact ``response.kept``, if it is known.
    """

    response: ApproximateResponse
    repeats: int = 1
    kept: Fraction | None = None

    def check_informative(self, counts: NDArray[np.int64]) -> None:
        """Check that reports, int64[k], are informative.

        Raises:
            ParameterError: they can't be distinguished from those of random words.
        """
        check_informative(counts / self.repeats, np.full(len(counts), 1 / len(counts)))

    def shares(
        self, counts: NDArray[np.int64], reports: Numbers, symbols: Numbers = 1
    ) -> NDArray[np.float64]:
        """Return the shares, float64[...]; unbiased, so that of a rare word may be below 0.

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
        """Return the ends, from 0 to 1, of intervals, each with a miss rate of at most ``error``.

        Reports that share a first draw aren't independent. At most ``repeats`` of them share one,
        so they vary at most as much as one report that counts ``repeats`` times (Cauchy and
        Schwarz). So counts are divided by this number; the beta distribution then approximates an
        unknown one.

        Args:
            counts: int64[...], number of reports of each word or group.
            reports: m, or the number of reports for each, if they differ.
            error: error of each interval.
            symbols: number of symbols in each of ``counts``.
            effects: variance of each, divided by that of independent reports (``spread.effects``).
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
    channel: CountsChannel,
    counts: NDArray[np.int64],
    options: EstimateOptions = EstimateOptions(),  # noqa: B008 - frozen
    *,
    top: int = 20,
    estimates: int = 1,
    spread: Spread | None = None,
) -> FrequencyEstimate:
    """=Estimate the share of each typed word.

    The caller has checked that the reports are informative.

    Args:
        words: words of the vocabulary.
        channel: the channel that made the reports.
        counts: int64[n + 1], number of reports of each word, and of the symbol of unknown words.
        options: the wanted results: ``words``, ``groups``, ``simultaneous``, and ``sum_to_one`` for
            the nearest shares to the unbiased ones.
        top: number of most frequent words to show.
        estimates: number of such estimates whose intervals hold together, if they are simultaneous.
        spread: spread of the words and groups over batches; None if unknown, when intervals refer
            to the text typed on these devices.

    Raises:
        ParameterError: a word isn't in the vocabulary, or a group has none of its words.
    """
    asked = asked_ids(options.words, words)
    groups = group_ids(options.groups, words)
    reports, k = int(counts.sum()), len(counts)
    sums = [int(counts[group].sum()) for group in groups.values()]
    of_all = np.append(counts, np.array(sums, np.int64))
    varies = effects([spread], of_all[None], np.array([reports]))[0]
    error = ERROR / (estimates * len(of_all)) if options.simultaneous else ERROR
    unbiased = channel.shares(counts, reports)
    nearest = nearest_shares(unbiased)
    shares = nearest if options.sum_to_one else unbiased
    low, high = channel.interval(counts, reports, error, 1, varies[:k])

    def of_word(name: str, i: int) -> Share:
        return Share(name, int(counts[i]), float(shares[i]), float(low[i]), float(high[i]))

    def of_group(name: str, group: NDArray[np.intp], i: int) -> Share:
        start, end = channel.interval(of_all[[i]], reports, error, len(group), varies[i])
        share = float(shares[group].sum())
        return Share(name, int(of_all[i]), share, float(start[0]), float(end[0]))

    first = np.argsort(-shares[:-1], kind="stable")[:top]
    independent = reports / channel.repeats / np.median(varies)
    expected = channel.response.drawn + channel.response.kept * nearest
    return FrequencyEstimate(
        words=words,
        counts=counts[:-1],
        shares=shares[:-1],
        low=low[:-1],
        high=high[:-1],
        top=tuple(of_word(words[i], i) for i in first.tolist()),
        asked=tuple(of_word(words[i], i) for i in asked),
        totals=tuple(map(of_group, groups, groups.values(), range(k, len(of_all)))),
        unknown=of_word(UNKNOWN_WORDS, k - 1),
        detectable=_detectable(channel.response, independent, error),
        misfit=pearson(counts / channel.repeats, expected),
        fit=None,
        carried=_carried([*words, UNKNOWN_WORDS], channel, counts, spread),
        fakes=fakes(channel.response, reports),
    )


def fakes(response: ApproximateResponse, reports: int) -> int:
    """Return the number of made-up reports among ``reports`` that move a share by ``MOVED``.

    A share f of made-up reports, all of one word, moves its share by at most f (1 - q) / a, where q
    is the share of its reports. A report has more weight if few are kept.
    """
    part = MOVED * response.kept / (1 - response.drawn)
    return math.ceil(reports * part * (1 - 1e-12))


def _carried(
    names: Sequence[str], channel: CountsChannel, counts: NDArray[np.int64], spread: Spread | None
) -> tuple[Carried, ...]:
    """Return the words, and the unknown ones, in suspiciously few batches, by number of reports.

    Only words with more reports than by chance count.
    """
    if spread is None:
        return ()
    reports, k = int(counts.sum()), len(counts)
    above, _ = channel.interval(counts, reports, 1 / k)
    found = np.flatnonzero((above > 0) & concentrated(spread, counts, reports))
    batches = counts - spread.again[:k].astype(np.int64)
    carried = [Carried(names[i], int(counts[i]), int(batches[i])) for i in found.tolist()]
    return tuple(sorted(carried, key=lambda each: -each.reports))


def _detectable(response: ApproximateResponse, reports: float, error: float) -> float:
    """Return the share at which a word's interval begins above 0 in about half of all cases."""
    from scipy.stats import binom

    least = binom.isf(error / 2, int(reports), response.drawn) + 1
    return float(least / reports - response.drawn) / response.kept


def nearest_shares(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest point to ``shares`` [k] without negative parts, and with the sum 1.

    This is "Norm-Sub" of Wang et al. 2020: it subtracts a constant, and replaces negative numbers
    by 0.
    """
    ordered = np.sort(shares)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(shares) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    nearest: NDArray[np.float64] = np.maximum(shares - excess[last], 0.0)
    return nearest
