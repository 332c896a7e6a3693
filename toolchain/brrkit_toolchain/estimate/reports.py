"""Reports counted: how often each word came out, as files of reports say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.counts import UNKNOWN
from brrkit.errors import ParameterError
from brrkit_toolchain.estimate.batch import MOST_REPORTS, Batch
from brrkit_toolchain.estimate.report_files import Words, has_batches, read_batches, read_words
from brrkit_toolchain.estimate.settings import RECOMMENDED, Identity, Stated, identity

MOST_FOREIGN = 0.01
"""Share of reports that may have words that aren't the bundle's."""

_FOREIGN = -1  # instead of the id of a word
_SHOWN = 3  # lines that a message names


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
    """

    counts: NDArray[np.int64]
    foreign: int
    setting: Stated | None
    place: str | None
    period: tuple[str, str] | None
    batches: int
    repeated: int
    others: int

    def __len__(self) -> int:
        return int(self.counts.sum())


@dataclass
class _Tally:
    """What has been read so far."""

    bundle: WordBundle
    ids: Mapping[str, int]
    counts: Counter[int] = field(default_factory=Counter)
    total: int = 0
    batches: set[str] = field(default_factory=set)
    repeated: int = 0
    groups: dict[Identity | None, _Group] = field(default_factory=dict)

    def add(self, found: Words) -> None:
        """Count what a table or a text says."""
        for word, count in zip(found.words, found.counts, strict=True):
            self.counts[self.ids.get(word, _FOREIGN)] += count
        before = self.total
        self.total += sum(found.counts)
        if self.total > MOST_REPORTS:
            totals = accumulate(found.counts, initial=before)
            within = sum(total <= MOST_REPORTS for total in totals)
            _check_total(self.total, found.place(within - 1))

    def add_batch(self, batch: Batch, place: str) -> None:
        """Count a batch among those of its setting."""
        own = str(self.bundle.manifest["sha256"])
        if batch.bundle != own:
            raise ParameterError(
                f"{place}: these reports were made with another bundle (its SHA-256 begins with "
                f"{batch.bundle[:8]}, this one's with {own[:8]}); name that bundle"
            )
        if batch.identity in self.batches:
            self.repeated += 1
            return
        self.batches.add(batch.identity)
        key = identity(batch.setting, self.bundle)
        self.groups.setdefault(key, _Group(batch.setting)).add(batch, self.ids, place)


@dataclass
class _Group:
    """Batches of one setting."""

    setting: Stated
    counts: Counter[int] = field(default_factory=Counter)
    total: int = 0
    places: list[str] = field(default_factory=list)
    batches: int = 0
    period: tuple[str, str] | None = None

    def add(self, batch: Batch, ids: Mapping[str, int], place: str) -> None:
        self.batches += 1
        if len(self.places) < _SHOWN:
            self.places.append(place)
        if batch.period is not None:
            start, end = batch.period
            old = self.period or batch.period
            self.period = min(old[0], start), max(old[1], end)
        for word, count in batch.counts.items():
            self.counts[ids.get(word, _FOREIGN)] += count
        self.total += sum(batch.counts.values())
        _check_total(self.total, place)


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

    Raises:
        ParameterError: a file isn't of its format, is given twice, is of another bundle, or has a
            batch of another setting; there are no reports, or too many foreign ones.
    """
    check_different(paths)
    if not paths:
        raise ParameterError("there are no files of reports; name one")
    ids = {bundle.vocabulary.word(i): i for i in range(len(bundle))} | {UNKNOWN: len(bundle)}
    tally = _Tally(bundle, ids)
    for path in paths:
        if column is None and has_batches(path):
            for batch, place in read_batches(path):
                tally.add_batch(batch, place)
            continue
        before = tally.total
        for found in read_words(path, column):
            tally.add(found)
        if tally.total == before:
            raise ParameterError(f"{path}: there are no reports in it; check the file")
    group = _chosen(tally, setting, leave_out)
    counts = tally.counts if group is None else tally.counts + group.counts
    total = counts.total()
    if not total:
        raise ParameterError(f"{paths[0]}: there are no reports in it; check the file")
    _check_total(total, str(paths[0]))
    foreign = counts[_FOREIGN]
    if foreign > most_foreign * total:
        raise ParameterError(
            f"{paths[0]}: {foreign:,} of {total:,} reports have words that can't come "
            f"out of this bundle, more than a share of {most_foreign:g}; name the bundle that the "
            "devices had, or find out who sent these"
        )
    of_words = np.array([counts[i] for i in range(len(bundle) + 1)], np.int64)
    if group is None:
        return Reports(of_words, foreign, None, None, None, 0, tally.repeated, 0)
    return Reports(
        of_words,
        foreign,
        group.setting,
        group.places[0],
        group.period,
        group.batches,
        tally.repeated,
        len(tally.batches) - group.batches,
    )


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


def _chosen(tally: _Tally, setting: Stated | None, leave_out: bool) -> _Group | None:
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
