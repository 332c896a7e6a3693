"""Reports counted: how often each word came out, as files of reports say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.counts import UNKNOWN
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting
from brrkit_counting.reports.batch import MOST_REPORTS, Batch
from brrkit_counting.reports.calendar import day_of, unit_of
from brrkit_counting.reports.files import Words, has_batches, read_batches, read_words
from brrkit_counting.reports.setting import (
    RECOMMENDED,
    Identity,
    Stated,
    identity,
    words_a_day,
)
from brrkit_counting.reports.spread import Members, Spread, Spreading, members_of

MOST_FOREIGN = 0.01
"""Share of reports that may have words that aren't the bundle's."""

BY_FILE = "file"
"""Each file has the reports of a period of its own."""

FOREIGN = -1
"""Instead of the id of a word, of one that isn't the bundle's."""

_SHOWN = 3  # lines that a message names
_ALL = ""  # the one period of reports that aren't told apart


@dataclass(frozen=True)
class Reports:
    """Reports, counted.

    Attributes:
        counts: int64[n + 1], how often each word of the vocabulary came out, and the symbol of
            unknown words, which only reports made for counts have.
        foreign: how many reports aren't of the vocabulary.
        setting: what they say they were made with; None if they don't say.
        place: file and line of the first batch that says so.
        period: the first start and the last end that they name; None if they name none.
        batches: how many different ones there were; 0 in a table or a text.
        repeated: how many batches came more than once, and were counted once.
        others: how many batches of other settings were left out.
        oversized: how many batches were left out that have more reports than a device sends of a
            day with this setting.
        by_period: ``counts`` of each period that has any, in order; of one, if they aren't told
            apart.
        spreads: over batches, of each period; none where some reports came without a batch.
    """

    counts: NDArray[np.int64]
    foreign: int
    setting: Stated | None
    place: str | None
    period: tuple[str, str] | None
    batches: int
    repeated: int
    others: int
    oversized: int
    by_period: Mapping[str, NDArray[np.int64]]
    spreads: Mapping[str, Spread]

    def __len__(self) -> int:
        return int(self.counts.sum())


@dataclass
class Sums:
    """Reports added up, of each period.

    Attributes:
        ids: of words and of the symbol of unknown ones; others are ``FOREIGN``.
        members: groups of words whose totals are asked for.
        of: how often each id came out in each period.
        over: how the reports of each period are spread over batches.
        total: how many reports there are.
    """

    ids: Mapping[str, int]
    members: Members
    of: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    over: dict[str, Spreading] = field(default_factory=lambda: defaultdict(Spreading))
    total: int = 0

    def add(self, period: str, found: Words) -> None:
        """Count what a part of a file says.

        Raises:
            ParameterError: there are too many reports in all.
        """
        before = self.total
        self.total += sum(found.counts)
        if self.total > MOST_REPORTS:
            totals = accumulate(found.counts, initial=before)
            within = sum(total <= MOST_REPORTS for total in totals)
            _check_total(self.total, found.place(within - 1))
        counts = self.of[period]
        for word, count in zip(found.words, found.counts, strict=True):
            counts[self.ids.get(word, FOREIGN)] += count

    def add_batch(self, period: str, batch: Batch, place: str) -> None:
        """Count a batch's reports, and how many of them are alike.

        Raises:
            ParameterError: there are too many reports in all.
        """
        words = Words([*batch.counts], [*batch.counts.values()], lambda _: place)
        self.add(period, words)
        counts = {self.ids.get(word, FOREIGN): count for word, count in batch.counts.items()}
        self.over[period].add(counts, self.members, day_of(batch.period))


@dataclass
class Group:
    """Batches of one setting.

    Attributes:
        setting: what they say that they were made with.
        sums: of their reports.
        places: the first few.
        batches: how many there are.
        oversized: how many more have too many reports for a device's day.
        period: first start and last end; None if none names any.
    """

    setting: Stated
    sums: Sums
    places: list[str] = field(default_factory=list)
    batches: int = 0
    oversized: int = 0
    period: tuple[str, str] | None = None

    def add(self, number: int, place: str, period: tuple[str, str] | None) -> None:
        """Note so many batches, their place and period."""
        self.batches += number
        if place not in self.places and len(self.places) < _SHOWN:
            self.places.append(place)
        if period is not None:
            start, end = period
            old = self.period or period
            self.period = min(old[0], start), max(old[1], end)


@dataclass
class Tally:
    """What has been read so far.

    Attributes:
        bundle: that the reports were made with.
        words: of tables and texts, which name no setting.
        groups: of batches, by their settings.
        repeated: how many batches came more than once.
    """

    bundle: WordBundle
    words: Sums
    groups: dict[Identity | None, Group] = field(default_factory=dict)
    repeated: int = 0

    @classmethod
    def of(cls, bundle: WordBundle, groups: Iterable[NDArray[np.intp]] = ()) -> Tally:
        """Return one in which nothing has been counted, of words and of the totals of groups."""
        ids = {bundle.vocabulary.word(i): i for i in range(len(bundle))} | {UNKNOWN: len(bundle)}
        return cls(bundle, Sums(ids, members_of(groups, len(ids))))

    def group(self, setting: Stated) -> Group:
        """Return the batches of a setting, to add to."""
        key = identity(setting, self.bundle)
        if key not in self.groups:
            self.groups[key] = Group(setting, Sums(self.words.ids, self.words.members))
        return self.groups[key]

    def reports(
        self,
        name: str,
        setting: Stated | None,
        *,
        leave_out: bool,
        most_foreign: float,
        order: Sequence[str] | None = None,
    ) -> Reports:
        """Return the reports of the setting to take.

        Args:
            name: how messages name all of it.
            setting: as of ``read_reports``, and so the next two.
            leave_out: batches of another setting.
            most_foreign: share of reports.
            order: of the periods; theirs in time by default.

        Raises:
            ParameterError: as ``read_reports``.
        """
        group = _chosen(self, setting, leave_out)
        sums = [self.words] if group is None else [self.words, group.sums]
        total = sum(each.total for each in sums)
        if not total and group is not None and group.oversized:
            raise ParameterError(
                f"{group.places[0]}: more reports than a device sends of a day with this setting, "
                "as all batches have; give reports of many devices, added up, as a table"
            )
        if not total:
            raise ParameterError(f"{name}: there are no reports in it; check the file")
        _check_total(total, name)
        periods = order or sorted({period for each in sums for period in each.of})
        found = {period: _together(each.of.get(period) for each in sums) for period in periods}
        foreign = sum(counts[FOREIGN] for counts in found.values())
        if foreign > most_foreign * total:
            raise ParameterError(
                f"{name}: {foreign:,} of {total:,} reports have words that can't come out of this "
                f"bundle, more than a share of {most_foreign:g}; name the bundle that the devices "
                "had, or find out who sent these"
            )
        symbols = range(len(self.words.ids))
        dense = {
            period: np.array([counts[i] for i in symbols], np.int64)
            for period, counts in found.items()
        }
        of_words = np.stack([*dense.values()]).sum(axis=0)
        by_period = {period: counts for period, counts in dense.items() if counts.any()}
        if group is None:
            return Reports(
                of_words, foreign, None, None, None, 0, self.repeated, 0, 0, by_period, {}
            )
        groups = {number for numbers in self.words.members.values() for number in numbers}
        spreads = {
            period: group.sums.over[period].spread(len(symbols) + len(groups))
            for period in by_period
            if not self.words.total
        }
        return Reports(
            of_words,
            foreign,
            group.setting,
            group.places[0],
            group.period,
            group.batches,
            self.repeated,
            sum(each.batches for each in self.groups.values()) - group.batches,
            group.oversized,
            by_period,
            spreads,
        )


def _together(parts: Iterable[Counter[int] | None]) -> Counter[int]:
    return sum(filter(None, parts), Counter[int]())


def check_bundle(digest: str, own: str, place: str) -> None:
    """Check that a batch is of the bundle.

    Raises:
        ParameterError: it is of another.
    """
    if digest != own:
        raise ParameterError(
            f"{place}: these reports were made with another bundle (its SHA-256 begins with "
            f"{digest[:8]}, this one's with {own[:8]}); name that bundle"
        )


def _check_total(total: int, place: str) -> None:
    if total > MOST_REPORTS:
        raise ParameterError(f"{place}: more than 2^53 reports in all; check the counts")


def read_reports(
    paths: Sequence[Path],
    bundle: WordBundle,
    *,
    column: str | None = None,
    most_foreign: float = MOST_FOREIGN,
    setting: Stated | None = None,
    leave_out: bool = False,
    by: str | None = None,
    groups: Iterable[NDArray[np.intp]] = (),
) -> Reports:
    """Read files of reports, by their names' ends.

    Args:
        paths: tables, ``.json`` (one batch), ``.jsonl`` (one a line), or any other: text, words
            between white space.
        bundle: that the reports were made with.
        column: of privatized texts, in files as ``brr privatize`` writes them.
        most_foreign: share of reports that may have a word that isn't of the bundle.
        setting: that the batches were made with. By default, the one that most of them name; of
            two that as many name, the bundle's recommended one.
        leave_out: batches of another setting, instead of refusing all.
        by: what tells periods apart: one of ``calendar.UNITS``, or ``BY_FILE``.
        groups: ids of the words of each group whose total is asked for.

    Raises:
        ParameterError: a file isn't of its format, is given twice, is of another bundle, or has a
            batch of another setting, or one that doesn't say of which period it is; there are no
            reports, or too many foreign ones.
    """
    check_different(paths)
    if not paths:
        raise ParameterError("there are no files of reports; name one")
    tally, seen = Tally.of(bundle, groups), set[str]()
    for path in paths:
        period = str(path) if by == BY_FILE else _ALL
        unit = None if by == BY_FILE else by
        if column is None and has_batches(path):
            for batch, place in read_batches(path):
                check_bundle(batch.bundle, str(bundle.manifest["sha256"]), place)
                if batch.identity in seen:
                    tally.repeated += 1
                    continue
                seen.add(batch.identity)
                _add(tally, batch, place, unit_of(batch.period, unit, place) if unit else period)
            continue
        if unit:
            unit_of(None, unit, str(path))  # a table or a text names none
        before = tally.words.total
        for found in read_words(path, column):
            tally.words.add(period, found)
        if tally.words.total == before:
            raise ParameterError(f"{path}: there are no reports in it; check the file")
    order = [str(path) for path in paths] if by == BY_FILE else None
    return tally.reports(
        str(paths[0]), setting, leave_out=leave_out, most_foreign=most_foreign, order=order
    )


def _add(tally: Tally, batch: Batch, place: str, period: str) -> None:
    """Count a batch among those of its setting, unless no device has so many reports of a day."""
    group = tally.group(batch.setting)
    if is_oversized(batch, tally.bundle.counts, len(tally.words.ids)):
        group.oversized += 1
        group.add(0, place, None)
        return
    group.add(1, place, batch.period)
    group.sums.add_batch(period, batch, place)


def is_oversized(batch: Batch, own: CountsSetting | None, symbols: int) -> bool:
    """Return whether a batch has more reports than a device sends of a day with its setting."""
    most = words_a_day(batch.setting, own, symbols)
    return most is not None and sum(batch.counts.values()) > most


def check_different(paths: Iterable[Path]) -> None:
    """Refuse a file that is given twice, perhaps by another name: its reports would count twice.

    Raises:
        ParameterError: one is.
    """
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:  # its reader says so
            continue
        file = status.st_dev, status.st_ino
        if file in seen:
            raise ParameterError(f"{path}: given twice (as {seen[file]}); name each file once")
        seen[file] = path


def _chosen(tally: Tally, setting: Stated | None, leave_out: bool) -> Group | None:
    """Return the batches to take, if there are any."""
    groups = tally.groups
    if not groups:
        return None
    if setting is not None:
        taken = groups.get(identity(setting, tally.bundle))
        if taken is None:
            first = next(iter(groups.values()))
            raise ParameterError(
                f"{first.places[0]}: made with another setting than the given one, as all batches "
                "are; leave these out, or give theirs"
            )
    else:
        recommended = identity(RECOMMENDED, tally.bundle)
        ranks = {
            key: (group.batches, key is not None and key == recommended)
            for key, group in groups.items()
        }
        best, *rest = sorted(groups, key=lambda key: ranks[key], reverse=True)
        taken = groups[best]
        if rest and ranks[rest[0]] == ranks[best]:
            raise ParameterError(
                f"{groups[rest[0]].places[0]}: made with another setting than {taken.places[0]}, "
                "and as many batches have the one as the other; give the setting of those to take"
            )
    others = [g for g in groups.values() if g is not taken]
    count = sum(g.batches for g in others)
    if others and not leave_out:
        places = [place for g in others for place in g.places][:_SHOWN]
        more = f" and {count - len(places):,} more" if count > len(places) else ""
        raise ParameterError(
            f"{', '.join(places)}{more}: made with another setting than the other "
            f"{taken.batches:,} batches; leave out the others to go on without them"
        )
    return taken
