"""Frequencies of typed words with intervals, from counted reports of text.

Proof that it costs no privacy: ``docs/explanation/proofs.md``, "Post-processing".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit_counting.estimate.options import FrequencyOptions
from brrkit_counting.estimate.pearson import check_informative, pearson
from brrkit_counting.estimate.shares import (
    UNKNOWN_WORDS,
    FrequencyEstimate,
    Share,
    asked_ids,
    group_ids,
)
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
from brrkit_counting.estimate.text.likelihood import Prior, maximize
from brrkit_toolchain.channel.linear import Linear

_NOTICED = (Z + 0.842) ** 2
"""Noncentrality that a test at 5% detects with probability 0.8."""

_SAMPLED_WORDS = 200
"""Number of words from which the detectable share is computed."""

_LEAST_REPORTS = 1e-3
"""Smaller most likely shares become 0, since they depend only on the duration of the search."""

_COMPARED_WORDS = 32
"""Number of nearest words that are compared with a word."""


def estimate_text(
    bundle: WordBundle,
    channel: Linear,
    counts: NDArray[np.int64],
    options: FrequencyOptions = FrequencyOptions(),  # noqa: B008 - frozen
    *,
    prior: Prior | None = None,
    progress: bool = False,
) -> FrequencyEstimate:
    """Estimate the share of each typed word.

    Args:
        bundle: the bundle that made the reports.
        channel: channel of the mechanism that made them.
        counts: int64[n], number of reports of each word.
        options: the wanted results: ``words``, ``groups``, ``top`` and ``every``.
        prior: public frequencies.
        progress: show bars on standard error.

    Raises:
        ParameterError: the reports are uninformative, a word isn't in the vocabulary, or a group
            has none of its words.
    """
    vocabulary = list(bundle.vocabulary)
    asked = asked_ids(options.words, vocabulary)
    groups = group_ids(options.groups, vocabulary)
    any_word = np.append(np.full(len(channel), 1 / len(channel)), 0.0)
    check_informative(counts, channel.forward(any_word))
    fit = maximize(channel, counts, prior=prior, progress=progress)
    evidence = gather(channel, fit, counts)
    top = np.argsort(-fit.shares[:-1], kind="stable")[: options.top].tolist()
    functions = _functions(evidence, [*top, *asked], every=options.every, progress=progress)
    tail = tails(channel)
    of_lists = for_lists(evidence, [*tail, *groups.values()], progress=progress)
    unknown = most_unknown(evidence, of_lists[: len(tail)])
    shares = np.where(fit.shares * evidence.reports < _LEAST_REPORTS, 0, fit.shares)[:-1]
    low, high = np.zeros(len(channel)), np.ones(len(channel))
    for word, function in functions.items():
        shares[word], low[word], high[word] = _interval(evidence, [word], function, unknown)

    def of_word(word: int) -> Share:
        merged = tuple(vocabulary[i] for i in merged_with(evidence, word))
        ends = float(shares[word]), float(low[word]), float(high[word])
        return Share(vocabulary[word], int(counts[word]), *ends, merged)

    def of_group(name: str, group: NDArray[np.intp], function: Function) -> Share:
        ends = _interval(evidence, group, function, unknown)
        return Share(name, int(counts[group].sum()), *ends)

    return FrequencyEstimate(
        words=vocabulary,
        counts=counts,
        shares=shares,
        low=low,
        high=high,
        top=tuple(sorted(map(of_word, top), key=lambda share: -share.share)),
        asked=tuple(map(of_word, asked)),
        totals=tuple(map(of_group, groups, groups.values(), of_lists[len(tail) :])),
        unknown=Share(UNKNOWN_WORDS, 0, min(_likely(evidence, [-1]), unknown), 0.0, unknown),
        detectable=_detectable(evidence, unknown),
        misfit=pearson(counts, fit.outputs),
        fit=fit,
    )


def _functions(
    evidence: Evidence, chosen: Sequence[int], *, every: bool, progress: bool
) -> dict[int, Function]:
    """Return estimating functions, wide ones for the ``chosen`` words, narrow ones for others."""
    functions: dict[int, Function] = {}
    if every:
        words = np.arange(len(evidence.channel))
        functions |= dict(enumerate(for_words(evidence, words, NARROW, progress=progress)))
    wide = list(dict.fromkeys(chosen))
    return functions | dict(
        zip(wide, for_words(evidence, np.array(wide, np.intp), WIDE), strict=True)
    )


def _detectable(evidence: Evidence, unknown: float) -> float:
    """Return the share at which half of the words are detected, given that of ``unknown`` words."""
    last = len(evidence.channel) - 1
    sample = np.unique(np.linspace(0, last, _SAMPLED_WORDS).astype(np.intp))
    functions = for_words(evidence, sample, NARROW)
    parts = unknown * evidence.channel.stand_ins[sample]
    widths = [Z * math.sqrt(f.noise + f.leak) for f in functions]
    return float(np.median(np.array(widths) + parts))


def merged_with(evidence: Evidence, word: int) -> list[int]:
    """Return the words that the reports can't distinguish from ``word``, the nearest first.

    If they had been typed each time instead of it, a test at 5% would detect this with a
    probability below 0.8. Only near words are tested. A share of 0 can't be distinguished from any
    other.
    """
    channel, q = evidence.channel, evidence.fit.outputs
    near = channel.nearest(word, _COMPARED_WORDS + 1)
    near = near[near != word]
    columns = channel.into(np.append(near, word))
    apart = ((columns[:, :-1] - columns[:, -1:]) ** 2 / q[:, None]).sum(axis=0)
    seen = evidence.reports * evidence.fit.shares[word] ** 2 * apart
    return [int(i) for i in near[seen < _NOTICED]]


def _likely(evidence: Evidence, sources: Sequence[int] | NDArray[np.intp]) -> float:
    """Return the most likely share of all ``sources``."""
    share = float(evidence.fit.shares[np.asarray(sources)].sum())
    return share if share * evidence.reports >= _LEAST_REPORTS else 0.0


def _interval(
    evidence: Evidence, words: Sequence[int] | NDArray[np.intp], function: Function, unknown: float
) -> tuple[float, float, float]:
    """Return the share of ``words`` and the ends of its interval.

    The part that may belong to unknown words is subtracted from the lower end. The share is the
    most likely one, or the nearest end of the interval, because the likelihood is only maximized to
    within noise.
    """
    low, high = evidence.interval(words, function)
    low = max(low - unknown * evidence.part(words), 0.0)
    share = _likely(evidence, words)
    return min(max(share, low), high), low, high
