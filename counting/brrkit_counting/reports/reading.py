"""Reading and counting of reports from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.reports.batch import MOST_FOREIGN
from brrkit_counting.reports.calendar import unit_of
from brrkit_counting.reports.files import has_batches, read_batches, read_words
from brrkit_counting.reports.setting import StatedSetting
from brrkit_counting.reports.tally import Reports, Tally, check_bundle

BY_FILE = "file"
"""A division in which each file is a period."""

_ONE_PERIOD = ""
"""The period of reports without a division into periods."""


def read_reports(
    paths: Sequence[Path],
    bundle: WordBundle,
    *,
    column: str | None = None,
    most_foreign: float = MOST_FOREIGN,
    stated: StatedSetting | None = None,
    leave_out_others: bool = False,
    by: str | None = None,
    groups: Iterable[NDArray[np.intp]] = (),
) -> Reports:
    """Read files of reports, by their suffixes.

    Args:
        paths: tables, ``.json`` (one batch), ``.jsonl`` (one batch a line), or any other files:
            text with words between white space.
        bundle: the bundle that made the reports.
        column: column of privatized texts, if ``brr privatize`` wrote the files.
        most_foreign: largest share of reports with words outside the bundle.
        stated: the setting that made the batches. By default, the one that most of them name; in a
            tie, the bundle's recommended one.
        leave_out_others: leave out batches of another setting, instead of refusing all.
        by: division into periods: one of ``calendar.UNITS``, or ``BY_FILE``.
        groups: ids of the words of each group with a wanted total.

    Raises:
        ParameterError: a file isn't in its format, is given twice, is of another bundle, or has a
            batch of another setting, or one without a period; or there are no reports, or too many
            with foreign words.
    """
    check_different(paths)
    if not paths:
        raise ParameterError("there are no files of reports; give at least one")
    tally, seen = Tally.of(bundle, groups), set[str]()
    unit = None if by == BY_FILE else by
    for path in paths:
        period = str(path) if by == BY_FILE else _ONE_PERIOD
        if column is None and has_batches(path):
            for batch, place in read_batches(path):
                check_bundle(batch.bundle, str(bundle.manifest["sha256"]), place)
                if batch.identity in seen:
                    tally.repeated += 1
                    continue
                seen.add(batch.identity)
                tally.add(batch, place, unit_of(batch.period, unit, place) if unit else period)
            continue
        if unit:
            unit_of(None, unit, str(path))  # a table or a text names no period
        before = tally.words.total
        for found in read_words(path, column):
            tally.words.add(period, found)
        if tally.words.total == before:
            raise ParameterError(f"{path}: has no reports; check the file")
    return tally.reports(
        str(paths[0]),
        stated,
        leave_out_others=leave_out_others,
        most_foreign=most_foreign,
        order=[str(path) for path in paths] if by == BY_FILE else None,
    )


def check_different(paths: Iterable[Path]) -> None:
    """Raise an error if a file is given twice, even by another name: its reports would count twice.

    Raises:
        ParameterError: a file is given twice.
    """
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:  # its reader reports the error
            continue
        file = status.st_dev, status.st_ino
        if file in seen:
            raise ParameterError(f"{path}: given twice (as {seen[file]}); name each file once")
        seen[file] = path
