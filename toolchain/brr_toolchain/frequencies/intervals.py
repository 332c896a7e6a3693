"""Intervals for shares of typed words: one linear function of the reports for each.

For a share t (of a word, or of a list of words) let f(y) be a function of what comes out whose mean
is about 1 for the words asked about and about 0 for all others, b(x) that mean for a source x. The
most likely shares p predict the mean of f over the reports; what the reports have beyond that
corrects t:

    t = p(words) + the sum over y of f(y) (c(y) / m - q(y)).

Its error is that of a mean of m independent numbers, whose variance is known, and the sum over x of
(p(x) - truth) (b(x) - 1 if asked about, else b(x)): a product of two small errors. With v(x) a
variance that the error of p(x) doesn't exceed, f is chosen to make noise plus leakage small, which is
a system of linear equations in as many unknowns as f may be other than 0 on: the words nearest to
the one asked about. Their number costs width of the interval, not its truth. Near 0 the variance
depends on t; the interval has the t whose own variance admits the estimate (Wilson 1927).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brr_runtime.hamming import HammingIndex
from brr_toolchain.frequencies.channel import Channel
from brr_toolchain.frequencies.likelihood import Fit

Z = 1.959964
"""Standard deviations on either side: 95%."""

WIDE = 256
"""Outputs that an interval of a word asked for is made of."""

NARROW = 16
"""Outputs that an interval is made of in a table of all words."""

_LOOSE = 100.0  # leakage costs so much more than noise: it isn't independent from word to word
_UNKNOWN = 0.3  # standard deviation of the share of unknown words: it may be anything
_CHUNK = 64


@dataclass(frozen=True)
class Function:
    """An estimating function f.

    Attributes:
        outputs: intp[k], where it may be other than 0.
        values: float64[k], f there.
        noise: variance of its mean over the reports.
        leak: variance that errors of other shares may add.
        slope: what the noise grows by, for each unit that the share is larger.
    """

    outputs: NDArray[np.intp]
    values: NDArray[np.float64]
    noise: float
    leak: float
    slope: float

    def interval(self, estimate: float) -> tuple[float, float]:
        """Return the ends of the 95% interval around an ``estimate``, within 0 and 1."""
        half = Z * Z * self.slope / 2
        width = np.sqrt(half * half + Z * Z * (self.noise + self.leak))
        low, high = estimate + half - width, estimate + half + width
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


@dataclass(frozen=True)
class Evidence:
    """What intervals are made from.

    Attributes:
        channel: from typed to released words.
        fit: the most likely shares.
        counts: int64[n], reports of each word.
        variances: float64[n + 1], v.
        index: of the channel's codes.
    """

    channel: Channel
    fit: Fit
    counts: NDArray[np.int64]
    variances: NDArray[np.float64]
    index: HammingIndex

    @property
    def reports(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    def corrected(self, share: float, function: Function) -> float:
        """Return the estimate of a share: the most likely one, corrected by ``function``."""
        at = function.outputs
        beyond = self.counts[at] / self.reports - self.fit.outputs[at]
        return share + float(function.values @ beyond)


def gather(channel: Channel, fit: Fit, counts: NDArray[np.int64]) -> Evidence:
    """Return what intervals are made from.

    The error of a share p(x) is taken to be at most p(x) itself and the error of an estimate from
    the reports of x alone, added in squares; and no share exceeds q(x) / K(x|x), as x alone would
    otherwise come out more often than it does.
    """
    diagonal = channel.weights[0] / channel.totals
    alone = fit.outputs / (diagonal**2 * counts.sum())
    most = np.minimum(fit.outputs / diagonal, 1.0) ** 2
    known = np.minimum(fit.shares[:-1] ** 2 + alone, most)
    variances = np.append(known, _UNKNOWN**2)
    return Evidence(channel, fit, counts, variances, HammingIndex(channel.codes))


def for_word(evidence: Evidence, word: int, width: int = WIDE) -> Function:
    """Return the estimating function of the share of a word.

    Args:
        evidence: of the reports.
        word: its id.
        width: of how many outputs, the nearest ones, it is made.
    """
    channel, v, reports = evidence.channel, evidence.variances, evidence.reports
    distances = evidence.index.distances(channel.codes[word]).astype(np.uint16)
    near = np.argsort(distances, kind="stable")[:width]
    rows = channel.among(near)
    # Shares add up to 1, and so do their errors to 0: v is conditioned on that.
    means, total = rows @ v, v.sum()
    spread = (rows * v) @ rows.T - np.outer(means, means) / total
    q = evidence.fit.outputs[near]
    noise = (np.diag(q) - np.outer(q, q)) / reports
    toward = v[word] * (rows[:, word] - means / total)
    values = np.linalg.solve(noise + _LOOSE * spread, _LOOSE * toward)
    leaks = values @ rows
    leaks[word] -= 1
    return Function(
        near,
        values,
        float(values @ noise @ values),
        _conditioned(leaks, v),
        float(values**2 @ rows[:, word]) / reports,
    )


def for_words(
    evidence: Evidence, words: NDArray[np.intp], width: int = NARROW, *, progress: bool
) -> list[Function]:
    """Return ``for_word`` of each of ``words``, worked out in several threads."""
    from threadpoolctl import threadpool_limits

    def some(start: int) -> list[Function]:
        return [for_word(evidence, int(word), width) for word in words[start : start + _CHUNK]]

    result: list[Function] = []
    with (
        threadpool_limits(1, "blas"),
        ThreadPoolExecutor(cpu_count()) as pool,
        tqdm(
            total=len(words),
            desc="Intervals",
            unit=" words",
            disable=None if progress else True,
        ) as bar,
    ):
        for functions in pool.map(some, range(0, len(words), _CHUNK)):
            result += functions
            bar.update(len(functions))
    return result


def for_sum(evidence: Evidence, words: Sequence[int], functions: Sequence[Function]) -> Function:
    """Return the estimating function of the total of ``words``: the sum of theirs."""
    channel, v, q = evidence.channel, evidence.variances, evidence.fit.outputs
    values = np.zeros(len(channel))
    for function in functions:
        np.add.at(values, function.outputs, function.values)
    leaks, squares = channel.backward(np.stack([values, values**2], axis=1)).T
    leaks = leaks.copy()
    chosen = np.asarray(words, np.intp)
    leaks[chosen] -= 1
    share = evidence.fit.shares[chosen]
    weight = share / share.sum() if share.sum() > 0 else np.full(len(chosen), 1 / len(chosen))
    return Function(
        np.arange(len(channel)),
        values,
        float(q @ values**2 - (q @ values) ** 2) / evidence.reports,
        _conditioned(leaks, v),
        float(weight @ squares[chosen]) / evidence.reports,
    )


def most_unknown(channel: Channel, counts: NDArray[np.int64]) -> float:
    """Return an upper bound of the share of unknown words that holds in 95% of all cases.

    Any known word's share may be a little larger for fewer unknown ones: the reports bound the
    latter from above only. If S is a set of outputs, Pr[S | unknown] · share <= Pr[S]. The sets are
    the last 1/2, 1/4, ... of the vocabulary, whose words are rare: chosen without a look at the
    reports. The bound is the smallest one, by the exact binomial tails, at 5% for all sets together.
    """
    from scipy.stats import beta

    starts = [len(channel) - (len(channel) >> halvings) for halvings in range(1, 7)]
    starts = [start for start in starts if start < len(channel)]
    reports = int(counts.sum())
    bounds = [1.0]
    for start in starts:
        seen = int(counts[start:].sum())
        high = beta.ppf(1 - 0.05 / len(starts), seen + 1, reports - seen) if seen < reports else 1
        bounds.append(float(high) / float(channel.unknown[start:].sum()))
    return min(bounds)


def _conditioned(leaks: NDArray[np.float64], variances: NDArray[np.float64]) -> float:
    """Return the variance of the sum of ``leaks`` times errors that add up to 0."""
    return float(variances @ leaks**2 - (variances @ leaks) ** 2 / variances.sum())
