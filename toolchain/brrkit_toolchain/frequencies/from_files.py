"""How often words were typed, from files of reports: what ``brr estimate`` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import DEFAULT_MECHANISM, Mechanism
from brrkit_toolchain.frequencies.channel import open_channel, weighted
from brrkit_toolchain.frequencies.compare import FALSE_DISCOVERIES, PopulationComparison, compare
from brrkit_toolchain.frequencies.estimate import FrequencyEstimate, estimate
from brrkit_toolchain.frequencies.likelihood import Prior
from brrkit_toolchain.frequencies.reports import (
    MOST_FOREIGN,
    Reports,
    check_different,
    read_reports,
)
from brrkit_toolchain.frequencies.settings import (
    SECOND_EPSILON,
    Stated,
    identity,
    recommended_for_counts,
)


@dataclass(frozen=True)
class Origin:
    """Where an estimate's reports came from.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        epsilon: of the setting that made them, per bit of Hamming distance.
        foreign: number of reports that aren't of the bundle; left out.
        repeated: number of batches that came more than once; counted once.
        others: number of batches of other settings; left out.
        period: first start and last end, as ``2026-11-16T00:00:00Z``; None if the reports name
            none.
    """

    bundle: str
    epsilon: float
    foreign: int
    repeated: int
    others: int
    period: tuple[str, str] | None


@dataclass(frozen=True)
class Frequencies:
    """How often words were typed.

    Attributes:
        origin: of the reports.
        estimate: the frequencies, with their 95% intervals.
        comparison: with other reports; None if there are none.
    """

    origin: Origin
    estimate: FrequencyEstimate
    comparison: PopulationComparison | None


def estimate_frequencies(
    bundle: WordBundle,
    reports: Sequence[str | os.PathLike[str]],
    *,
    compared: Sequence[str | os.PathLike[str]] = (),
    column: str | None = None,
    epsilon: float | None = None,
    radius: int | None = None,
    base: str | None = None,
    cap: float | None = None,
    prior: tuple[str | os.PathLike[str], float] | None = None,
    top: int = 20,
    words: Sequence[str] = (),
    lists: Mapping[str, Sequence[str]] | None = None,
    every: bool = True,
    false_discoveries: float = FALSE_DISCOVERIES,
    most_foreign: float = MOST_FOREIGN,
    leave_out_others: bool = False,
    progress: bool = False,
) -> Frequencies:
    """Estimate how often each word was typed, from files of privatized words.

    The mechanism that made them is ``exponential``, without a keyed memory.

    Args:
        bundle: that the reports were made with, opened.
        reports: the files, as ``docs/reports.md`` describes them: ``.csv`` or ``.parquet`` with the
            columns ``word`` and ``count``, ``.json`` (one batch), ``.jsonl`` (one a line), or any
            other: text, words between white space.
        compared: files of reports of another population, to find the words whose shares differ.
        column: of privatized texts; then all files are as ``privatize_file`` writes them.
        epsilon: that the reports were made with. By default what they say, or else the setting that
            the bundle recommends.
        radius: in bits, with ``epsilon``, if it isn't the mechanism's default.
        base: with ``epsilon``, if it isn't the mechanism's default; ``uniform`` or ``words``.
        cap: with ``epsilon``, if there is one.
        prior: a file of public frequencies, as reports are, and how many typed words it is worth.
            The intervals hold without it only.
        top: how many of the most frequent words get a wide interval; 0 or more.
        words: others that do.
        lists: words whose total share is asked for, by a name of the caller's; those that aren't
            in the vocabulary are left out.
        every: work out an interval for each word of the vocabulary, which takes longer.
        false_discoveries: expected share of the words that don't differ among those that are said
            to, at most; with ``compared``.
        most_foreign: share of reports that may have a word that isn't of the bundle; from 0 to 1.
        leave_out_others: leave out batches of another setting, instead of refusing them.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a file can't be used, is given twice, or has reports of another bundle or
            setting; the reports say nothing; a word isn't in the vocabulary; or a number is out of
            range.
    """
    for paths in (reports, compared):
        if isinstance(paths, str | os.PathLike):
            raise ParameterError("files of reports are a list of paths, not one path; give a list")
    if top < 0:
        raise ParameterError(f"top must be 0 or more, not {top}")
    if not 0 <= most_foreign <= 1:
        raise ParameterError(f"most_foreign must be from 0 to 1, not {most_foreign:g}")
    setting = _given(bundle, epsilon, {"radius": radius, "base": base, "cap": cap})
    files, others = [Path(path) for path in reports], [Path(path) for path in compared]
    check_different([*files, *others])
    known = read_prior(Path(prior[0]), bundle, prior[1]) if prior else None

    def read(paths: Sequence[Path]) -> Reports:
        return read_reports(
            paths,
            bundle,
            column=column,
            most_foreign=most_foreign,
            setting=setting,
            leave_out=leave_out_others,
        )

    first, second = read(files), read(others) if others else None
    mechanism = mechanism_of(
        bundle, [each for each in (first, second) if each is not None], setting
    )
    channel = open_channel(bundle, mechanism)
    found = estimate(
        bundle,
        channel,
        first.counts,
        prior=known,
        top=top,
        words=words,
        lists=lists,
        every=every,
        progress=progress,
    )
    comparison = None
    if second is not None:
        comparison = compare(
            bundle, channel, first.counts, second.counts, rate=false_discoveries, progress=progress
        )
    origin = Origin(
        str(bundle.manifest["sha256"]),
        mechanism.epsilon,
        first.foreign,
        first.repeated,
        first.others,
        first.period,
    )
    return Frequencies(origin, found, comparison)


def _given(bundle: WordBundle, epsilon: float | None, values: Mapping[str, Any]) -> Stated | None:
    """Return the setting of ``epsilon`` and other parameters, if given and it can be had."""
    parameters = {name: value for name, value in values.items() if value is not None}
    if epsilon is None:
        if parameters:
            raise ParameterError(f"a {next(iter(parameters))} needs an epsilon; give both")
        return None
    Privatizer(bundle, epsilon, **parameters)
    return {"mechanism": DEFAULT_MECHANISM, "epsilon": epsilon, "parameters": parameters}


def mechanism_of(
    bundle: WordBundle, reports: Sequence[Reports], setting: Stated | None = None
) -> Mechanism:
    """Return the mechanism that made ``reports``.

    Args:
        bundle: that they were made with.
        reports: of one or two populations, read with that ``setting``.
        setting: as the caller says; None if the reports, or else the bundle, say it.

    Raises:
        ParameterError: reports were made with different settings, or the bundle can't have the
            setting, or they are of a keyed memory or of another mechanism than ``exponential``.
    """
    stated = [one for one in reports if one.setting is not None]
    settings = [one.setting for one in stated if one.setting is not None]
    if len({identity(each, bundle) for each in settings}) > 1:
        raise ParameterError(
            f"{stated[0].place} and {stated[1].place}: the reports were made with different "
            "settings; they can't be compared"
        )
    place = ""
    if setting is None and stated:
        setting, place = stated[0].setting, f"{stated[0].place}: "
    try:
        made = _mechanism(bundle, setting)
        weighted(made)
    except ParameterError as error:
        raise ParameterError(f"{place}{error}") from None
    return made


def _mechanism(bundle: WordBundle, setting: Stated | None) -> Mechanism:
    if setting is None:
        return Privatizer(bundle).mechanism
    if isinstance(setting, str):
        setting = recommended_for_counts(bundle)
        if setting is None:
            return Privatizer(bundle).mechanism  # the error that it recommends none
    if SECOND_EPSILON in setting:
        raise ParameterError(
            "these reports were made with a keyed memory (second_epsilon): what a device says of a "
            "word isn't a set of independent draws, so there is no estimate; see docs/memory.md"
        )
    return Privatizer(
        bundle, setting["epsilon"], mechanism=setting["mechanism"], **setting["parameters"]
    ).mechanism


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
    shares: NDArray[np.float64] = np.append(known.counts, known.foreign).astype(np.float64) + 1
    return Prior(shares / shares.sum(), weight)
