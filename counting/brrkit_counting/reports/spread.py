"""How reports are spread over batches: what those of one device have in common.

A batch is a device's day (``spec/reports.md``). People have favorite words, so reports of
one batch are more alike than those of different people. For a word that comes out with probability
q, the reports of a batch agree on it more often than by chance: a pair of them by

    r = (P / N - q^2) / (q (1 - q)),

the intraclass correlation, with P of the N pairs of reports of one batch both of it. A device sends
several batches, which nothing links: those of its other days are taken to agree as much. So a count
varies 1 + r (d N* - 1) times as much as one of independent reports, for d days and N* reports of
the batch that a report is in, on average: the design effect (Kish 1965). Counts and their number
are divided by it (Rao and Scott 1992).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FEWEST = 100
"""Batches: fewer don't say how much the reports of one have in common."""

_TIMES_BY_CHANCE = 3.0
"""A word is flagged if its reports share batches this many times as often as by chance."""

Members = Mapping[int, Sequence[int]]
"""Of a word's id, the numbers of the groups that it is in: n + 1 for the first, and so on."""


@dataclass(frozen=True)
class Spread:
    """How some reports, counted in m, are spread over batches.

    Attributes:
        batches: how many there are.
        days: how many different days they are of, at least 1.
        pairs: of two reports of one batch, in either order.
        alike: float64[s], those of one word or group each.
        again: float64[s], reports of one that aren't the first of their batch.
    """

    batches: int
    days: int
    pairs: float
    alike: NDArray[np.float64]
    again: NDArray[np.float64]


@dataclass
class Spreading:
    """A ``Spread`` in the making."""

    batches: int = 0
    days: set[str | None] = field(default_factory=set)
    pairs: int = 0
    alike: Counter[int] = field(default_factory=Counter)
    again: Counter[int] = field(default_factory=Counter)

    def add(self, counts: Mapping[int, int], members: Members, day: str | None) -> None:
        """Add a batch: how often each id came out, and of which day it is, if it says so."""
        self.batches += 1
        self.days.add(day)
        pairs, several = pairs_of(counts, members)
        self.pairs += pairs
        for i, (alike, again) in several.items():
            self.alike[i] += alike
            self.again[i] += again

    def spread(self, symbols: int) -> Spread:
        """Return it, of so many words and groups."""
        alike, again = (
            np.array([of[i] for i in range(symbols)], np.float64) for of in (self.alike, self.again)
        )
        return Spread(self.batches, max(len(self.days), 1), float(self.pairs), alike, again)


def pairs_of(
    counts: Mapping[int, int], members: Members
) -> tuple[int, Mapping[int, tuple[int, int]]]:
    """Return a batch's pairs of reports, and of what has several its pairs, and all but the first.

    Args:
        counts: how often each id came out; those below 0 are no words.
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
    """Return the numbers of the groups of each word that is in one.

    Args:
        groups: ids of each group's words.
        symbols: of words and unknown ones: the first group's number.
    """
    members: dict[int, list[int]] = {}
    for number, ids in enumerate(groups, start=symbols):
        for i in ids.tolist():
            members.setdefault(i, []).append(number)
    return members


def effects(
    spreads: Sequence[Spread | None], counts: NDArray[np.int64], reports: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how many times as much counts vary as those of independent reports, [t, s].

    Reports of one device agree alike in all t populations, so all say how much.

    Args:
        spreads: of the populations, [t]; None where nobody knows. Of fewer than ``FEWEST`` batches
            one says nothing.
        counts: int64[t, s], how often each word or group came out.
        reports: int64[t], in all.
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
    """Return whether few batches carry each word, [s].

    Its reports then share their batches with others of it ``_TIMES_BY_CHANCE`` times as often as
    reports that are spread by chance.
    """
    if not spread.pairs:
        return np.zeros(len(counts), np.bool_)
    size = 1 + spread.alike[: len(counts)] / np.maximum(counts, 1)
    by_chance = 1 + counts / reports * (spread.pairs / reports)
    found: NDArray[np.bool_] = size > _TIMES_BY_CHANCE * by_chance
    return found
