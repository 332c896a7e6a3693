"""What an estimate is made from: files of reports, a bundle, and the setting that made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime import Privatizer, WordBundle
from brr_runtime.errors import ParameterError
from brr_runtime.mechanisms import Mechanism
from brr_toolchain.frequencies.likelihood import Prior
from brr_toolchain.frequencies.reports import RECOMMENDED, SECOND_EPSILON, Reports, read_reports


@dataclass(frozen=True)
class ReportSource:
    """Where the reports came from.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        epsilon: of the setting.
        foreign: reports that aren't of the bundle.
        repeated: batches that came more than once, counted once.
        period: first start and last end, if the reports name any.
    """

    bundle: str
    epsilon: float
    foreign: int
    repeated: int
    period: tuple[str, str] | None


def mechanism_of(
    bundle: WordBundle,
    reports: Sequence[Reports],
    epsilon: float | None,
    parameters: dict[str, Any],
) -> Mechanism:
    """Return the mechanism that made ``reports``.

    Args:
        bundle: that they were made with.
        reports: of one or two populations.
        epsilon: as the caller says; None if the reports, or else the bundle, say it.
        parameters: as the caller says; with an epsilon only.

    Raises:
        ParameterError: reports were made with different settings, or say another epsilon than the
            caller.
    """
    stated = [one.setting for one in reports if one.setting is not None]
    if any(setting != stated[0] for setting in stated):
        raise ParameterError(
            "the reports were made with different settings; they can't be compared"
        )
    setting = stated[0] if stated else None
    if epsilon is not None:
        given = {"mechanism": "exponential", "epsilon": epsilon, "parameters": parameters}
        if setting not in (None, given):
            raise ParameterError(
                "the reports name another setting than --epsilon and --radius; leave these out"
            )
        setting = given
    if parameters and epsilon is None:
        raise ParameterError("--radius needs --epsilon; give both, or neither")
    if setting is None or setting == RECOMMENDED:
        return Privatizer(bundle).mechanism
    assert isinstance(setting, dict)
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
