"""How often words were typed, from files of reports: what ``brr estimate`` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nextafter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting, Setting
from brrkit_counting.estimate.counts.changes import compare_counts
from brrkit_counting.estimate.counts.closed_form import Counted, estimate_counts
from brrkit_counting.estimate.mechanism import given, mechanism_of
from brrkit_counting.estimate.text.compare import FALSE_DISCOVERIES, PopulationComparison, compare
from brrkit_counting.estimate.text.estimate import FrequencyEstimate, estimate, grouped
from brrkit_counting.estimate.text.likelihood import Prior
from brrkit_counting.reports.files import is_plain_text
from brrkit_counting.reports.setting import FOR_COUNTS, Stated, words_a_day
from brrkit_counting.reports.spread import FEWEST, Spread
from brrkit_counting.reports.tally import (
    MOST_FOREIGN,
    Reports,
    check_different,
    read_reports,
)
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.shuffled import Shuffled, shuffled

DELTA = 1e-6
"""Of a central guarantee."""


@dataclass(frozen=True)
class Origin:
    """Where an estimate's reports came from.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        list_of: what the strings of a list are; None if the bundle isn't one.
        setting: that made them: the ``epsilon`` of text, per bit of Hamming distance, or of counts
            the ``cap``, what any two words lose in one report.
        foreign: number of reports that aren't of the bundle; left out.
        repeated: number of batches that came more than once; counted once.
        others: number of batches of other settings; left out.
        oversized: number of batches with more reports than a device sends of a day; left out.
        words_a_day: how many that are; None where nobody says.
        batches: number of batches that were counted.
        clustered: whether a batch counts as a cluster, so that intervals and changes are of the
            people that devices are drawn from; else they are of what these devices typed.
        period: first start and last end, as ``2026-11-16T00:00:00Z``; None if the reports name
            none.
    """

    bundle: str
    list_of: str | None
    setting: Mapping[str, float]
    foreign: int
    repeated: int
    others: int
    oversized: int
    words_a_day: int | None
    batches: int
    clustered: bool
    period: tuple[str, str] | None

    @classmethod
    def of(
        cls,
        bundle: WordBundle,
        setting: Mapping[str, float],
        reports: Reports,
        *,
        each: int | None = None,
    ) -> Origin:
        """Return where ``reports`` of a ``bundle`` came from, a device's day ``each`` at most."""
        digest = str(bundle.manifest["sha256"])
        left_out = reports.foreign, reports.repeated, reports.others, reports.oversized
        spreads = reports.spreads.values()
        clustered = "cap" in setting and any(each.batches >= FEWEST for each in spreads)
        counted = each, reports.batches, clustered, reports.period
        return cls(digest, bundle.list_of, setting, *left_out, *counted)


@dataclass(frozen=True)
class Frequencies:
    """How often words were typed.

    Attributes:
        origin: of the reports.
        estimate: the frequencies, with their 95% intervals.
        comparison: with other reports; None if there are none.
        shuffled: what the reports say of one reporter, if they were shuffled; None if not asked.
    """

    origin: Origin
    estimate: FrequencyEstimate
    comparison: PopulationComparison | None
    shuffled: Shuffled | None


def estimate_frequencies(
    bundle: WordBundle,
    reports: Sequence[str | os.PathLike[str]],
    *,
    setting: Setting | CountsSetting | None = None,
    compared: Sequence[str | os.PathLike[str]] = (),
    column: str | None = None,
    job: str | None = None,
    second_cap: float | None = None,
    repeats: int | None = None,
    prior: tuple[str | os.PathLike[str], float] | None = None,
    top: int = 20,
    words: Sequence[str] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    every: bool = True,
    simultaneous: bool = False,
    sum_to_one: bool = False,
    each: int | None = None,
    delta: float = DELTA,
    false_discoveries: float = FALSE_DISCOVERIES,
    most_foreign: float = MOST_FOREIGN,
    leave_out_others: bool = False,
    unexplained: bool = False,
    progress: bool = False,
) -> Frequencies:
    """Estimate how often each word was typed, from files of privatized words.

    They were made for counts (``brrkit.Counts``), or by the mechanism ``exponential`` without a
    keyed memory.

    Args:
        bundle: that the reports were made with, opened.
        reports: the files, as ``docs/reference/reports.md`` describes them: tables with the
            columns ``word`` and ``count``, ``.json`` (one batch), ``.jsonl`` (one a line), or any
            other: text, words between white space.
        setting: that the reports were made with: a ``Setting`` of text, whose base isn't
            ``bigram``, or a ``CountsSetting``. By default, ``job`` says which it is.
        compared: files of reports of another population, to find the words whose shares differ.
        column: of privatized texts; then all files are as ``privatize_file`` writes them.
        job: ``text`` or ``counts``: the reports were made with the bundle's setting for that. By
            default with the one that they name; else, with a ``column``, for text; else for
            counts, if the bundle has that setting. Plain text is refused where it has both.
        second_cap: with a ``CountsSetting``, if they were made with a keyed memory.
        repeats: with that: how often a device may send one word in a period of the memory.
        prior: a file of public frequencies, as reports are, and how many typed words it is worth;
            for reports of text. The intervals hold without it only.
        top: how many of the most frequent words get a wide interval; 0 or more.
        words: others that do.
        groups: words whose total share is asked for, by a name of the caller's; those that aren't
            in the vocabulary are left out.
        every: work out an interval for each word of the vocabulary, which takes longer where
            reports are of text.
        simultaneous: for counts: all intervals hold together with 95%, instead of each.
        sum_to_one: for counts: shares of which none is below 0, and which sum to 1 with that of
            unknown words, instead of unbiased ones.
        each: for counts that were shuffled: how many of the reports are one reporter's, at most;
            the result then has their central guarantee (``docs/how-to/count-words.md``,
            "If reports are shuffled").
        delta: with ``each``: of that guarantee.
        false_discoveries: expected share of the words that don't differ among those that are said
            to, at most; with ``compared``.
        most_foreign: share of reports that may have a word that isn't of the bundle; from 0 to 1.
        leave_out_others: leave out batches of another setting, instead of refusing them.
        unexplained: go on where the setting can't have made the reports; intervals are wrong then.
            With a prior that isn't known, so it isn't refused.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a file can't be used, is given twice, or has reports of another bundle or
            setting; the reports say nothing, or the setting can't have made them; a word isn't in
            the vocabulary; or a number is out of range.
    """
    if top < 0:
        raise ParameterError(f"top must be 0 or more, not {top}")
    if not 0 <= most_foreign <= 1:
        raise ParameterError(f"most_foreign must be from 0 to 1, not {most_foreign:g}")
    made_by = given(bundle, setting, second_cap, repeats, job)
    files, others = paths_of(reports), paths_of(compared)
    check_different([*files, *others])
    known = read_prior(Path(prior[0]), bundle, prior[1]) if prior else None
    members = list(members_by_name(groups, bundle).values())

    def read(paths: Sequence[Path]) -> Reports:
        return read_reports(
            paths,
            bundle,
            column=column,
            most_foreign=most_foreign,
            setting=made_by,
            leave_out=leave_out_others,
            groups=members,
        )

    first, second = read(files), read(others) if others else None
    populations = [each for each in (first, second) if each is not None]
    for one in populations:
        check_some(one)
    texts = column is not None
    plain = None if texts else next(filter(is_plain_text, [*files, *others]), None)
    made = mechanism_of(bundle, populations, made_by, texts=texts, plain=plain)
    counts = [one.counts for one in populations]
    central = None if each is None else _central(made, counts, each, delta)
    a_day = reports_a_day(bundle, made_by or first.setting)
    if isinstance(made, Counted):
        if known is not None:
            raise ParameterError("a prior is for reports of text; these were made for counts")
        if len(populations) > 1:
            check_clustered(populations, a_day)
        found, comparison = _of_counts(
            bundle,
            made,
            counts,
            [next(iter(one.spreads.values()), None) for one in populations],
            rate=false_discoveries,
            top=top,
            asked=words,
            groups=groups,
            simultaneous=int(simultaneous),
            sum_to_one=sum_to_one,
        )
        setting_of = {"cap": made.response.loss}
    else:
        if simultaneous or sum_to_one:
            raise ParameterError("simultaneous and sum_to_one are for reports made for counts")
        found, comparison = _of_text(
            bundle,
            made,
            counts,
            rate=false_discoveries,
            prior=known,
            top=top,
            words=words,
            groups=groups,
            every=every,
            progress=progress,
        )
        setting_of = {"epsilon": made.setting.epsilon}
    if not (unexplained or known):  # a prior pulls away from the best fit
        check_explained(found)
    origin = Origin.of(bundle, setting_of, first, each=a_day)
    return Frequencies(origin, found, comparison, central)


def members_by_name(
    groups: Mapping[str, Sequence[str]] | None, bundle: WordBundle
) -> dict[str, NDArray[np.intp]]:
    """Return the ids of the words of each group; see ``grouped``."""
    return grouped(groups, {word: i for i, word in enumerate(bundle.vocabulary)} if groups else {})


def check_some(reports: Reports) -> None:
    """Check that a report has a word of the bundle.

    Raises:
        ParameterError: none has.
    """
    if not len(reports):
        raise ParameterError("no report has a word of this bundle; name the bundle of the devices")


def reports_a_day(bundle: WordBundle, setting: Stated | None) -> int | None:
    """Return how many reports a device sends of a day; None where nobody says."""
    return words_a_day(setting or FOR_COUNTS, bundle.counts, len(bundle) + 1)


def check_clustered(populations: Sequence[Reports], each: int | None) -> None:
    """Check that reports say which are one device's, where it sends more than one a day.

    Args:
        populations: that are to be compared.
        each: how many reports a device sends of a day; None where nobody says.

    Raises:
        ParameterError: they don't.
    """
    if each is not None and each > 1 and not all(one.spreads for one in populations):
        raise ParameterError(
            f"a device sends up to {each:,} reports a day, and tables and texts don't say which "
            "are of one device, so a comparison would show changes that are none; give batches "
            "(.jsonl)"
        )


def paths_of(reports: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the paths of files of reports.

    Raises:
        ParameterError: it is one path.
    """
    if isinstance(reports, str | os.PathLike):
        raise ParameterError("files of reports are a list of paths, not one path; give a list")
    return [Path(path) for path in reports]


def check_explained(found: FrequencyEstimate, name: str = "") -> None:
    """Check that the setting can have made the reports.

    Args:
        found: from the reports.
        name: what messages begin with, if they are some of several.

    Raises:
        ParameterError: it can't.
    """
    if not found.explained:
        raise ParameterError(
            f"{name}this setting can't have made these reports: they are "
            f"{found.misfit:,.0f} standard deviations from any that it makes, so shares and "
            "intervals would be wrong; name the setting that made them, or find out who sent "
            "others; --unexplained goes on"
        )


def _central(
    made: Counted | Channel, counts: Sequence[NDArray[np.int64]], each: int, delta: float
) -> Shuffled:
    """Return what shuffled reports say of one reporter, of whom ``each`` are at most."""
    if not isinstance(made, Counted):
        raise ParameterError("what a shuffler adds is known of reports made for counts only")
    if len(counts) > 1:
        raise ParameterError(
            "two populations are two shuffles, and a reporter may be in both; ask for each alone"
        )
    if made.repeats > 1 and each > 1:
        raise ParameterError(
            "with a keyed memory a reporter's reports share first draws, and only one report of "
            "each reporter in a period of the memory has a central guarantee; give 1, if that is so"
        )
    response = made.response
    kept = nextafter(response.kept, 1)  # not below the exact one
    return shuffled(kept, response.symbols, int(counts[0].sum()), each, delta)


def _of_counts(
    bundle: WordBundle,
    made: Counted,
    counts: Sequence[NDArray[np.int64]],
    spreads: Sequence[Spread | None],
    *,
    rate: float,
    **options: Any,
) -> tuple[FrequencyEstimate, PopulationComparison | None]:
    words = list(bundle.vocabulary)
    made.check_informative(counts[0])
    found = estimate_counts(words, made, counts[0], spread=spreads[0], **options)
    if len(counts) == 1:
        return found, None
    return found, compare_counts(words, made, *counts, rate=rate, spreads=spreads)


def _of_text(
    bundle: WordBundle,
    made: Channel,
    counts: Sequence[NDArray[np.int64]],
    *,
    rate: float,
    progress: bool,
    **options: Any,
) -> tuple[FrequencyEstimate, PopulationComparison | None]:
    channel = made.linear
    of_words = [each[:-1] for each in counts]
    found = estimate(bundle, channel, of_words[0], progress=progress, **options)
    if len(counts) == 1:
        return found, None
    return found, compare(bundle, channel, of_words[0], of_words[1], rate=rate, progress=progress)


def read_prior(path: Path, bundle: WordBundle, weight: float) -> Prior:
    """Return public frequencies as a prior.

    Args:
        path: a file as reports are, of words as they are typed. Words outside the vocabulary are
            the unknown ones. One is added to each count, so that nothing is impossible.
        bundle: has the vocabulary.
        weight: how many typed words the prior is worth.

    Raises:
        ParameterError: the file can't be read, or the weight isn't positive.
    """
    if not 0 < weight < float("inf"):
        raise ParameterError(f"a prior's weight must be a positive number, not {weight:g}")
    known = read_reports([path], bundle, most_foreign=1.0)
    shares = known.counts + 1.0
    shares[-1] += known.foreign
    return Prior(shares / shares.sum(), weight)
