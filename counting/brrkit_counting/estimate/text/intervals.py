"""Intervals for shares of typed words: one linear function of the reports for each.

For a share t (of a word, or of a list of words), let f(y) be a function of the output y with a mean
of about 1 for the wanted words, and of about 0 for all others. Let b(x) be its mean for a source x.
The most likely shares p predict the mean of f over the reports. The excess over this prediction
corrects t:

    t = p(words) + the sum over y of f(y) (c(y) / m - q(y)).

Its error has two parts. The noise is that of a mean of m independent numbers, whose variance is
known. The leakage is the sum over x of (p(x) - truth) (b(x) - 1 if wanted, else b(x)), a product of
two small errors. Let the variance v(x) bound that of the error of p(x). Then f is chosen to
minimize noise plus leakage: a system of linear equations, with one unknown for each output at which
f may be nonzero. For a word, these are the nearest outputs; fewer outputs widen the interval, but
leave it valid. Near 0, the variance depends on t, and the interval consists of each t whose own
variance admits the estimate (Wilson 1927).

f and f + c, for any constant c, are equivalent: c(y) / m and q(y) both sum to 1, so t and the
variance of the mean don't change; the errors of p sum to 0, so the leakage doesn't change. If f may
be nonzero at all outputs that occur, the equations leave c to rounding. So no result from f may
depend on c, and a nonzero mean of f has a small cost (``_MEAN_COST``). The variance, (the sum of q
f^2 - mu^2) / m with mu = the sum of q f, grows with t by

    the sum over y of (K(y|word) - K(y|unknown word)) (f(y) - mu)^2 / m,

its derivative along q + t (K(.|word) - K(.|unknown word)), where more typed words mean fewer
unknown words. That is the sum of (K - K) (f^2 - 2 mu f), because the sum of (K - K) mu^2 is 0.

The bound v(x) on the error of p(x) comes from the most likely shares. It fails for a typed word
whose most likely share is near 0, because its reports are attributed to similar words. Then f
trusts this share, and the interval ends below the truth. So if an interval of a word begins at 0,
another f uses v(x) = (q(x) / K(x|x))^2, which no squared share exceeds, whatever the most likely
shares are. The interval is the hull of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from brrkit_counting.estimate.text.likelihood import Fit
from brrkit_toolchain.channel.linear import Linear, weigh
from brrkit_toolchain.io.progress import Progress

Z = 1.959964
"""Standard deviations on each side, for 95%."""

WIDE = 256
"""Number of outputs for the interval of a wanted word."""

NARROW = 16
"""Number of outputs for an interval in a table of all words."""

_LEAKAGE_COST = 100.0
"""Cost of leakage, relative to that of noise, since errors of other shares aren't independent."""

_MEAN_COST = 1e-3
"""Cost of the square of f's mean, relative to that of noise."""

_TAIL_HALVINGS = (1, 2, 3)
"""Powers of 1/2, for the parts of the vocabulary with the rarest words."""

_TAIL_Z = 2.39
"""Standard deviations on one side, for 2.5% over all tails together."""

_ALIKE_WEIGHT = 0.5
"""Share of the weight at distance 0 above which words are similar."""

_WORDS_AT_ONCE = 64
_MOST_ITERATIONS = 20
_SMALL_RESIDUAL = 1e-2
_ABOVE_ZERO = 1e-300


@dataclass(frozen=True)
class Function:
    """An estimating function f.

    Attributes:
        outputs: intp[k], outputs at which f may be nonzero.
        values: float64[k], f at these outputs.
        noise: variance of its mean over the reports.
        leak: additional variance from errors of other shares, at most.
        slope: increase of the noise per unit of the share.
        at_zero: a function that doesn't trust a word's most likely share, for intervals that begin
            at 0; None for lists.
    """

    outputs: NDArray[np.intp]
    values: NDArray[np.float64]
    noise: float
    leak: float
    slope: float
    at_zero: Function | None = None

    def interval(self, estimate: float, z: float = Z) -> tuple[float, float]:
        """Return the ends of the interval around an ``estimate``, within 0 and 1."""
        half = z * z * self.slope / 2
        width = math.sqrt(half * half + z * z * (self.noise + self.leak))
        low, high = estimate + half - width, estimate + half + width
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


@dataclass(frozen=True)
class Evidence:
    """=The data for intervals.

    Attributes:
        channel: channel from typed to released words.
        fit: the most likely shares.
        counts: int64[n], number of reports of each word.
        variances: float64[n + 1], v of each source; 0 for unknown words.
    """

    channel: Linear
    fit: Fit
    counts: NDArray[np.int64]
    variances: NDArray[np.float64]

    @property
    def reports(self) -> int:
        """The number of reports."""
        return int(self.counts.sum())

    def part(self, words: Sequence[int] | NDArray[np.intp]) -> float:
        """Return the probability that one of ``words`` replaces an unknown word."""
        return float(self.channel.stand_ins[np.asarray(words)].sum())

    def corrected(self, words: Sequence[int] | NDArray[np.intp], function: Function) -> float:
        """Return the estimate of the share of ``words``, with their part of the unknown ones'.

        An unknown word is like a word of the vocabulary drawn in proportion to the masses. Only the
        sum of the words' share and their ``part`` of the share of unknown words is identified.
        """
        shares, at = self.fit.shares, function.outputs
        beyond = self.counts[at] / self.reports - self.fit.outputs[at]
        part = self.part(words) * shares[-1]
        return float(shares[np.asarray(words)].sum() + part + function.values @ beyond)

    def interval(
        self, words: Sequence[int] | NDArray[np.intp], function: Function
    ) -> tuple[float, float]:
        """Return the ends of the 95% interval of the share of ``words``, as in ``corrected``."""
        low, high = function.interval(self.corrected(words, function))
        if low > 0 or function.at_zero is None:
            return low, high
        wider = function.at_zero  # no share is below 0, so no estimate is
        return 0.0, max(high, wider.interval(max(self.corrected(words, wider), 0.0))[1])


def gather(channel: Linear, fit: Fit, counts: NDArray[np.int64]) -> Evidence:
    """=Return the data for intervals.

    The bound on the squared error of a share p(x) is the sum of two squares: of the total share of
    words similar to x, and of the error of an estimate from the reports of x alone. No share
    exceeds q(x) / K(x|x), because x alone would otherwise be released more often than it is. Words,
    including x, are similar to x if, up to N, their probability of x is at least half of that for x
    itself. Reports hardly reveal which of them was typed.
    """
    diagonal = channel.diagonal
    alone = fit.outputs / (diagonal**2 * counts.sum())
    alike = weigh(
        channel.planes, (channel.weights >= _ALIKE_WEIGHT).astype(np.float64), fit.shares[:-1]
    )
    most = np.minimum(fit.outputs / diagonal, 1.0) ** 2
    known = np.minimum(alike**2 + alone, most)
    # 0 for the unknown words' share, whose error consists of the errors of all words.
    variances = np.append(known, 0.0)
    return Evidence(channel, fit, counts, variances)


def tails(channel: Linear) -> list[NDArray[np.intp]]:
    """Return the last half, quarter and eighth of the vocabulary, whose words are the rarest."""
    n = len(channel)
    return [np.arange(n - max(n >> halvings, 1), n) for halvings in _TAIL_HALVINGS]


def most_unknown(evidence: Evidence, functions: Sequence[Function]) -> float:
    """Return an upper bound on the share u of unknown words, with a confidence of 97.5%.

    Every word of the vocabulary may have been typed a little less, and unknown words more instead.
    So reports bound u only from above. The share of a list of words, together with its part of u,
    is at least this part. The lists are the ``tails``, chosen independently of the reports, and the
    result is the smallest of their bounds.

    Args:
        evidence: data of the reports.
        functions: estimating functions of the totals of the ``tails``.
    """
    bounds = [1.0]
    for tail, function in zip(tails(evidence.channel), functions, strict=True):
        _, high = function.interval(evidence.corrected(tail.tolist(), function), _TAIL_Z)
        bounds.append(high / evidence.part(tail))
    return min(bounds)


def for_word(evidence: Evidence, word: int, width: int = WIDE) -> Function:
    """Return the estimating function of the share of a word.

    Args:
        evidence: data of the reports.
        word: id of the word.
        width: number of nearest outputs at which it may be nonzero.
    """
    channel, v, reports = evidence.channel, evidence.variances, evidence.reports
    near = channel.nearest(word, width)
    own = channel.between(near, word)
    means, spread = channel.moments(near, v)
    q = evidence.fit.outputs[near]
    noise = (np.diag(q) - np.outer(q, q)) / reports
    of_mean = _MEAN_COST * np.outer(q, q) / reports

    def function(more: float, at_zero: Function | None) -> Function:
        """Return the function for a larger variance of the error of the word's own share."""
        all_means, variance = means + more * own, v[word] + more
        # Shares sum to 1, so their errors sum to 0; v is conditioned on that.
        total = v.sum() + more
        given = spread + more * np.outer(own, own) - np.outer(all_means, all_means) / total
        toward = variance * (own - all_means / total)
        values = np.linalg.solve(noise + of_mean + _LEAKAGE_COST * given, _LEAKAGE_COST * toward)
        # The variance of the sum of (b(x) - 1 for the word) times errors, a square multiplied out.
        leak = values @ given @ values - 2 * values @ toward + variance * (1 - variance / total)
        squares = values**2 - 2 * (q @ values) * values
        return Function(
            near,
            values,
            float(values @ noise @ values),
            max(float(leak), 0.0),
            float(squares @ (own - channel.unknown[near])) / reports,
            at_zero,
        )

    most = min(evidence.fit.outputs[word] / channel.diagonal[word], 1.0) ** 2
    return function(0.0, function(max(float(most - v[word]), 0.0), None))


def for_words(
    evidence: Evidence, words: NDArray[np.intp], width: int = NARROW, *, progress: bool = False
) -> list[Function]:
    """Return ``for_word`` of each of ``words``, computed in several threads."""
    from threadpoolctl import threadpool_limits

    def some(start: int) -> list[Function]:
        return [
            for_word(evidence, int(word), width) for word in words[start : start + _WORDS_AT_ONCE]
        ]

    result: list[Function] = []
    with (
        threadpool_limits(1, "blas"),
        ThreadPoolExecutor(cpu_count()) as pool,
        Progress(
            total=len(words),
            desc="Intervals",
            unit=" words",
            progress=progress,
        ) as bar,
    ):
        for functions in pool.map(some, range(0, len(words), _WORDS_AT_ONCE)):
            result += functions
            bar.update(len(functions))
    return result


def for_lists(
    evidence: Evidence, lists: Sequence[NDArray[np.intp]], *, progress: bool = False
) -> list[Function]:
    """Return the estimating functions of the totals of ``lists`` of words' ids.

    They may be nonzero at any output. The equations are solved by conjugate gradients, for all
    lists at once.
    """
    channel, v, q = evidence.channel, evidence.variances, evidence.fit.outputs
    asked = np.zeros((len(channel) + 1, len(lists)))
    for column, words in enumerate(lists):
        asked[words, column] = 1

    def conditioned(errors: NDArray[np.float64]) -> NDArray[np.float64]:
        centered: NDArray[np.float64] = v[:, None] * (errors - v @ errors / v.sum())
        return centered

    def noise(values: NDArray[np.float64]) -> NDArray[np.float64]:
        product: NDArray[np.float64] = q[:, None] * (values - q @ values) / evidence.reports
        return product

    def system(values: NDArray[np.float64]) -> NDArray[np.float64]:
        spread = channel.forward(conditioned(channel.backward(values)))
        return noise(values) + _LEAKAGE_COST * spread

    diagonal = channel.diagonal**2 * v[:-1]
    scale = q / evidence.reports + _LEAKAGE_COST * diagonal
    toward = _LEAKAGE_COST * channel.forward(conditioned(asked))
    values = _conjugate_gradients(system, toward, scale[:, None], progress=progress)
    values -= q @ values
    leaks, squares = np.split(channel.backward(np.hstack([values, values**2])), 2, axis=1)
    leaks = leaks - asked
    variances = (values * noise(values)).sum(axis=0)
    everywhere = np.arange(len(channel))
    result: list[Function] = []
    for column, words in enumerate(lists):
        share = evidence.fit.shares[words] + 1e-12  # equal for words that weren't typed
        result.append(
            Function(
                everywhere,
                values[:, column],
                float(variances[column]),
                _conditioned(leaks[:, column], v),
                float(share @ squares[words, column] / share.sum() - squares[-1, column])
                / evidence.reports,
            )
        )
    return result


def _conjugate_gradients(
    system: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    right: NDArray[np.float64],
    scale: NDArray[np.float64],
    *,
    progress: bool,
) -> NDArray[np.float64]:
    """Return an approximate solution of ``system`` = ``right``, a column for each right side."""
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = residual / scale
    size = (residual * direction).sum(axis=0)
    enough = size * _SMALL_RESIDUAL**2
    with Progress(desc="Lists", unit=" steps", progress=progress) as bar:
        for _ in range(_MOST_ITERATIONS):
            if (size <= enough).all():
                break
            product = system(direction)
            step = size / np.maximum((direction * product).sum(axis=0), _ABOVE_ZERO)
            solution += step * direction
            residual -= step * product
            scaled = residual / scale
            new = (residual * scaled).sum(axis=0)
            direction = scaled + new / np.maximum(size, _ABOVE_ZERO) * direction
            size = new
            bar.update()
    return solution


def _conditioned(leaks: NDArray[np.float64], variances: NDArray[np.float64]) -> float:
    """Return the variance of the sum of ``leaks`` times errors that sum to 0."""
    return float(variances @ leaks**2 - (variances @ leaks) ** 2 / variances.sum())
