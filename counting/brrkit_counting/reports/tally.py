"""Sums of reports: the number of each word, for each setting and period."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.counts import UNKNOWN
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting, Frames
from brrkit_counting.reports.batch import MOST_REPORTS, Batch
from brrkit_counting.reports.calendar import day_of
from brrkit_counting.reports.files import Words
from brrkit_counting.reports.setting import (
    RECOMMENDED,
    SettingKey,
    StatedSetting,
    setting_key,
    words_a_day,
)
from brrkit_counting.reports.spread import Members, Spread, Spreading, members_of

FOREIGN = -1
"""The id of words outside the bundle."""

_SHOWN_PLACES = 3
"""Largest number of batches' places in a message."""


@dataclass(frozen=True)
class Reports:
    """Reports, counted.

    Attributes:
        counts: int64[n + 1], number of reports of each word of the vocabulary, and of the symbol of
            unknown words, which only reports made for counts have.
        by_period: ``counts`` of each period with reports, in order; of one period without a
            division into periods.
        foreign: number of reports with words outside the vocabulary.
        repeated: number of batches that came more than once, and were counted once.
        stated: the setting that the batches state; None if they state none.
        place: file and line of the first batch that states it.
        period: first start and last end of their periods; None if they name none.
        batches: number of different batches; 0 for a table or a text.
        others: number of batches of other settings, left out.
        oversized: number of batches left out because they have more reports than a device sends for
            a day with this setting, or are frames of another length than the bundle's.
        spreads: spread over batches, for each period; none if some reports have no batch.
        frames: whether the batches are frames, whose fillers are unknown words.
    """

    counts: NDArray[np.int64]
    by_period: Mapping[str, NDArray[np.int64]]
    foreign: int
    repeated: int
    stated: StatedSetting | None = None
    place: str | None = None
    period: tuple[str, str] | None = None
    batches: int = 0
    others: int = 0
    oversized: int = 0
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    frames: bool = False

    def __len__(self) -> int:
        return int(self.counts.sum())


@dataclass
class Sums:
    """Sums of reports, for each period.

    Attributes:
        ids: ids of words and of the symbol of unknown words; others are ``FOREIGN``.
        members: groups of words with wanted totals.
        counts: number of reports of each id in each period.
        spreading: spread of the reports of each period over batches.
        total: number of all reports.
    """

    ids: Mapping[str, int]
    members: Members
    counts: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    spreading: dict[str, Spreading] = field(default_factory=lambda: defaultdict(Spreading))
    total: int = 0

    def add(self, period: str, found: Words) -> None:
        """Count the reports in a part of a file.

        Raises:
            ParameterError: there are too many reports in all.
        """
        before = self.total
        self.total += sum(found.counts)
        if self.total > MOST_REPORTS:
            totals = accumulate(found.counts, initial=before)
            within = sum(total <= MOST_REPORTS for total in totals)
            _check_total(self.total, found.place(within - 1))
        counts = self.counts[period]
        for word, count in zip(found.words, found.counts, strict=True):
            counts[self.ids.get(word, FOREIGN)] += count

    def add_batch(self, period: str, batch: Batch, place: str) -> None:
        """Count a batch's reports, and pairs of equal ones.

        Raises:
            ParameterError: there are too many reports in all.
        """
        self.add(period, Words.of(batch.counts, place))
        counts = {self.ids.get(word, FOREIGN): count for word, count in batch.counts.items()}
        self.spreading[period].add(counts, self.members, day_of(batch.period))


@dataclass
class SettingBatches:
    """Batches of one setting.

    Attributes:
        stated: the setting that they state.
        sums: sums of their reports.
        frames: whether they are frames.
        places: places of the first few.
        batches: number of batches.
        oversized: number of further batches with too many reports for a device's day.
        period: first start and last end; None if no batch names a period.
    """

    stated: StatedSetting
    sums: Sums
    frames: bool = False
    places: list[str] = field(default_factory=list)
    batches: int = 0
    oversized: int = 0
    period: tuple[str, str] | None = None

    def add(self, number: int, place: str, period: tuple[str, str] | None) -> None:
        """Add a number of batches, with their place and period."""
        self.batches += number
        if place not in self.places and len(self.places) < _SHOWN_PLACES:
            self.places.append(place)
        if period is not None:
            start, end = period
            old = self.period or period
            self.period = min(old[0], start), max(old[1], end)


@dataclass
class Tally:
    """The reports read so far.

    Attributes:
        bundle: the bundle that made the reports.
        words: reports from tables and texts, which name no setting.
        by_setting: batches, by their setting's key and whether they are frames, whose number of
            typed words is unknown.
        repeated: number of batches that came more than once.
    """

    bundle: WordBundle
    words: Sums
    by_setting: dict[tuple[SettingKey | None, bool], SettingBatches] = field(default_factory=dict)
    repeated: int = 0

    @classmethod
    def of(cls, bundle: WordBundle, groups: Iterable[NDArray[np.intp]] = ()) -> Tally:
        """Return an empty tally, for words and for the totals of groups."""
        ids = {word: i for i, word in enumerate(bundle.vocabulary)} | {UNKNOWN: len(bundle)}
        return cls(bundle, Sums(ids, members_of(groups, len(ids))))

    def of_setting(self, stated: StatedSetting, *, frames: bool = False) -> SettingBatches:
        """Return the batches of a setting, or its frames, for additions."""
        key = setting_key(stated, self.bundle), frames
        if key not in self.by_setting:
            sums = Sums(self.words.ids, self.words.members)
            self.by_setting[key] = SettingBatches(stated, sums, frames)
        return self.by_setting[key]

    def add(self, batch: Batch, place: str, period: str) -> None:
        """Count a batch for its setting, unless it has too many reports for a device's day.

        Raises:
            ParameterError: there are too many reports in all.
        """
        of_setting = self.of_setting(batch.stated, frames=batch.frame is not None)
        if is_oversized(batch, self.bundle.counts, len(self.words.ids)) or not is_whole(
            batch, self.bundle.frames
        ):
            of_setting.oversized += 1
            of_setting.add(0, place, None)
            return
        of_setting.add(1, place, batch.period)
        of_setting.sums.add_batch(period, batch, place)

    def reports(
        self,
        name: str,
        stated: StatedSetting | None,
        *,
        leave_out_others: bool,
        most_foreign: float,
        order: Sequence[str] | None = None,
    ) -> Reports:
        """Return the reports of the chosen setting.

        Args:
            name: name of all reports in messages.
            stated: as for ``read_reports``.
            leave_out_others: as for ``read_reports``.
            most_foreign: as for ``read_reports``.
            order: order of the periods; by default, in time.

        Raises:
            ParameterError: as for ``read_reports``.
        """
        taken = self._batches_to_take(stated, leave_out_others)
        sums = [self.words] if taken is None else [self.words, taken.sums]
        total = sum(each.total for each in sums)
        if not total and taken is not None and taken.oversized:
            raise ParameterError(
                f"{taken.places[0]}: like all batches of this setting, it has more reports than "
                "a device sends a day, or is a frame with another number of words than the "
                "bundle's; give the added-up reports of many devices as a table"
            )
        if not total:
            raise ParameterError(f"{name}: has no reports; check the file")
        _check_total(total, name)
        periods = order or sorted({period for each in sums for period in each.counts})
        found = {period: _added_up(each.counts.get(period) for each in sums) for period in periods}
        foreign = sum(counts[FOREIGN] for counts in found.values())
        if foreign > most_foreign * total:
            raise ParameterError(
                f"{name}: {foreign:,} of {total:,} reports have words that aren't in this bundle, "
                f"and most_foreign allows a share of {most_foreign:g}; give the bundle that the "
                "devices used, or find out who sent these reports"
            )
        symbols = range(len(self.words.ids))
        dense = {
            period: np.array([counts[i] for i in symbols], np.int64)
            for period, counts in found.items()
        }
        by_period = {period: counts for period, counts in dense.items() if counts.any()}
        reports = Reports(
            np.stack([*dense.values()]).sum(axis=0), by_period, foreign, self.repeated
        )
        if taken is None:
            return reports
        groups = {number for numbers in self.words.members.values() for number in numbers}
        spreads = {
            period: taken.sums.spreading[period].spread(len(symbols) + len(groups))
            for period in by_period
            if not self.words.total
        }
        return replace(
            reports,
            stated=taken.stated,
            place=taken.places[0],
            period=taken.period,
            batches=taken.batches,
            others=sum(each.batches for each in self.by_setting.values()) - taken.batches,
            oversized=taken.oversized,
            spreads=spreads,
            frames=taken.frames,
        )

    def _batches_to_take(
        self, stated: StatedSetting | None, leave_out_others: bool
    ) -> SettingBatches | None:
        """Return the batches of the chosen setting; None if there are no batches."""
        if not self.by_setting:
            return None
        taken = self._of_most() if stated is None else self._of_given(stated)
        others = [each for each in self.by_setting.values() if each is not taken]
        if others and not leave_out_others:
            count = sum(each.batches for each in others)
            places = [place for each in others for place in each.places][:_SHOWN_PLACES]
            more = f" and {count - len(places):,} more" if count > len(places) else ""
            raise ParameterError(
                f"{', '.join(places)}{more}: made with a different setting than the other "
                f"{taken.batches:,} batches; give leave_out_others to continue without them"
            )
        return taken

    def _of_given(self, stated: StatedSetting) -> SettingBatches:
        key = setting_key(stated, self.bundle)
        taken = self.by_setting.get((key, False)) or self.by_setting.get((key, True))
        if taken is None:
            first = next(iter(self.by_setting.values()))
            raise ParameterError(
                f"{first.places[0]}: neither this batch nor any other was made with the given "
                "setting; give the setting that made them, or leave them out"
            )
        return taken

    def _of_most(self) -> SettingBatches:
        """Return the batches of the most frequent setting; in a tie, of the recommended one."""
        recommended = setting_key(RECOMMENDED, self.bundle)
        ranks = {
            key: (each.batches, key[0] is not None and key[0] == recommended)
            for key, each in self.by_setting.items()
        }
        best, *rest = sorted(ranks, key=lambda key: ranks[key], reverse=True)
        taken = self.by_setting[best]
        if rest and ranks[rest[0]] == ranks[best]:
            second = self.by_setting[rest[0]]
            raise ParameterError(
                f"{second.places[0]}: made with a different setting than {taken.places[0]}, and "
                "each has equally many batches; give the setting of the batches to count"
            )
        return taken


def _added_up(parts: Iterable[Counter[int] | None]) -> Counter[int]:
    return sum(filter(None, parts), Counter[int]())


def check_bundle(digest: str, own: str, place: str) -> None:
    """Check that a batch names the bundle.

    Raises:
        ParameterError: it names another bundle.
    """
    if digest != own:
        raise ParameterError(
            f"{place}: these reports were made with another bundle (its manifest's sha256 "
            f"begins with {digest[:8]}, this one's with {own[:8]}); give the bundle that made them"
        )


def _check_total(total: int, place: str) -> None:
    if total > MOST_REPORTS:
        raise ParameterError(f"{place}: more than 2^53 reports in total; check the counts")


def is_whole(batch: Batch, own: Frames | None) -> bool:
    """Return whether a batch isn't a frame, or has the length of the bundle's frames, if any."""
    return batch.frame is None or own is None or len(batch.frame) == own.words


def is_oversized(batch: Batch, own: CountsSetting | None, symbols: int) -> bool:
    """Return whether a batch has more reports than a device sends for a day with its setting."""
    most = words_a_day(batch.stated, own, symbols)
    return most is not None and sum(batch.counts.values()) > most
