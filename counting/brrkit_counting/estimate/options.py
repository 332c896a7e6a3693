"""What is asked of reports, and how they are taken: the options of ``brr estimate``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit.setting import CountsSetting, Setting
from brrkit_counting.reports.batch import MOST_FOREIGN

DELTA = 1e-6
"""Of a central guarantee."""

FALSE_DISCOVERIES = 0.05
"""Expected share of words that don't differ among those that are said to, at most."""


@dataclass(frozen=True)
class EstimateOptions:
    """Options of every estimate.

    Attributes:
        setting: that made the reports: a ``Setting`` of text, whose base isn't ``bigram``, or a
            ``CountsSetting``. By default the one that they name, or else the bundle's.
        second_cap: with a ``CountsSetting``, if they were made with a keyed memory.
        repeats: with that: how often a device may send one word in a period of the memory.
        words: that ``FrequencyEstimate.asked`` has.
        groups: words whose total share is asked for, by a name of the caller's; those that aren't
            in the vocabulary are left out.
        simultaneous: for counts: all intervals, of all periods, hold together with 95%, instead of
            each.
        sum_to_one: for counts: shares of which none is below 0, and which sum to 1 with that of
            unknown words, instead of unbiased ones.
        false_discoveries: expected share of what doesn't differ among all that is said to, at most.
        most_foreign: share of reports that may have a word that isn't of the bundle; from 0 to 1.
        leave_out_others: leave out batches of another setting, instead of refusing them.
        unexplained: go on where the setting can't have made the reports; intervals are wrong then.
            With a prior that isn't known, so it isn't refused.
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
            bundle's setting for that. By default with the one that they name; else, with a
            ``column``, for text; else for counts, if the bundle has that setting. Plain text is
            refused where it has both.
        column: of privatized texts; then all files are as ``privatize_file`` writes them.
        compared: files of reports of another population, to find the words whose shares differ.
        prior: a file of public frequencies, as reports are, and how many typed words it is worth;
            for reports of text. The intervals hold without it only.
        top: how many of the most frequent words get a wide interval; 0 or more.
        every: work out an interval for each word of the vocabulary, which takes longer where
            reports are of text; those that aren't worked out are from 0 to 1.
        per_reporter: for counts that were shuffled: how many of the reports are one reporter's, at
            most; the result then has their central guarantee (``docs/how-to/count-words.md``,
            "If reports are shuffled").
        delta: with ``per_reporter``: of that guarantee.
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
    """Files of groups of words whose total is asked for.

    Attributes:
        lists: each has the words of a group that is called as the file, one a line.
        groups_file: a table with columns ``word`` and ``group``.
    """

    lists: Sequence[Path] = ()
    groups_file: Path | None = None
