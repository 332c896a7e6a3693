"""What an estimate says: shares of words, of groups and of unknown words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_counting.estimate.pearson import LARGEST_MISFIT
from brrkit_counting.estimate.text.likelihood import Fit

UNKNOWN_WORDS = "(unknown words)"
"""What the share of all words outside the vocabulary is called: no word has spaces."""


@dataclass(frozen=True)
class Share:
    """How often something was typed.

    Attributes:
        name: a word, or what a group is called.
        reports: how often it came out.
        share: the most likely share of what was typed, within the interval.
        low: lower end of its 95% interval.
        high: upper end.
        merged: words that the reports can't tell it from.
    """

    name: str
    reports: int
    share: float
    low: float
    high: float
    merged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Carried:
    """A word that few batches carry: a few devices type it much, or made it up.

    Attributes:
        name: of the word.
        reports: how often it came out.
        batches: how many have it.
    """

    name: str
    reports: int
    batches: int


@dataclass(frozen=True)
class FrequencyEstimate:
    """Frequencies of what was typed.

    Attributes:
        words: the vocabulary.
        counts: int64[n], how often each came out.
        shares: float64[n], the most likely share of each, within its interval, and 0 where it is
            less than a thousandth of a report; of reports made for counts the unbiased one, which
            may be below 0.
        low: float64[n], lower ends of their 95% intervals.
        high: float64[n], upper ends.
        top: the words with the largest shares, in that order.
        asked: words that were asked for.
        totals: of groups that were asked for.
        unknown: the share of all unknown words.
        detectable: the share at which about half of the words have an interval above 0.
        misfit: standard deviations between the reports and the best fit.
        fit: how it was found; None for reports made for counts, of which it is a formula.
        carried: words that few batches carry, if the reports came in batches for counts.
        fakes: how many of the reports, if made up, can move a share by 0.01; None for text.
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
        """How many there are."""
        return int(self.counts.sum()) + self.unknown.reports

    @property
    def explained(self) -> bool:
        """Whether the reports look like the setting's."""
        return self.misfit <= LARGEST_MISFIT


def asked_ids(asked: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return the ids of what is ``asked`` for, of the vocabulary's ``words``.

    Raises:
        ParameterError: one isn't in the vocabulary.
    """
    ids = {word: i for i, word in enumerate(words)} if asked else {}
    for place, word in enumerate(asked, start=1):
        if word not in ids:
            raise ParameterError(
                f"word {place} of the {len(asked)} asked for isn't in the bundle's vocabulary: "
                "nothing can be said of it"
            )
    return [ids[word] for word in asked]


def group_ids(
    groups: Mapping[str, Sequence[str]] | None, words: Iterable[str]
) -> dict[str, NDArray[np.intp]]:
    """Return the different ids of those of each group that the vocabulary's ``words`` have.

    Raises:
        ParameterError: none of a group is.
    """
    ids = {word: i for i, word in enumerate(words)} if groups else {}
    found = {
        name: np.array([ids[word] for word in dict.fromkeys(group) if word in ids], np.intp)
        for name, group in (groups or {}).items()
    }
    for name, members in found.items():
        if not len(members):
            raise ParameterError(f"{name}: none of its words is in the bundle's vocabulary")
    return found
