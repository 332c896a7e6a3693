"""Frequencies of typed words, estimated from files of reports, for ``brr estimate``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.estimate.counts.changes import compare_counts
from brrkit_counting.estimate.counts.closed_form import CountsChannel, estimate_counts
from brrkit_counting.estimate.differences import PopulationComparison
from brrkit_counting.estimate.mechanism import mechanism_of, setting_from_caller
from brrkit_counting.estimate.options import FrequencyOptions
from brrkit_counting.estimate.origin import (
    Origin,
    check_clustered,
    check_explained,
    check_some,
    paths_of,
)
from brrkit_counting.estimate.shares import FrequencyEstimate, group_ids
from brrkit_counting.estimate.text.compare import compare_text
from brrkit_counting.estimate.text.estimate import estimate_text
from brrkit_counting.estimate.text.likelihood import Prior
from brrkit_counting.reports.files import is_plain_text
from brrkit_counting.reports.reading import check_different, read_reports
from brrkit_counting.reports.tally import Reports
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.privacy_loss.shuffled import ShufflingGuarantee, shuffling_guarantee


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of typed words.

    Attributes:
        origin: origin of the reports.
        estimate: the frequencies, with their 95% intervals.
        comparison: comparison with another population; None without one.
        shuffled: the central guarantee of one reporter if the reports were shuffled; None if it
            wasn't asked for.
    """

    origin: Origin
    estimate: FrequencyEstimate
    comparison: PopulationComparison | None
    shuffled: ShufflingGuarantee | None


def estimate_frequencies(
    bundle: WordBundle,
    reports: Sequence[str | os.PathLike[str]],
    options: FrequencyOptions = FrequencyOptions(),  # noqa: B008 - frozen
    *,
    progress: bool = False,
) -> Frequencies:
    """Estimate the frequency of each typed word from files of privatized words.

    The words come from ``brrkit.Counts``, or from the mechanism ``exponential`` without a keyed
    memory.

    Args:
        bundle: the opened bundle that made the reports.
        reports: the files, in the forms of ``spec/reports.md``: tables with the columns ``word``
            and ``count``, ``.json`` (one batch), ``.jsonl`` (one batch a line), or any other: text
            with words between white space.
        options: the wanted results, and what is known about the reports.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: a file can't be used, is given twice, or has reports of another bundle or
            setting; no report has a word of the bundle; the setting can't have made the reports; a
            word isn't in the vocabulary; or a number is out of range.
    """
    if options.top < 0:
        raise ParameterError(f"top must be 0 or more, not {options.top}")
    if not 0 <= options.most_foreign <= 1:
        raise ParameterError(f"most_foreign must be from 0 to 1, not {options.most_foreign:g}")
    stated = setting_from_caller(bundle, options, options.job)
    files, compared = paths_of(reports), paths_of(options.compared)
    check_different([*files, *compared])
    prior = read_prior(bundle, *options.prior) if options.prior else None
    groups = list(group_ids(options.groups, bundle.vocabulary).values())

    def read(paths: Sequence[Path]) -> Reports:
        return read_reports(
            paths,
            bundle,
            column=options.column,
            most_foreign=options.most_foreign,
            stated=stated,
            leave_out_others=options.leave_out_others,
            groups=groups,
        )

    populations = [read(files), read(compared)] if compared else [read(files)]
    for population in populations:
        check_some(population)
    texts = options.column is not None
    plain = None if texts else next(filter(is_plain_text, [*files, *compared]), None)
    channel = mechanism_of(bundle, populations, stated, texts=texts, plain=plain)
    central = _central(channel, populations, options)
    origin = Origin.of(bundle, channel, populations[0], stated)
    if isinstance(channel, CountsChannel):
        if prior is not None:
            raise ParameterError("a prior applies only to reports of text; leave out the prior")
        if len(populations) > 1:
            check_clustered(populations, origin.words_a_day)
        found, comparison = _of_counts(bundle, channel, populations, options)
    else:
        if options.simultaneous or options.sum_to_one:
            raise ParameterError(
                "sum_to_one and simultaneous apply only to reports made for counts; leave them out"
            )
        found, comparison = _of_text(bundle, channel, populations, options, prior, progress)
    if not (options.unexplained or prior):  # with a prior, the result isn't the best fit
        check_explained(found)
    return Frequencies(origin, found, comparison, central)


def _central(
    channel: CountsChannel | Channel, populations: Sequence[Reports], options: FrequencyOptions
) -> ShufflingGuarantee | None:
    """Return the central guarantee of one reporter of shuffled reports, if it is asked for."""
    most = options.per_reporter
    if most is None:
        return None
    if not isinstance(channel, CountsChannel):
        raise ParameterError("per_reporter applies only to reports made for counts; leave it out")
    if len(populations) > 1:
        raise ParameterError(
            "per_reporter applies to one shuffle, and a reporter may be in both populations; "
            "estimate each population alone"
        )
    if channel.repeats > 1 and most > 1:
        raise ParameterError(
            "with a keyed memory, a reporter's reports share first draws, so per_reporter must be "
            "1; use 1 only if each reporter sends at most one report in a period of the memory"
        )
    assert channel.kept is not None  # known for the channel of a setting
    symbols = channel.response.symbols
    return shuffling_guarantee(channel.kept, symbols, len(populations[0]), most, options.delta)


def _of_counts(
    bundle: WordBundle,
    channel: CountsChannel,
    populations: Sequence[Reports],
    options: FrequencyOptions,
) -> tuple[FrequencyEstimate, PopulationComparison | None]:
    words = list(bundle.vocabulary)
    counts = [each.counts for each in populations]
    spreads = [next(iter(each.spreads.values()), None) for each in populations]
    channel.check_informative(counts[0])
    found = estimate_counts(words, channel, counts[0], options, top=options.top, spread=spreads[0])
    if len(populations) == 1:
        return found, None
    rate = options.false_discoveries
    return found, compare_counts(words, channel, *counts, rate=rate, spreads=spreads)


def _of_text(
    bundle: WordBundle,
    channel: Channel,
    populations: Sequence[Reports],
    options: FrequencyOptions,
    prior: Prior | None,
    progress: bool,
) -> tuple[FrequencyEstimate, PopulationComparison | None]:
    counts = [each.counts[:-1] for each in populations]
    linear, rate = channel.linear, options.false_discoveries
    found = estimate_text(bundle, linear, counts[0], options, prior=prior, progress=progress)
    if len(populations) == 1:
        return found, None
    return found, compare_text(bundle, linear, *counts, rate=rate, progress=progress)


def read_prior(bundle: WordBundle, path: str | os.PathLike[str], weight: float) -> Prior:
    """Return public frequencies as a prior.

    Args:
        bundle: a bundle with the vocabulary.
        path: a file in a form of reports, but with typed words. Words outside the vocabulary count
            as unknown. One is added to each count, so that no word is impossible.
        weight: number of typed words that the prior is worth.

    Raises:
        ParameterError: the file can't be read, or the weight isn't positive.
    """
    if not 0 < weight < float("inf"):
        raise ParameterError(f"a prior's weight must be a positive number, not {weight:g}")
    known = read_reports([Path(path)], bundle, most_foreign=1.0)
    shares = known.counts + 1.0
    shares[-1] += known.foreign
    return Prior(shares / shares.sum(), weight)
