"""Frequencies of typed words in each of several periods, for ``brr estimate --by``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.estimate.counts.changes import (
    GROUP,
    UNKNOWN,
    WORD,
    Changes,
    changes_of_counts,
)
from brrkit_counting.estimate.counts.closed_form import CountsChannel, estimate_counts
from brrkit_counting.estimate.mechanism import mechanism_of, setting_from_caller
from brrkit_counting.estimate.options import EstimateOptions
from brrkit_counting.estimate.origin import (
    Origin,
    check_clustered,
    check_explained,
    check_some,
    paths_of,
)
from brrkit_counting.estimate.shares import FrequencyEstimate, Share, group_ids
from brrkit_counting.reports.calendar import UNITS
from brrkit_counting.reports.reading import BY_FILE, read_reports
from brrkit_counting.reports.setting import StatedSetting
from brrkit_counting.reports.tally import Reports

BY = (*UNITS, BY_FILE)
"""Ways to divide reports into periods."""


@dataclass(frozen=True)
class PeriodShare:
    """The share of a word, of all unknown words or of a group in a period.

    Attributes:
        period: first day of the period, such as ``2026-11-16``, or its file.
        kind: ``word``, ``unknown`` (all unknown words) or ``group``.
        name: name of the word or the group.
        reports: number of reports of it.
        share: its share of the words typed in the period; by default unbiased, so it may be below
            0.
        low: lower end of its 95% interval.
        high: upper end of this interval.
    """

    period: str
    kind: str
    name: str
    reports: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Periods:
    """Frequencies of typed words in each of several periods.

    Attributes:
        origin: origin of the reports.
        by: division into periods: ``day``, ``week``, ``month`` or ``file``.
        estimates: estimate of each period, in order; its key is the period's first day, such as
            ``2026-11-16``, or its file.
        changes: changes between periods.
    """

    origin: Origin
    by: str
    estimates: Mapping[str, FrequencyEstimate]
    changes: Changes

    def rows(self) -> Iterator[PeriodShare]:
        """Yield the share of each word, of all unknown words and of each group in each period."""
        for period, estimate in self.estimates.items():
            columns = (estimate.counts, estimate.shares, estimate.low, estimate.high)
            numbers = zip(*(column.tolist() for column in columns), strict=True)
            for word, found in zip(estimate.words, numbers, strict=True):
                yield PeriodShare(period, WORD, word, *found)
            others = [(UNKNOWN, estimate.unknown), *((GROUP, one) for one in estimate.totals)]
            for kind, one in others:
                ends = one.share, one.low, one.high
                yield PeriodShare(period, kind, one.name, one.reports, *ends)

    def shares(self, name: str, kind: str = WORD) -> dict[str, Share]:
        """Return the share of a word, of all unknown words or of a group in each period.

        Args:
            name: name of the word or the group.
            kind: kind, as in ``PeriodShare``.

        Raises:
            ParameterError: there is none with this name.
        """
        return {period: _share(found, name, kind) for period, found in self.estimates.items()}


def _share(found: FrequencyEstimate, name: str, kind: str) -> Share:
    if kind == UNKNOWN:
        return found.unknown
    if kind == GROUP:
        of_group = {share.name: share for share in found.totals}
        if name in of_group:
            return of_group[name]
    elif name in found.words:
        i = found.words.index(name)
        ends = float(found.shares[i]), float(found.low[i]), float(found.high[i])
        return Share(name, int(found.counts[i]), *ends)
    raise ParameterError(
        f"there is no {kind} with this name; choose a word or a group of the estimate"
    )


def estimate_periods(
    bundle: WordBundle,
    reports: Sequence[str | os.PathLike[str]],
    options: EstimateOptions = EstimateOptions(),  # noqa: B008 - frozen
    *,
    by: str = "week",
) -> Periods:
    """Estimate the frequency of each typed word in each period, and changes between periods.

    Changes are tested from each period to the next, and from the first to the last, all with one
    bound on false discoveries: ``docs/explanation/statistics.md``, "Periods".

    Args:
        bundle: the opened bundle that made the reports.
        reports: files of reports for counts, as for ``estimate_frequencies``.
        options: the wanted results, and what is known about the reports.
        by: ``day``, ``week`` (from Monday) or ``month`` in UTC: the one that contains the middle of
            a batch's period. Or ``file``: each file is a period, in the given order.

    Raises:
        ParameterError: as for ``estimate_frequencies``; or a batch names no period, or the reports
            are of text.
    """
    if by not in BY:
        raise ParameterError(f"by must be one of {', '.join(BY)}")
    files, stated = paths_of(reports), setting_from_caller(bundle, options)
    read = read_reports(
        files,
        bundle,
        most_foreign=options.most_foreign,
        stated=stated,
        leave_out_others=options.leave_out_others,
        by=by,
        groups=group_ids(options.groups, bundle.vocabulary).values(),
    )
    return periods_of(bundle, read, by, stated, options)


def periods_of(
    bundle: WordBundle,
    reports: Reports,
    by: str,
    stated: StatedSetting | None,
    options: EstimateOptions,
) -> Periods:
    """Estimate from already read reports, like ``estimate_periods``.

    Args:
        bundle: the bundle that made the reports.
        reports: reports of all periods.
        by: division into periods.
        stated: the setting that the caller states; None if they state none.
        options: options, as for ``estimate_periods``.

    Raises:
        ParameterError: as for ``estimate_periods``.
    """
    channel = mechanism_of(bundle, [reports], stated)
    if not isinstance(channel, CountsChannel):
        raise ParameterError(
            "only reports made for counts can be divided into periods, and these are of text; "
            "estimate each period alone, and compare two at a time"
        )
    check_some(reports)
    channel.check_informative(reports.counts)
    origin = Origin.of(bundle, channel, reports, stated)
    by_period = reports.by_period
    if len(by_period) > 1:
        check_clustered([reports], origin.words_a_day)
    words = list(bundle.vocabulary)
    spreads = {period: reports.spreads.get(period) for period in by_period}
    estimates = {
        period: estimate_counts(
            words,
            channel,
            counts,
            options,
            top=0,
            estimates=len(by_period),
            spread=spreads[period],
        )
        for period, counts in by_period.items()
    }
    for period, estimate in estimates.items():
        if not options.unexplained:
            check_explained(estimate, f"period {period}: ")
    changes = changes_of_counts(
        words,
        channel,
        list(by_period),
        np.stack([*by_period.values()]),
        group_ids(options.groups, words),
        rate=options.false_discoveries,
        spreads=list(spreads.values()),
    )
    return Periods(origin, by, estimates, changes)
