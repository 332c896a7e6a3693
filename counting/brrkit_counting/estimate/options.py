"""The options of ``brr estimate``: the wanted results, and how reports are read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit.setting import CountsSetting, Setting
from brrkit_counting.reports.batch import MOST_FOREIGN

DELTA = 1e-6
"""Default delta of a central guarantee."""

FALSE_DISCOVERIES = 0.05
"""Default for the largest expected share of false discoveries."""


@dataclass(frozen=True)
class EstimateOptions:
    """Options of every estimate.

    Attributes:
        setting: the setting that made the reports: a ``Setting`` for text, but with another base
            than ``bigram``, or a ``CountsSetting``. By default the setting that the reports name,
            or else the bundle's.
        second_cap: cap of the second draws, with a ``CountsSetting`` and a keyed memory.
        repeats: with ``second_cap``: the largest number of reports of one word that a device may
            send in a period of the memory.
        words: words whose shares ``FrequencyEstimate.asked`` returns.
        groups: groups of words whose total shares are wanted, by a name of your choice. Words
            outside the vocabulary are left out.
        simultaneous: for counts: make all intervals, of all periods, hold together with 95%
            confidence, and not one by one.
        sum_to_one: for counts: return shares that are at least 0, and sum to 1 with the share of
            unknown words, instead of unbiased shares.
        false_discoveries: largest expected share of false discoveries, among all discoveries.
        most_foreign: largest share of reports with words that the bundle lacks, from 0 to 1.
        leave_out_others: leave out batches of other settings, instead of refusing them.
        unexplained: continue even if the setting can't have made the reports. Intervals are then
            wrong. With a prior, this can't be tested, so nothing is refused.
    """

    setting: Setting | CountsSetting | None = None
    second_cap: float | None = None
    repeats: int | None = None
    words: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] | None = None
    simultaneous: bool = False
    sum_to_one: bool = False
    false_discoveries: float = FALSE_DISCOVERIES
    most_foreign: float = MOST_FOREIGN
    leave_out_others: bool = False
    unexplained: bool = False


@dataclass(frozen=True)
class FrequencyOptions(EstimateOptions):
    """Further options of ``estimate_frequencies``.

    Attributes:
        job: ``text`` or ``counts``, instead of a ``setting``: the reports were made with the
            bundle's setting for this job. By default, the reports name their setting; otherwise it
            is for text if there is a ``column``, or else for counts if the bundle has such a
            setting. Plain text is refused if the bundle has both.
        column: column of privatized texts, if ``privatize_file`` wrote all files.
        compared: files of reports of another population, to find the words whose shares differ.
        prior: for reports of text: a file of public frequencies, in a form of reports, and the
            number of typed words that it is worth. Intervals are valid only without a prior.
        top: number of the most frequent words that ``FrequencyEstimate.top`` returns; 0 or more.
        every: compute an interval for each word of the vocabulary, which takes longer with reports
            of text. Other intervals are from 0 to 1.
        per_reporter: for shuffled counts: the largest number of reports from one reporter. The
            result then has their central guarantee (``docs/how-to/count-words.md``, "If reports are
            shuffled").
        delta: with ``per_reporter``: delta of this guarantee.
    """

    job: str | None = None
    column: str | None = None
    compared: Sequence[str | os.PathLike[str]] = ()
    prior: tuple[str | os.PathLike[str], float] | None = None
    top: int = 20
    every: bool = True
    per_reporter: int | None = None
    delta: float = DELTA


@dataclass(frozen=True)
class GroupFiles:
    """Files of groups of words whose total shares are wanted.

    Attributes:
        lists: files with the words of one group, one a line; the group's name is the file's path.
        groups_file: a table with columns ``word`` and ``group``.
    """

    lists: Sequence[Path] = ()
    groups_file: Path | None = None
