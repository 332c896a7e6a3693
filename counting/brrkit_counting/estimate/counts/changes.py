"""Words, and groups of words, whose shares differ, from reports made for counts.

Two populations have m1 and m2 reports, t of them of one word. If the shares are equal, the number
of these t reports in the first population varies at most as much as t draws with the probability
m1 / (m1 + m2). So a binomial test errs no more often than its level states, for any t. A group is
tested like a word that chance draws as often as all words of the group together.
``docs/explanation/statistics.md`` has the details.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc

from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel
from brrkit_counting.estimate.differences import (
    Difference,
    PopulationComparison,
    adjusted_p_values,
    check_rate,
    surest_first,
)
from brrkit_counting.estimate.options import FALSE_DISCOVERIES
from brrkit_counting.estimate.shares import UNKNOWN_WORDS
from brrkit_counting.reports.spread import Spread, effects

WORD, UNKNOWN, GROUP = "word", "unknown", "group"
"""Kinds of shares: of a word, of all unknown words, or of a group."""

_ABOVE_ZERO = 1e-300


@dataclass(frozen=True)
class Change(Difference):
    """A word or a group whose share changed between two periods.

    Attributes:
        name: the word, or the group's name.
        first: its share in the first period; unbiased, so it may be slightly below 0.
        second: its share in the second period.
        low: lower end of the interval of second - first; all such intervals hold together with 95%
            confidence.
        high: upper end of this interval.
        adjusted: adjusted p-value: the smallest bound on the share of false discoveries at which
            the change is a discovery.
        kind: ``word``, ``unknown`` (all unknown words) or ``group``.
        periods: the first and the second period.
    """

    kind: str
    periods: tuple[str, str]


@dataclass(frozen=True)
class Changes:
    """Changes between periods.

    Attributes:
        found: the discoveries, the surest first.
        tested: number of words and groups tested in each comparison.
        comparisons: pairs of periods: each with the next, and the first with the last.
        rate: largest expected share of false discoveries, among all discoveries.
    """

    found: tuple[Change, ...]
    tested: int
    comparisons: tuple[tuple[str, str], ...]
    rate: float


def compare_counts(
    words: Sequence[str],
    channel: CountsChannel,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    rate: float = FALSE_DISCOVERIES,
    spreads: Sequence[Spread | None] = (None, None),
) -> PopulationComparison:
    """Test for every word that was surely typed whether its shares differ.

    The intervals of the differences hold for all tested words together.

    Args:
        words: the n words of the vocabulary.
        channel: the channel that made both populations' reports.
        first: int64[n + 1], number of reports of each word, and of the symbol of unknown words.
        second: int64[n + 1], the same for the second population.
        rate: largest expected share of false discoveries (Benjamini and Yekutieli 2001).
        spreads: spread of both over batches; None: a device's reports are assumed independent.

    Raises:
        ParameterError: the rate isn't between 0 and 1.
    """
    sizes = int(first.sum()), int(second.sum())
    tested, found = _differences(
        [*words, UNKNOWN_WORDS],
        channel,
        np.stack([first, second]),
        np.ones(len(first), np.int64),
        np.array(sizes, np.int64),
        [(0, 1)],
        rate,
        spreads,
    )
    return PopulationComparison(tuple(each for *_, each in found), tested, sizes, rate)


def changes_of_counts(
    words: Sequence[str],
    channel: CountsChannel,
    periods: Sequence[str],
    counts: NDArray[np.int64],
    groups: Mapping[str, NDArray[np.intp]],
    *,
    rate: float = FALSE_DISCOVERIES,
    spreads: Sequence[Spread | None] | None = None,
) -> Changes:
    """Test for changes from each period to the next, and from the first to the last.

    All tests are one family, for which ``rate`` holds. Neighboring comparisons share a period, and
    a word's count is part of its group's: Benjamini and Yekutieli's bound holds for any dependence.

    Args:
        words: the n words of the vocabulary.
        channel: the channel that made the reports.
        periods: names [t] of the periods, in order.
        counts: int64[t, n + 1], number of reports of each word, and of the symbol of unknown words.
        groups: ids [g] of the words of each group, by its name.
        rate: largest expected share of false discoveries.
        spreads: spread of each period over batches; by default, a device's reports are assumed
            independent.

    Raises:
        ParameterError: the rate isn't between 0 and 1.
    """
    pairs = [(i, i + 1) for i in range(len(periods) - 1)]
    if len(pairs) > 1:
        pairs.append((0, len(periods) - 1))
    named = [(periods[one], periods[two]) for one, two in pairs]
    sums = [counts[:, group].sum(axis=1, keepdims=True) for group in groups.values()]
    symbols = [1] * counts.shape[1] + [len(group) for group in groups.values()]
    tested, found = _differences(
        [*words, UNKNOWN_WORDS, *groups],
        channel,
        np.hstack([counts, *sums]),
        np.array(symbols, np.int64),
        counts.sum(axis=1),
        pairs,
        rate,
        spreads or [None] * len(periods),
    )
    kinds = [WORD] * len(words) + [UNKNOWN] + [GROUP] * len(groups)
    changes = tuple(
        Change(**vars(each), kind=kinds[i], periods=named[pair]) for pair, i, each in found
    )
    return Changes(changes, tested, tuple(named), rate)


def _differences(
    names: Sequence[str],
    channel: CountsChannel,
    counts: NDArray[np.int64],
    symbols: NDArray[np.int64],
    reports: NDArray[np.int64],
    pairs: Sequence[tuple[int, int]],
    rate: float,
    spreads: Sequence[Spread | None],
) -> tuple[int, list[tuple[int, int, Difference]]]:
    """Test each of s words or groups in each of ``pairs`` of populations.

    Their totals over all populations decide which are tested. A test is valid for any total of its
    two counts, and any other counts, so this selection leaves it valid.

    Args:
        names: names of the words and groups.
        channel: the channel that made the reports.
        counts: int64[t, s], number of reports of each.
        symbols: int64[s], number of symbols of each.
        reports: int64[t], number m of reports of each population.
        pairs: pairs of numbers of populations.
        rate: largest expected share of false discoveries, among all discoveries.
        spreads: spread of each population over batches.

    Returns:
        The number of tested words and groups, and the differences, the surest first. Each follows
        the numbers of its pair and of its word or group. Their intervals hold together for all
        tested words and groups.
    """
    check_rate(rate)
    varies = effects(spreads, counts, reports)
    together, total = counts.sum(axis=0), int(reports.sum())
    most = varies.max(axis=0)
    surely, _ = channel.interval(together, total, 1 / len(names), symbols, most)
    tested = np.flatnonzero(surely)
    of_each = channel.repeats * varies[:, tested]
    came, sizes = counts[:, tested] / of_each, reports[:, None] / of_each
    firsts, seconds = (np.array([pair[i] for pair in pairs], np.intp) for i in (0, 1))
    part = sizes[firsts] / (sizes[firsts] + sizes[seconds])
    p_values = _p_values(came[firsts], came[seconds], part)
    levels = adjusted_p_values(p_values.ravel()).reshape(p_values.shape)
    at, which = np.nonzero(levels <= rate)
    word, error = tested[which], ERROR / (2 * max(levels.size, 1))
    shares, lows, highs = [], [], []
    for side in (firsts[at], seconds[at]):
        own = counts[side, word], reports[side]
        shares.append(channel.shares(*own, symbols[word]))
        low, high = channel.interval(*own, error, symbols[word], varies[side, word])
        lows.append(low)
        highs.append(high)
    columns = (*shares, lows[1] - highs[0], highs[1] - lows[0], levels[at, which])
    found = [
        (pair, i, Difference(names[i], *values))
        for pair, i, *values in zip(
            at.tolist(), word.tolist(), *(column.tolist() for column in columns), strict=True
        )
    ]
    found.sort(key=lambda each: surest_first(each[2]))
    return len(tested), found


def _p_values(
    one: NDArray[np.float64], two: NDArray[np.float64], part: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return twice the smaller of P[X >= one] and P[X <= one] of X ~ binomial(one + two, part)."""
    above = np.where(one > 0, betainc(np.maximum(one, _ABOVE_ZERO), two + 1, part), 1.0)
    below = np.where(two > 0, betaincc(one + 1, np.maximum(two, _ABOVE_ZERO), part), 1.0)
    twice: NDArray[np.float64] = np.minimum(2 * np.minimum(above, below), 1.0)
    return twice
