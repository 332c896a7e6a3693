"""Intervals for shares of typed words: one linear function of the reports for each.

For a share t (of a word, or of a list of words) let f(y) be a function of what comes out whose mean
is about 1 for the words asked about and about 0 for all others, b(x) that mean for a source x. The
most likely shares p predict the mean of f over the reports; what the reports have beyond that
corrects t:

    t = p(words) + the sum over y of f(y) (c(y) / m - q(y)).

Its error is that of a mean of m independent numbers, whose variance is known, and the sum over x of
(p(x) - truth) (b(x) - 1 if asked about, else b(x)): a product of two small errors. With v(x) a
variance that the error of p(x) doesn't exceed, f is chosen to make noise plus leakage small: a
system of linear equations in as many unknowns as there are outputs where f may be other than 0. For
a word these are the nearest ones; fewer cost width of the interval, not its truth. Near 0 the
variance depends on t; the interval has the t whose own variance admits the estimate (Wilson 1927).

f and f + c, for any constant c, are one function: c(y) / m and q(y) both add up to 1, so t and the
variance of the mean don't change, and the errors of p add up to 0, so the leakage doesn't. Where f
may be other than 0 at all outputs that occur, the equations leave c to rounding. So nothing that is
worked out from f may depend on c, and a mean of f other than 0 costs a little (``_MEAN_COST``). The
variance, (the sum of q f^2 - mu^2) / m with mu = the sum of q f, grows with t by

    the sum over y of (K(y|word) - K(y|unknown word)) (f(y) - mu)^2 / m,

its derivative along q + t (K(.|word) - K(.|unknown word)), on which unknown words are typed less
often where the word is more: that is the sum of (K - K) (f^2 - 2 mu f), and the sum of (K - K) mu^2
is 0.

The bound v(x) of the error of p(x) comes from the most likely shares, and fails for a word that was
typed and whose most likely share is near 0: its reports went to words like it. f then trusts that
share, and the interval ends below the truth. So where an interval of a word begins at 0, another f
takes v(x) to be (q(x) / K(x|x))^2, which no share exceeds, whatever the most likely ones are; the
interval is the hull of both.
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
"""Standard deviations on either side: 95%."""

WIDE = 256
"""Outputs that an interval of a word asked for is made of."""

NARROW = 16
"""Outputs that an interval is made of in a table of all words."""

_LEAKAGE_COST = 100.0
"""Of leakage, where noise costs 1: errors of other shares aren't independent from word to word."""

_MEAN_COST = 1e-3
"""Of the square of f's mean, where noise costs 1."""

_TAIL_HALVINGS = (1, 2, 3)
"""Powers of 1/2: parts of the vocabulary whose words are rare."""

_TAIL_Z = 2.39
"""One-sided, 2.5% for all the tails together."""

_ALIKE_WEIGHT = 0.5
"""Of the weight of no distance: words that weigh more for a word are like it."""

_WORDS_AT_ONCE = 64
_MOST_ITERATIONS = 20
_SMALL_RESIDUAL = 1e-2
_ABOVE_ZERO = 1e-300


@dataclass(frozen=True)
class Function:
    """An estimating function f.

    Attributes:
        outputs: intp[k], where it may be other than 0.
        values: float64[k], f there.
        noise: variance of its mean over the reports.
        leak: variance that errors of other shares may add.
        slope: what the noise grows by, for each unit that the share is larger.
        at_zero: for a word whose interval begins at 0, one that doesn't trust the most likely share
            of it; None for lists.
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
    """What intervals are made from.

    Attributes:
        channel: from typed to released words.
        fit: the most likely shares.
        counts: int64[n], reports of each word.
        variances: float64[n + 1], v; 0 for unknown words.
    """

    channel: Linear
    fit: Fit
    counts: NDArray[np.int64]
    variances: NDArray[np.float64]

    @property
    def reports(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    def part(self, words: Sequence[int] | NDArray[np.intp]) -> float:
        """Return how often one of ``words`` takes an unknown word's place."""
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
        """Return the ends of the 95% interval of the share of ``words``, as of ``corrected``."""
        low, high = function.interval(self.corrected(words, function))
        if low > 0 or function.at_zero is None:
            return low, high
        wider = function.at_zero  # no share is below 0, so an estimate isn't
        return 0.0, max(high, wider.interval(max(self.corrected(words, wider), 0.0))[1])


def gather(channel: Linear, fit: Fit, counts: NDArray[np.int64]) -> Evidence:
    """Return what intervals are made from.

    The error of a share p(x) is taken to be at most what words like x are typed together, and the
    error of an estimate from the reports of x alone, added in squares; and no share exceeds
    q(x) / K(x|x), as x alone would otherwise come out more often than it does. Words are like x,
    itself one of them, if x comes out for them half as often as for itself at least, but for N:
    reports hardly tell which of them was typed.
    """
    diagonal = channel.diagonal
    alone = fit.outputs / (diagonal**2 * counts.sum())
    alike = weigh(
        channel.planes, (channel.weights >= _ALIKE_WEIGHT).astype(np.float64), fit.shares[:-1]
    )
    most = np.minimum(fit.outputs / diagonal, 1.0) ** 2
    known = np.minimum(alike**2 + alone, most)
    # For the unknown words' share, nothing: its errors are errors of all words, by their parts.
    variances = np.append(known, 0.0)
    return Evidence(channel, fit, counts, variances)


def tails(channel: Linear) -> list[NDArray[np.intp]]:
    """Return the last half, quarter and eighth of the vocabulary, whose words are the rarest."""
    n = len(channel)
    return [np.arange(n - max(n >> halvings, 1), n) for halvings in _TAIL_HALVINGS]


def most_unknown(evidence: Evidence, functions: Sequence[Function]) -> float:
    """Return an upper bound of the share u of unknown words, which holds in 97.5% of all cases.

    Every word of the vocabulary may have been typed a little less often, and unknown ones more
    often for that: reports bound u from above only. A list of words together with its part of the
    unknown ones' share has at least that part. The lists are the ``tails``, chosen without a look
    at the reports; the bound is the smallest one of theirs.

    Args:
        evidence: of the reports.
        functions: of the totals of the ``tails``.
    """
    bounds = [1.0]
    for tail, function in zip(tails(evidence.channel), functions, strict=True):
        _, high = function.interval(evidence.corrected(tail.tolist(), function), _TAIL_Z)
        bounds.append(high / evidence.part(tail))
    return min(bounds)


def for_word(evidence: Evidence, word: int, width: int = WIDE) -> Function:
    """Return the estimating function of the share of a word.

    Args:
        evidence: of the reports.
        word: its id.
        width: of how many outputs, the nearest ones, it is made.
    """
    channel, v, reports = evidence.channel, evidence.variances, evidence.reports
    near = channel.nearest(word, width)
    own = channel.between(near, word)
    means, spread = channel.moments(near, v)
    q = evidence.fit.outputs[near]
    noise = (np.diag(q) - np.outer(q, q)) / reports
    of_mean = _MEAN_COST * np.outer(q, q) / reports

    def function(more: float, at_zero: Function | None) -> Function:
        """Return it where the error of the word's own share has so much more variance."""
        all_means, variance = means + more * own, v[word] + more
        # Shares add up to 1, and so do their errors to 0: v is conditioned on that.
        total = v.sum() + more
        given = spread + more * np.outer(own, own) - np.outer(all_means, all_means) / total
        toward = variance * (own - all_means / total)
        values = np.linalg.solve(noise + of_mean + _LEAKAGE_COST * given, _LEAKAGE_COST * toward)
        # The variance of the sum of (b(x) - 1 for the word) times errors: a square, multiplied out.
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
    """Return ``for_word`` of each of ``words``, worked out in several threads."""
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

    They may be other than 0 at any output: the equations are solved by conjugate gradients, all
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
        share = evidence.fit.shares[words] + 1e-12  # where nothing is typed, all alike
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
    """Return nearly the solution of ``system`` = ``right``, a column for each right side."""
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
    """Return the variance of the sum of ``leaks`` times errors that add up to 0."""
    return float(variances @ leaks**2 - (variances @ leaks) ** 2 / variances.sum())
