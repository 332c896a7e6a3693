"""The results of an estimate: shares of words, of groups and of unknown words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_counting.estimate.pearson import LARGEST_MISFIT
from brrkit_counting.estimate.text.likelihood import Fit

UNKNOWN_WORDS = "(unknown words)"
"""Name of the share of all words outside the vocabulary: no word has spaces."""


@dataclass(frozen=True)
class Share:
    """The share of a word or a group.

    Attributes:
        name: the word, or the group's name.
        reports: number of reports of it.
        share: its most likely share of typed words, within the interval.
        low: lower end of its 95% interval.
        high: upper end of this interval.
        merged: words that the reports can't tell apart from it.
    """

    name: str
    reports: int
    share: float
    low: float
    high: float
    merged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Carried:
    """A word in suspiciously few batches: a few devices type it often, or made it up.

    Attributes:
        name: the word.
        reports: number of reports of it.
        batches: number of batches that contain it.
    """

    name: str
    reports: int
    batches: int


@dataclass(frozen=True)
class FrequencyEstimate:
    """Frequencies of typed words.

    Attributes:
        words: the n words of the vocabulary.
        counts: int64[n], number of reports of each word.
        shares: float64[n], the most likely share of each word, within its interval, and 0 if it is
            less than a thousandth of a report. For counts, by default the unbiased share, which may
            be below 0.
        low: float64[n], lower ends of their 95% intervals.
        high: float64[n], upper ends of these intervals.
        top: the words with the largest shares, in this order.
        asked: shares of the words in ``EstimateOptions.words``.
        totals: total shares of the groups in ``EstimateOptions.groups``.
        unknown: the share of all unknown words.
        detectable: the share at which about half of the words have an interval above 0.
        misfit: distance between the reports and the best fit, in standard deviations.
        fit: the fit of the shares; None for counts, for which a formula gives them.
        carried: words in suspiciously few batches, if the reports are batches for counts.
        fakes: number of made-up reports that can move a share by 0.01; None for text.
    """

    words: Sequence[str]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    top: tuple[Share, ...]
    asked: tuple[Share, ...]
    totals: tuple[Share, ...]
    unknown: Share
    detectable: float
    misfit: float
    fit: Fit | None
    carried: tuple[Carried, ...] = ()
    fakes: int | None = None

    @property
    def reports(self) -> int:
        """The number of reports."""
        return int(self.counts.sum()) + self.unknown.reports

    @property
    def explained(self) -> bool:
        """Whether the setting can have made the reports."""
        return self.misfit <= LARGEST_MISFIT


def asked_ids(asked: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return the ids of the ``asked`` words among the vocabulary's ``words``.

    Raises:
        ParameterError: one isn't in the vocabulary.
    """
    ids = {word: i for i, word in enumerate(words)} if asked else {}
    for place, word in enumerate(asked, start=1):
        if word not in ids:
            raise ParameterError(
                f"word {place} of the {len(asked)} requested words isn't in the bundle's "
                "vocabulary; leave it out"
            )
    return [ids[word] for word in asked]


def group_ids(
    groups: Mapping[str, Sequence[str]] | None, words: Iterable[str]
) -> dict[str, NDArray[np.intp]]:
    """Return the different ids of each group's words that are among the vocabulary's ``words``.

    Raises:
        ParameterError: the vocabulary has no word of a group.
    """
    ids = {word: i for i, word in enumerate(words)} if groups else {}
    found = {
        name: np.array([ids[word] for word in dict.fromkeys(group) if word in ids], np.intp)
        for name, group in (groups or {}).items()
    }
    for name, members in found.items():
        if not len(members):
            raise ParameterError(
                f"{name}: none of its words is in the bundle's vocabulary; correct them, or leave "
                "the group out"
            )
    return found
