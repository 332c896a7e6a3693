"""How often words were typed in each of several periods: what ``brr estimate --by`` does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting
from brrkit_counting.estimate.counts.changes import GROUP, UNKNOWN, WORD, Changes, changes_of_counts
from brrkit_counting.estimate.counts.closed_form import Counted, estimate_counts
from brrkit_counting.estimate.from_files import (
    Origin,
    check_clustered,
    check_explained,
    check_some,
    members_by_name,
    paths_of,
    reports_a_day,
)
from brrkit_counting.estimate.mechanism import given, mechanism_of
from brrkit_counting.estimate.text.compare import FALSE_DISCOVERIES
from brrkit_counting.estimate.text.estimate import FrequencyEstimate, Share
from brrkit_counting.reports.calendar import UNITS
from brrkit_counting.reports.setting import Stated
from brrkit_counting.reports.tally import BY_FILE, MOST_FOREIGN, Reports, read_reports

BY = (*UNITS, BY_FILE)
"""What tells periods apart."""


@dataclass(frozen=True)
class PeriodShare:
    """How often something was typed in a period.

    Attributes:
        period: its first day, as ``2026-11-16``, or its file.
        kind: ``word``, ``unknown`` (all unknown words) or ``group``.
        name: of the word or the group.
        reports: how often it came out.
        share: of what was typed in the period; unbiased, so it may be below 0.
        low: lower end of its 95% interval.
        high: upper end.
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
    """How often words were typed in each of several periods.

    Attributes:
        origin: of the reports.
        by: what tells periods apart: ``day``, ``week``, ``month`` or ``file``.
        estimates: of each period, in order: by its first day, as ``2026-11-16``, or by its file.
        changes: between them.
    """

    origin: Origin
    by: str
    estimates: Mapping[str, FrequencyEstimate]
    changes: Changes

    def rows(self) -> Iterator[PeriodShare]:
        """Yield the share of each word, of all unknown ones and of each group, in each period."""
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
        """Return the share of a word, of all unknown ones or of a group, in each period.

        Args:
            name: of the word or the group.
            kind: as of ``PeriodShare``.

        Raises:
            ParameterError: there is none of that name.
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
    raise ParameterError(f"no {kind} of this name was asked for or is in the vocabulary")


def estimate_periods(
    bundle: WordBundle,
    reports: Sequence[str | os.PathLike[str]],
    *,
    by: str = "week",
    setting: CountsSetting | None = None,
    second_cap: float | None = None,
    repeats: int | None = None,
    words: Sequence[str] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    simultaneous: bool = False,
    sum_to_one: bool = False,
    false_discoveries: float = FALSE_DISCOVERIES,
    most_foreign: float = MOST_FOREIGN,
    leave_out_others: bool = False,
    unexplained: bool = False,
) -> Periods:
    """Estimate how often each word was typed in each period, and what changed between periods.

    Changes are tested from each period to the next, and from the first to the last, all with one
    bound on false discoveries: ``docs/explanation/statistics.md``, "Periods".

    Args:
        bundle: that the reports were made with, opened.
        reports: the files, made for counts, as for ``estimate_frequencies``.
        by: ``day``, ``week`` (from Monday) or ``month``, of UTC, in which the middle of a batch's
            period lies; or ``file``: each file is a period, in the order given.
        setting: as for ``estimate_frequencies``, and so are those below that aren't explained.
        second_cap: with a ``setting``.
        repeats: with that.
        words: that ``FrequencyEstimate.asked`` has.
        groups: words whose total share is asked for, by the group's name; those that aren't in the
            vocabulary are left out.
        simultaneous: all intervals of all periods hold together with 95%, instead of each.
        sum_to_one: shares that aren't below 0 and sum to 1, instead of unbiased ones.
        false_discoveries: expected share of the changes that are none among all that are found, at
            most.
        most_foreign: share of reports that may have a word that isn't of the bundle.
        leave_out_others: leave out batches of another setting, instead of refusing them.
        unexplained: go on where the setting can't have made the reports; intervals are wrong then.

    Raises:
        ParameterError: as for ``estimate_frequencies``; or a batch doesn't say of which period it
            is, or the reports are of text.
    """
    if by not in BY:
        raise ParameterError(f"periods are told apart by {', '.join(BY)}; choose one")
    files, made_by = paths_of(reports), given(bundle, setting, second_cap, repeats)
    read = read_reports(
        files,
        bundle,
        most_foreign=most_foreign,
        setting=made_by,
        leave_out=leave_out_others,
        by=by,
        groups=members_by_name(groups, bundle).values(),
    )
    return periods_of(
        bundle,
        read,
        by,
        made_by,
        words=words,
        groups=groups,
        simultaneous=simultaneous,
        sum_to_one=sum_to_one,
        false_discoveries=false_discoveries,
        unexplained=unexplained,
    )


def periods_of(
    bundle: WordBundle,
    read: Reports,
    by: str,
    made_by: Stated | None,
    *,
    words: Sequence[str] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    simultaneous: bool = False,
    sum_to_one: bool = False,
    false_discoveries: float = FALSE_DISCOVERIES,
    unexplained: bool = False,
) -> Periods:
    """Estimate from reports that have been read, as ``estimate_periods`` does.

    ``made_by`` is the setting that the caller says, None if they say nothing.

    Raises:
        ParameterError: as ``estimate_periods``.
    """
    made = mechanism_of(bundle, [read], made_by)
    if not isinstance(made, Counted):
        raise ParameterError(
            "periods are of reports made for counts, and these are of text: estimate each period "
            "alone, and compare two"
        )
    check_some(read)
    made.check_informative(read.counts)
    a_day = reports_a_day(bundle, made_by or read.setting)
    if len(read.by_period) > 1:
        check_clustered([read], a_day)
    vocabulary = list(bundle.vocabulary)
    estimates = {
        period: estimate_counts(
            vocabulary,
            made,
            counts,
            top=0,
            asked=words,
            groups=groups,
            simultaneous=len(read.by_period) if simultaneous else 0,
            sum_to_one=sum_to_one,
            spread=read.spreads.get(period),
        )
        for period, counts in read.by_period.items()
    }
    for period, estimate in estimates.items():
        if not unexplained:
            check_explained(estimate, f"period {period}: ")
    changes = changes_of_counts(
        vocabulary,
        made,
        list(read.by_period),
        np.stack([*read.by_period.values()]),
        members_by_name(groups, bundle),
        rate=false_discoveries,
        spreads=[read.spreads.get(period) for period in read.by_period],
    )
    origin = Origin.of(bundle, {"cap": made.response.loss}, read, each=a_day)
    return Periods(origin, by, estimates, changes)
