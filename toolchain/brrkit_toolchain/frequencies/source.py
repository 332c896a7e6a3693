"""What an estimate is made from: files of reports, a bundle, and the setting that made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import Mechanism
from brrkit_toolchain.frequencies.channel import weighted
from brrkit_toolchain.frequencies.likelihood import Prior
from brrkit_toolchain.frequencies.reports import Reports, read_reports
from brrkit_toolchain.frequencies.settings import SECOND_EPSILON, Stated, identity


@dataclass(frozen=True)
class ReportSource:
    """Where the reports came from.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        epsilon: of the setting.
        foreign: reports that aren't of the bundle.
        repeated: batches that came more than once, counted once.
        others: batches of other settings, left out.
        period: first start and last end, if the reports name any.
    """

    bundle: str
    epsilon: float
    foreign: int
    repeated: int
    others: int
    period: tuple[str, str] | None


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
    if setting is None or isinstance(setting, str):
        return Privatizer(bundle).mechanism
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
