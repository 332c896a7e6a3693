"""Frequencies of typed words with intervals, from counted reports.

Proof that it costs no privacy: ``docs/explanation/proofs.md``, "Post-processing".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.estimate.text.intervals import (
    NARROW,
    WIDE,
    Evidence,
    Function,
    Z,
    for_lists,
    for_words,
    gather,
    most_unknown,
    tails,
)
from brrkit_counting.estimate.text.likelihood import Fit, Prior, maximize
from brrkit_toolchain.channel.linear import Linear

_ALL_ALIKE = 3.0
"""Standard deviations: reports nearer than this to those of random words say nothing (0.2%)."""

_NOT_THESE = 6.0
"""Standard deviations: reports farther from the best fit weren't made with this setting."""

UNKNOWN_WORDS = "(unknown words)"
"""What the share of all words outside the vocabulary is called: no word has spaces."""

_POWER = (Z + 0.842) ** 2  # a test at 5% sees this noncentrality with probability 0.8
_SAMPLE = 200  # words, for what can be seen at all
_NOTHING = 1e-3  # reports: a smaller likely share is 0, but for how long it was searched
_MERGED = 32  # nearest words that are compared with a word


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
        detectable: half of the vocabulary's words are seen if their share is larger than this.
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
        return self.misfit <= _NOT_THESE


def estimate(
    bundle: WordBundle,
    channel: Linear,
    counts: NDArray[np.int64],
    *,
    prior: Prior | None = None,
    top: int = 20,
    words: Sequence[str] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    every: bool = True,
    progress: bool = False,
) -> FrequencyEstimate:
    """Estimate how often each word was typed.

    Args:
        bundle: that the reports were made with.
        channel: of the mechanism that made them.
        counts: int64[n], how often each word came out.
        prior: public frequencies.
        top: how many of the most frequent words get a wide interval.
        words: others that do.
        groups: words whose total is asked for, by name; those that aren't in the vocabulary are
            left out.
        every: work out an interval for each word of the vocabulary; those of ``low`` and ``high``
            that aren't are 0 and 1.
        progress: show bars on standard error.

    Raises:
        ParameterError: the reports say nothing, a word isn't in the vocabulary, or a group has
            none of it.
    """
    vocabulary = list(bundle.vocabulary)
    ids = {word: i for i, word in enumerate(vocabulary)}
    asked = known(words, ids)
    members = grouped(groups, ids)
    check_informative(counts, channel.unknown)
    fit = maximize(channel, counts, prior=prior, progress=progress)
    evidence = gather(channel, fit, counts)
    first = np.argsort(-fit.shares[:-1], kind="stable")[:top]
    chosen = list(dict.fromkeys([*first.tolist(), *asked]))

    shares = np.where(fit.shares * evidence.reports < _NOTHING, 0, fit.shares)[:-1]
    low, high = np.zeros(len(channel)), np.ones(len(channel))
    sample = np.unique(np.linspace(0, len(channel) - 1, _SAMPLE).astype(np.intp))
    sampled = for_words(evidence, sample, NARROW, progress=False)
    functions: dict[int, Function] = {}
    if every:
        everything = np.arange(len(channel))
        functions |= dict(enumerate(for_words(evidence, everything, NARROW, progress=progress)))
    wide = np.array(chosen, np.intp)
    functions |= dict(zip(chosen, for_words(evidence, wide, WIDE, progress=False), strict=True))
    tail = tails(channel)
    for_groups = for_lists(evidence, [*tail, *members.values()], progress=progress)
    unknown = most_unknown(evidence, for_groups[: len(tail)])
    for word, function in functions.items():
        shares[word], low[word], high[word] = _interval(evidence, [word], function, unknown)

    def of_word(word: int) -> Share:
        merged = tuple(vocabulary[i] for i in merged_with(evidence, word))
        return Share(
            vocabulary[word],
            int(counts[word]),
            float(shares[word]),
            float(low[word]),
            float(high[word]),
            merged,
        )

    def of_group(name: str, group: NDArray[np.intp], function: Function) -> Share:
        ends = _interval(evidence, group, function, unknown)
        return Share(name, int(counts[group].sum()), *ends)

    totals = tuple(map(of_group, members, members.values(), for_groups[len(tail) :]))
    return FrequencyEstimate(
        vocabulary,
        counts,
        shares,
        low,
        high,
        tuple(sorted(map(of_word, first.tolist()), key=lambda share: -share.share)),
        tuple(of_word(word) for word in asked),
        totals,
        Share(UNKNOWN_WORDS, 0, min(_likely(evidence, [-1]), unknown), 0.0, unknown),
        float(np.median([Z * math.sqrt(f.noise + f.leak) for f in sampled]))
        + unknown / len(channel),
        pearson(counts, fit.outputs),
        fit,
    )


def merged_with(evidence: Evidence, word: int) -> list[int]:
    """Return the words that the reports can't tell ``word`` from, nearest first.

    Had they been typed whenever it was, a test at 5% would notice with a probability below 0.8.
    Only near words are tried. A share of 0 can't be told from anything.
    """
    channel, q = evidence.channel, evidence.fit.outputs
    near = channel.nearest(word, _MERGED + 1)
    near = near[near != word]
    columns = channel.into(np.append(near, word))
    apart = ((columns[:, :-1] - columns[:, -1:]) ** 2 / q[:, None]).sum(axis=0)
    seen = evidence.reports * evidence.fit.shares[word] ** 2 * apart
    return [int(i) for i in near[seen < _POWER]]


def pearson(counts: NDArray[np.integer | np.floating], shares: NDArray[np.float64]) -> float:
    """Return by how many standard deviations Pearson's statistic exceeds its mean.

    Args:
        counts: how often each word came out, [n].
        shares: float64[n], positive, what they are held against.
    """
    reports, n = float(counts.sum()), len(counts)
    expected = reports * shares / shares.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    variance = 2 * (n - 1) + (float((reports / expected).sum()) - n * n - 2 * n + 2) / reports
    if variance <= 0:  # one report, of words that are all alike: it is always the same
        return 0.0
    return (statistic - (n - 1)) / float(np.sqrt(variance))


def _likely(evidence: Evidence, sources: Sequence[int] | NDArray[np.intp]) -> float:
    """Return the most likely share of all ``sources``."""
    share = float(evidence.fit.shares[np.asarray(sources)].sum())
    return share if share * evidence.reports >= _NOTHING else 0.0


def _interval(
    evidence: Evidence, words: Sequence[int] | NDArray[np.intp], function: Function, unknown: float
) -> tuple[float, float, float]:
    """Return the share of ``words`` and the ends of its interval.

    The part that may be the unknown words' is taken off the lower end. The share is the most likely
    one, or the end that is nearest to it: the likelihood is maximized to within noise only.
    """
    low, high = evidence.interval(words, function)
    low = max(low - unknown * len(words) / len(evidence.channel), 0.0)
    share = _likely(evidence, words)
    return min(max(share, low), high), low, high


def known(words: Sequence[str], ids: Mapping[str, int]) -> list[int]:
    """Return the ids of ``words``.

    Raises:
        ParameterError: one isn't in the vocabulary.
    """
    for place, word in enumerate(words, start=1):
        if word not in ids:
            raise ParameterError(
                f"word {place} of the {len(words)} asked for isn't in the bundle's vocabulary: "
                "nothing can be said of it"
            )
    return [ids[word] for word in words]


def grouped(
    groups: Mapping[str, Sequence[str]] | None, ids: Mapping[str, int]
) -> dict[str, NDArray[np.intp]]:
    """Return the different ids of those words of each group that are known.

    Raises:
        ParameterError: none of a group is.
    """
    found = {
        name: np.array([ids[word] for word in dict.fromkeys(words) if word in ids], np.intp)
        for name, words in (groups or {}).items()
    }
    for name, members in found.items():
        if not len(members):
            raise ParameterError(f"{name}: none of its words is in the bundle's vocabulary")
    return found


def check_informative(
    counts: NDArray[np.integer | np.floating], random: NDArray[np.float64]
) -> None:
    """Check that reports, counted, differ from those of ``random`` words.

    Raises:
        ParameterError: they can't be told from those.
    """
    if pearson(counts, random) < _ALL_ALIKE:
        raise ParameterError(
            f"{counts.sum():,.0f} reports can't be told from those of random words: they say "
            "nothing about what was typed; collect more, or use a weaker setting"
        )
