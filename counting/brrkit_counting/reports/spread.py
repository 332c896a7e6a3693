"""The spread of reports over batches: the similarity of one device's reports.

A batch is a device's day (``spec/reports.md``). People have favorite words, so reports of one batch
are more similar than those of different people. For a word that is released with probability q,
pairs of reports of a batch agree on it more often than by chance, by

    r = (P / N - q^2) / (q (1 - q)),

the intraclass correlation, where P of the N pairs of reports of one batch are both of this word. A
device sends several batches without links between them; those of its other days are assumed to
agree as much. So the variance of a count is 1 + r (d N* - 1) times that of independent reports, for
d days, and N* reports in the batch of a report on average: the design effect (Kish 1965). Counts
and their number are divided by it (Rao and Scott 1992).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FEWEST = 100
"""Smallest number of batches from which the similarity of a batch's reports is estimated."""

_TIMES_BY_CHANCE = 3.0
"""A word is flagged if its reports share batches this many times as often as by chance."""

Members = Mapping[int, Sequence[int]]
"""For a word's id, the numbers of its groups: n + 1 for the first group, and so on."""


@dataclass(frozen=True)
class Spread:
    """The spread of some reports, counted in m, over batches.

    Attributes:
        batches: number of batches.
        days: number of their different days, at least 1.
        pairs: number of ordered pairs of reports of one batch.
        alike: float64[s], number of such pairs that are both of a word or group.
        again: float64[s], number of reports of a word or group that aren't the first of their
            batch.
    """

    batches: int
    days: int
    pairs: float
    alike: NDArray[np.float64]
    again: NDArray[np.float64]


@dataclass
class Spreading:
    """The counts for a ``Spread``."""

    batches: int = 0
    days: set[str | None] = field(default_factory=set)
    pairs: int = 0
    alike: Counter[int] = field(default_factory=Counter)
    again: Counter[int] = field(default_factory=Counter)

    def add(self, counts: Mapping[int, int], members: Members, day: str | None) -> None:
        """Add a batch: the number of reports of each id, and the batch's day, if it names one."""
        self.batches += 1
        self.days.add(day)
        pairs, several = pairs_of(counts, members)
        self.pairs += pairs
        for i, (alike, again) in several.items():
            self.alike[i] += alike
            self.again[i] += again

    def spread(self, symbols: int) -> Spread:
        """Return the spread, for this number of words and groups."""
        alike, again = (
            np.array([of[i] for i in range(symbols)], np.float64) for of in (self.alike, self.again)
        )
        return Spread(self.batches, max(len(self.days), 1), float(self.pairs), alike, again)


def pairs_of(
    counts: Mapping[int, int], members: Members
) -> tuple[int, Mapping[int, tuple[int, int]]]:
    """Return a batch's number of pairs, and for repeated ids, their pairs and further reports.

    Args:
        counts: number of reports of each id; ids below 0 aren't words.
        members: groups of words.
    """
    total = sum(count for i, count in counts.items() if i >= 0)
    if total < 2:
        return 0, {}
    of = Counter({i: count for i, count in counts.items() if i >= 0})
    for i, count in tuple(of.items()) if members else ():
        for group in members.get(i, ()):
            of[group] += count
    several = {i: (count * (count - 1), count - 1) for i, count in of.items() if count > 1}
    return total * (total - 1), several


def members_of(groups: Iterable[NDArray[np.intp]], symbols: int) -> Members:
    """Return the numbers of the groups of each word in a group.

    Args:
        groups: ids of each group's words.
        symbols: number of words, plus one for unknown words; the first group's number.
    """
    members: dict[int, list[int]] = {}
    for number, ids in enumerate(groups, start=symbols):
        for i in ids.tolist():
            members.setdefault(i, []).append(number)
    return members


def effects(
    spreads: Sequence[Spread | None], counts: NDArray[np.int64], reports: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the variances of counts, divided by those of independent reports, [t, s].

    Reports of one device agree equally in all t populations, so all are used for the estimate.

    Args:
        spreads: [t], spreads of the populations; None if unknown. One of fewer than ``FEWEST``
            batches is ignored.
        counts: int64[t, s], number of reports of each word or group.
        reports: int64[t], number of all reports.
    """
    result = np.ones(counts.shape)
    known = [
        (t, each)
        for t, each in enumerate(spreads)
        if each is not None and each.batches >= FEWEST and each.pairs > 0
    ]
    if not known:
        return result
    pairs = np.array([each.pairs for _, each in known])[:, None]
    out = counts[[t for t, _ in known]] / reports[[t for t, _ in known], None]
    beyond = sum(each.alike[: counts.shape[1]] for _, each in known) - (pairs * out**2).sum(axis=0)
    most = (pairs * out * (1 - out)).sum(axis=0)
    agreement = np.clip(np.divide(beyond, most, where=most > 0, out=np.zeros(len(most))), 0, 1)
    for t, each in known:
        size = each.days * (each.pairs / reports[t] + 1)
        result[t] = 1 + agreement * (size - 1)
    return result


def concentrated(spread: Spread, counts: NDArray[np.int64], reports: int) -> NDArray[np.bool_]:
    """Return whether each word is in suspiciously few batches, [s].

    Its reports then share their batches ``_TIMES_BY_CHANCE`` times as often as reports spread by
    chance.
    """
    if not spread.pairs:
        return np.zeros(len(counts), np.bool_)
    size = 1 + spread.alike[: len(counts)] / np.maximum(counts, 1)
    by_chance = 1 + counts / reports * (spread.pairs / reports)
    found: NDArray[np.bool_] = size > _TIMES_BY_CHANCE * by_chance
    return found
