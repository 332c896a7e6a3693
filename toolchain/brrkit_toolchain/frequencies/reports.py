"""Read reports: privatized words that devices sent. The formats are in ``docs/reports.md``.

Whoever wrote a file may have erred or lied. Messages name the file and the place, never a word: one
that isn't of the bundle may be a word as it was typed.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle, strict_json
from brrkit.errors import ParameterError
from brrkit_toolchain.frequencies.settings import (
    RECOMMENDED,
    Identity,
    Stated,
    identity,
    is_setting,
)
from brrkit_toolchain.system.columns import place_of
from brrkit_toolchain.system.files import numbered_lines, open_input

FORMAT = "brr-reports"
FORMAT_VERSION = 1
WORD, COUNT = "word", "count"
"""Columns of tables."""

MOST_REPORTS = 2**53
"""In all: up to here every count is exact as a double."""

LARGEST_LINE = 1 << 24
"""Bytes of a line of text, CSV or JSON: a batch of reports, say."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_BATCH = re.compile(r"[0-9a-f]{32}")
_INTEGER = re.compile(r"[0-9]{1,16}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_FOREIGN = -1  # instead of the id of a word
_SHOWN = 3  # lines that a message names
_FIELDS = {"format", "format_version", "bundle", "setting", "batch", "period", "counts", "words"}


@dataclass(frozen=True)
class Reports:
    """Reports, counted.

    Attributes:
        counts: int64[n], how often each word of the vocabulary came out.
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


@dataclass(frozen=True)
class Batch:
    """What one batch says.

    Attributes:
        bundle: SHA-256 of the bundle.
        setting: that it says it was made with.
        identity: its id, 32 hexadecimal digits.
        period: its start and end, if it names one.
        counts: how often each word came out.
    """

    bundle: str
    setting: Stated
    identity: str
    period: tuple[str, str] | None
    counts: Mapping[str, int]


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

    def add(self, word: str, count: int, place: str) -> None:
        """Count what a table or a text says."""
        self.counts[self.ids.get(word, _FOREIGN)] += count
        self.total += count
        _check_total(self.total, place)

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
    most_foreign: float = 0.01,
    setting: Stated | None = None,
    leave_out: bool = False,
) -> Reports:
    """Read files of reports, by their names' ends.

    Args:
        paths: ``.parquet``, ``.csv``, ``.json`` (one batch), ``.jsonl`` (one a line), or any other:
            text, words between white space.
        bundle: that the reports were made with.
        column: of privatized texts, in files as ``brr privatize`` writes them: ``.csv``,
            ``.jsonl``, ``.ndjson``, ``.parquet``, ``.txt``.
        most_foreign: share of reports that may have a word that isn't of the bundle.
        setting: that the batches were made with. By default, the one that most of them name; of
            two that as many name, the bundle's recommended one.
        leave_out: batches of another setting, instead of refusing all.

    Raises:
        ParameterError: a file isn't of its format, is given twice, is of another bundle, or has a
            batch of another setting; there are no reports, or too many foreign ones.
    """
    check_different(paths)
    tally = _Tally(bundle, {bundle.vocabulary.word(i): i for i in range(len(bundle))})
    for path in paths:
        before = tally.total
        if column is not None:
            _read_texts(path, column, tally)
        elif path.suffix == ".parquet":
            _read_parquet(path, tally)
        elif path.suffix == ".csv":
            _read_csv(path, tally)
        elif path.suffix in (".json", ".jsonl"):
            _read_batches(path, tally)
        else:
            _read_text(path, tally)
        batched = column is None and path.suffix in (".json", ".jsonl")
        if tally.total == before and not batched:
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
    of_words = np.array([counts[i] for i in range(len(bundle))], np.int64)
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
                f"{first.places[0]}: made with another setting than --epsilon and --radius, as all "
                "batches are; leave these options out"
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
                "and as many batches have the one as the other; say which by --epsilon and --radius"
            )
    others = [g for g in groups.values() if g is not taken]
    count = sum(g.batches for g in others)
    if others and not leave_out:
        places = [place for g in others for place in g.places][:_SHOWN]
        more = f" and {count - len(places):,} more" if count > len(places) else ""
        raise ParameterError(
            f"{', '.join(places)}{more}: made with another setting than the other "
            f"{taken.batches:,} batches; --leave-out-others goes on without"
        )
    return taken


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbers and lines of a UTF-8 file of any length; a byte order mark goes."""
    try:
        with open_input(path) as file:
            remedy = "a Parquet file's name ends with .parquet"
            yield from numbered_lines(file, str(path), LARGEST_LINE, remedy=remedy)
    except OSError as error:
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None


def _whole(path: Path) -> str:
    """Return a UTF-8 file of ``LARGEST_LINE`` bytes at most."""
    text = "".join(line for _, line in _lines(path))
    if len(text) > LARGEST_LINE:
        raise ParameterError(
            f"{path}: more than {LARGEST_LINE:,} bytes; write batches as .jsonl, one a line"
        )
    return text


def _read_text(path: Path, tally: _Tally) -> None:
    for number, line in _lines(path):
        for word, count in Counter(line.split()).items():
            tally.add(word, count, f"{path}: line {number}")


def _read_texts(path: Path, column: str, tally: _Tally) -> None:
    from brrkit_toolchain.corpus.files import SUFFIXES, format_of, opened

    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(
            f"{path}: a column is of a file named {', '.join(SUFFIXES)}; leave out --column, or "
            "rename the file"
        )
    with opened(path, format_of(path), [column], []) as source:
        for batch in source.batches:
            texts = filter(None, batch.column(column).to_pylist())
            for word, count in Counter(word for text in texts for word in text.split()).items():
                tally.add(word, count, str(path))


def _read_csv(path: Path, tally: _Tally) -> None:
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for at, line in _lines(path):
            number = at
            if "\0" in line:
                raise ParameterError(f"{path}: line {at} has a zero byte; check the file")
            yield line

    try:
        rows = csv.reader(texts(), strict=True)
        header = next(rows, [])
        word_at, count_at = (place_of(path, header, name) for name in (WORD, COUNT))
        for row in rows:
            place = f"{path}: line {number}"
            if not row:
                continue
            if len(row) != len(header):
                raise ParameterError(
                    f"{place} has {len(row)} columns where the first line names {len(header)}; "
                    "repair the line"
                )
            if not _INTEGER.fullmatch(row[count_at]):
                raise ParameterError(
                    f"{place}: the {COUNT} isn't a whole number from 0 to 2^53; repair the line"
                )
            tally.add(row[word_at], int(row[count_at]), place)
    except csv.Error as error:
        raise ParameterError(f"{path}: line {number} isn't CSV ({error}); repair it") from None


def _read_parquet(path: Path, tally: _Tally) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_input(path) as file, pq.ParquetFile(file) as table:
            schema = table.schema_arrow
            for name, is_kind, kind in (
                (WORD, _is_text, "text"),
                (COUNT, pa.types.is_integer, "integers"),
            ):
                if schema.names.count(name) != 1 or not is_kind(schema.field(name).type):
                    raise ParameterError(
                        f"{path}: there is no column {name!r} of {kind}, or several; it needs "
                        f"{WORD!r} and {COUNT!r}"
                    )
            row = 0
            for batch in table.iter_batches(1 << 16, columns=[WORD, COUNT]):
                words, counts = (batch.column(name).to_pylist() for name in (WORD, COUNT))
                for word, count in zip(words, counts, strict=True):
                    row += 1
                    place = f"{path}: row {row}"
                    if word is None or count is None:
                        raise ParameterError(f"{place} has an empty field; repair the row")
                    if not 0 <= count <= MOST_REPORTS:
                        raise ParameterError(
                            f"{place}: the {COUNT} isn't a whole number from 0 to 2^53; repair it"
                        )
                    tally.add(word, count, place)
    except OSError as error:
        if error.strerror is None:  # Arrow's own, of what is in the file
            raise ParameterError(f"{path}: a damaged Parquet file; write it again") from None
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None
    except (pa.ArrowException, UnicodeDecodeError):
        raise ParameterError(
            f"{path}: not a Parquet file, or a damaged one; write it again"
        ) from None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _read_batches(path: Path, tally: _Tally) -> None:
    if path.suffix == ".json":
        texts: Iterable[tuple[str, str]] = [(str(path), _whole(path))]
    else:
        texts = ((f"{path}: line {number}", line) for number, line in _lines(path) if line.strip())
    for place, text in texts:
        tally.add_batch(read_batch(text.encode(), place), place)


def read_batch(content: bytes, place: str) -> Batch:
    """Read one batch.

    Args:
        content: JSON; the caller limits its size.
        place: how messages name it.

    Raises:
        ParameterError: it isn't as in ``docs/reports.md``.
    """

    def check(valid: bool, field: str) -> None:
        if not valid:
            raise ParameterError(
                f"{place}: field {field!r} is missing or wrong; see docs/reports.md"
            )

    try:
        batch = strict_json.parse(content)
    except ValueError:
        raise ParameterError(f"{place}: not JSON as in docs/reports.md; repair it") from None
    if not isinstance(batch, dict):
        raise ParameterError(f"{place}: not a JSON object; see docs/reports.md")
    if not set(batch) <= _FIELDS:  # its name isn't shown: it may be a word
        raise ParameterError(f"{place}: there is an unknown field; see docs/reports.md")
    check(batch.get("format") == FORMAT, "format")
    version = batch.get("format_version")
    check(type(version) is int and version == FORMAT_VERSION, "format_version")
    digest, identity = batch.get("bundle"), batch.get("batch")
    check(isinstance(digest, str) and bool(_DIGEST.fullmatch(digest)), "bundle")
    check(isinstance(identity, str) and bool(_BATCH.fullmatch(identity)), "batch")
    setting = batch.get("setting")
    check(is_setting(setting), "setting")
    period = batch.get("period")
    check("period" not in batch or _is_period(period), "period")
    check(("counts" in batch) != ("words" in batch), "counts")
    words = batch["counts"] if "counts" in batch else batch["words"]
    if "counts" in batch:
        check(isinstance(words, dict) and all(map(_is_count, words.values())), "counts")
    else:
        check(isinstance(words, list) and all(isinstance(word, str) for word in words), "words")
        words = Counter(words)
    return Batch(
        str(digest),
        batch["setting"],
        str(identity),
        (period["start"], period["end"]) if isinstance(period, dict) else None,
        words,
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_REPORTS


def _is_period(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != {"start", "end"}:
        return False
    times = [value["start"], value["end"]]
    return all(map(_is_time, times)) and times[0] <= times[1]


def _is_time(value: object) -> bool:
    """Return whether it is a time as 2026-11-16T00:00:00Z; two such are ordered as their texts."""
    if not (isinstance(value, str) and _TIME.fullmatch(value)):
        return False
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return False
    return True
