"""The most likely frequencies of typed words, by expectation maximization.

The iterative Bayesian update (Agrawal and Aggarwal 2001; ElSalamouny and Palamidessi 2020): with q
the distribution of outputs that the shares p predict, and c of m reports at each output,

    p(x) <- p(x) g(x),  g(x) = the sum over y of c(y) / m · K(y|x) / q(y),

never lowers the likelihood. Here its steps are extrapolated (SQUAREM: Varadhan and Roland 2008,
step length S3) in the logarithms of p, where a share that goes to 0 goes there on a straight line.
With a prior worth A words of shares a, g(x) is (m g(x) + A a(x) / p(x)) / (m + A): the mode under a
Dirichlet prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brr_toolchain.frequencies.channel import Channel

EVALUATIONS = 300
"""Of the likelihood and its gradient, at most: fewer for large vocabularies, but at least 60."""

_PAIRS = 3e11  # of words, whose distances may be computed: minutes

_NOISE = 0.005  # of what sampling noise does to the log-likelihood: less isn't worth waiting for
_SMALLEST = 1e-300


@dataclass(frozen=True)
class Prior:
    """Public frequencies.

    Attributes:
        shares: float64[n + 1], positive, of sum 1.
        weight: how many typed words, seen as they were, they are worth; above 0.
    """

    shares: NDArray[np.float64]
    weight: float


@dataclass(frozen=True)
class Fit:
    """Shares that no others beat by more than ``gap``.

    Attributes:
        shares: float64[n + 1], of each source.
        outputs: float64[n], how often each word comes out at these.
        log_likelihood: without the multinomial coefficient, in nats; with the prior's, if any.
        gap: a proven bound on how much larger it can be for any shares at all.
        tolerance: what the gap was to come below.
        evaluations: of the likelihood and its gradient.
    """

    shares: NDArray[np.float64]
    outputs: NDArray[np.float64]
    log_likelihood: float
    gap: float
    tolerance: float
    evaluations: int


@dataclass(frozen=True)
class _Point:
    shares: NDArray[np.float64]
    outputs: NDArray[np.float64]
    value: float
    gains: NDArray[np.float64]  # what a step multiplies the shares by


def maximize(
    channel: Channel,
    counts: NDArray[np.int64],
    *,
    prior: Prior | None = None,
    start: NDArray[np.float64] | None = None,
    tolerance: float | None = None,
    evaluations: int | None = None,
    progress: bool = True,
) -> Fit:
    """Return the most likely shares of the sources.

    Args:
        channel: from typed to released words.
        counts: int64[n], reports of each word; at least one.
        prior: public frequencies; without, the likelihood alone decides.
        start: float64[n + 1], positive; by default half for unknown words, the rest for all alike.
            It matters only where several shares are equally likely.
        tolerance: stop when the gap is at most this, in nats. By default 1/200 of what noise
            does: the truth has a log-likelihood below the largest by about half the number of
            words that came out.
        evaluations: stop after so many, whatever the gap; by default after ``EVALUATIONS``.
        progress: show a bar on standard error.
    """
    problem = _Problem(channel, counts, prior)
    if tolerance is None:
        tolerance = max(1.0, _NOISE * np.count_nonzero(counts) / 2)
    if evaluations is None:
        evaluations = max(60, min(EVALUATIONS, int(_PAIRS / (2 * len(channel) ** 2))))
    if start is None:
        start = np.full(len(channel) + 1, 0.5 / len(channel))
        start[-1] = 0.5
    with tqdm(desc="Likelihood", unit=" evaluations", disable=None if progress else True) as bar:
        point, gap, spent = _squarem(problem, start, tolerance, evaluations, bar)
    return Fit(point.shares, point.outputs, point.value, gap, tolerance, spent)


def _squarem(
    problem: _Problem,
    start: NDArray[np.float64],
    tolerance: float,
    evaluations: int,
    bar: tqdm[NoReturn],
) -> tuple[_Point, float, int]:
    longest = 4.0
    point = problem.at(start)
    spent = 1
    while True:
        gap = problem.gap(point)
        bar.set_postfix_str(f"gap {gap:,.1f} of {tolerance:,.1f}", refresh=False)
        bar.update(spent - bar.n)
        if gap <= tolerance or spent >= evaluations:
            return point, gap, spent
        middle = problem.at(point.shares * point.gains)
        first = np.log(np.maximum(point.gains, _SMALLEST))
        change = np.log(np.maximum(middle.gains, _SMALLEST)) - first
        square = float(middle.shares @ change**2)
        length = np.sqrt(float(middle.shares @ first**2) / square) if square > 0 else 1.0
        length = min(max(length, 1.0), longest)
        if length == longest:
            longest *= 4
        logs = np.log(np.maximum(point.shares, _SMALLEST))
        logs += 2 * length * first + length**2 * change
        leap = np.exp(logs - logs.max())
        landed = problem.at(leap / leap.sum())
        spent += 2
        if landed.value < middle.value:  # too far: two plain steps, which never lose
            longest = max(4.0, longest / 4)
            landed = problem.at(middle.shares * middle.gains)
            spent += 1
        point = landed


class _Problem:
    """The objective, its steps, and the bound on what is left."""

    def __init__(self, channel: Channel, counts: NDArray[np.int64], prior: Prior | None) -> None:
        self._channel = channel
        self._counts = counts.astype(np.float64)
        self._reports = float(self._counts.sum())
        self._seen = np.flatnonzero(counts)
        self._prior = prior
        observed = self._counts[self._seen]
        # No distribution of outputs at all has a larger likelihood than the observed one.
        self._most = float(observed @ np.log(observed / self._reports))
        if prior is not None:
            self._most += prior.weight * float(prior.shares @ np.log(prior.shares))
        self._weight = self._reports + (prior.weight if prior else 0.0)

    def at(self, shares: NDArray[np.float64]) -> _Point:
        shares = np.maximum(shares, _SMALLEST)
        outputs = self._channel.forward(shares)
        value = float(self._counts[self._seen] @ np.log(outputs[self._seen]))
        gains = self._channel.backward(self._counts / outputs)
        if self._prior is not None:
            value += self._prior.weight * float(self._prior.shares @ np.log(shares))
            gains += self._prior.weight * self._prior.shares / shares
        return _Point(shares, outputs, value, gains / self._weight)

    def gap(self, point: _Point) -> float:
        """Bound how much larger the objective is anywhere; two bounds, the smaller one.

        By Jensen's inequality, the objective at p* exceeds that at p by at most (m + A) ln of the
        sum of p*(x) g(x). That sum is largest if p* is all where g is; but the best p* has caps:
        its q*(y) is near the observed a = c(y) / m, because k, the first bound over m, bounds the
        divergence of q* from the observed, so kl(a, q*(y)) <= k and q*(y) <= a + k +
        sqrt(k^2 + 2 a k); and p*(x) K(x|x) <= q*(x).
        """
        left = max(self._most - point.value, 0.0)
        k, observed = left / self._reports, self._counts / self._reports
        nearest = observed + k + np.sqrt(k * k + 2 * observed * k)
        diagonal = self._channel.weights[0] / self._channel.totals
        caps = np.append(np.minimum(nearest / diagonal, 1.0), 1.0)
        order = np.argsort(-point.gains)
        before = np.cumsum(caps[order]) - caps[order]
        filled = np.clip(1.0 - before, 0.0, caps[order])
        return min(left, self._weight * float(np.log(filled @ point.gains[order])))
