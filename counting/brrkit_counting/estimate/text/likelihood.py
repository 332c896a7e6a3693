"""The most likely frequencies of typed words.

With q the distribution of outputs that the shares p predict, and c of m reports at each output, the
log-likelihood is the sum over y of c(y) ln q(y): concave in p. The iterative Bayesian update, which
is expectation maximization (Agrawal and Aggarwal 2001; ElSalamouny and Palamidessi 2020),

    p(x) <- p(x) g(x),  g(x) = the sum over y of c(y) / m · K(y|x) / q(y),

never lowers it. It approaches the maximum fast, but converges slowly. So after a few of its steps,
L-BFGS-B (Byrd, Lu, Nocedal and Zhu 1995) continues on shares that are at least 0. Its unit for a
share is the square root of the share after those steps: the noise of a count of such words. No
constraint is needed for a sum of 1: the objective minus m times the sum is largest there.
With a prior worth A words of shares a, g(x) is (m g(x) + A a(x) / p(x)) / (m + A): the mode under a
Dirichlet prior.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel.linear import Linear
from brrkit_toolchain.io.progress import Progress

EVALUATIONS = 300
"""Default for the largest number of evaluations of the likelihood and its gradient."""

_PART_OF_NOISE = 0.005
"""Default tolerance, relative to the effect of sampling noise on the log-likelihood."""

_FIRST_STEPS = 5
"""Number of evaluations for expectation maximization."""

_LEAST_EVALUATIONS = 40
"""Smallest number of evaluations before slow progress ends the search."""

_CORRECTIONS = 60
"""Number of pairs of vectors that L-BFGS-B keeps: 48 MB at 50,000 words."""

_SMALLEST_UNIT = 1e-3
"""Smallest unit in which L-BFGS-B counts a share, relative to an equal share."""

_UNKNOWN = 0.01
"""Share of unknown words at the start of a search."""

_ABOVE_ZERO = 1e-300


@dataclass(frozen=True)
class Prior:
    """Public frequencies.

    Attributes:
        shares: float64[n + 1], positive; sums to 1.
        weight: number of unprivatized typed words that the prior is worth; above 0.
    """

    shares: NDArray[np.float64]
    weight: float


@dataclass(frozen=True)
class Fit:
    """The most likely shares, up to ``gap``.

    The search ends when the gap is at most the tolerance, when the last quarter of the evaluations
    raised the log-likelihood by at most the tolerance, after the allowed number of evaluations, or
    when rounding prevents any progress.

    Attributes:
        shares: float64[n + 1], share of each typed word, and of all unknown words.
        outputs: float64[n], probability of each released word for these shares.
        log_likelihood: log-likelihood in nats, without the multinomial coefficient; with a prior,
            plus its logarithm.
        gap: a proven bound, in nats, on the further increase of ``log_likelihood`` by other shares.
        tolerance: tolerance of the search, in nats.
        evaluations: number of evaluations of the likelihood and its gradient.
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
    gains: NDArray[np.float64]  # factors of the shares in a step


def maximize(
    channel: Linear,
    counts: NDArray[np.int64],
    *,
    prior: Prior | None = None,
    start: NDArray[np.float64] | None = None,
    tolerance: float | None = None,
    evaluations: int = EVALUATIONS,
    progress: bool = False,
) -> Fit:
    """Return the most likely shares of the sources: the typed words and all unknown words.

    Args:
        channel: the channel from typed to released words.
        counts: int64[n], number of reports of each word; at least one report.
        prior: public frequencies; without a prior, the likelihood alone decides.
        start: float64[n + 1], positive shares; by default those of the words that replace unknown
            words, with a small share of unknown words. It matters only if several shares are
            equally likely: fewer unknown words are then as likely, if others take their places.
        tolerance: stop when the gap is at most this, in nats, or when the last quarter of the
            evaluations gained less. By default 1/200 of the effect of noise: the log-likelihood of
            the true shares is below the largest by about half the number of released words.
        evaluations: stop after this number in any case.
        progress: show a bar on standard error.
    """
    problem = _Problem(channel, counts, prior)
    if tolerance is None:
        tolerance = max(1.0, _PART_OF_NOISE * np.count_nonzero(counts) / 2)
    if start is None:
        start = np.append((1 - _UNKNOWN) * channel.stand_ins, _UNKNOWN)
    with Progress(desc="Likelihood", unit=" evaluations", progress=progress) as bar:
        search = _Search(problem, tolerance, evaluations, bar)
        with contextlib.suppress(_EndError):
            search.run(start)
    point = search.best
    return Fit(point.shares, point.outputs, point.value, search.gap, tolerance, len(search.values))


class _EndError(Exception):
    """The end of the search."""


class _Search:
    """A search for the maximum. It ends by raising ``_EndError``."""

    def __init__(
        self, problem: _Problem, tolerance: float, evaluations: int, bar: Progress
    ) -> None:
        self._problem, self._tolerance, self._bar = problem, tolerance, bar
        self._evaluations = evaluations
        self.best: _Point
        self.values: list[float] = []  # the best value after each evaluation
        self._most = math.inf

    @property
    def gap(self) -> float:
        """A bound on the difference between the best value found and the maximum."""
        return self._most - self.best.value

    def run(self, start: NDArray[np.float64]) -> None:
        from scipy.optimize import Bounds, minimize

        shares = start
        for _ in range(_FIRST_STEPS):
            point = self._at(shares)
            shares = point.shares * point.gains
        weight = self._problem.weight
        units = np.sqrt(np.maximum(shares, _SMALLEST_UNIT / len(shares)) / weight)
        floor = self._problem.floor

        def loss(scaled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            shares = np.maximum(scaled * units, floor)
            total = float(shares.sum())
            point = self._at(shares / total)
            # For shares with another sum, from the results for the sum 1.
            value = point.value + weight * (math.log(total) - (total - 1))
            return -value, -weight * units * (point.gains / total - 1)

        while True:  # again if rounding ended a search along a line
            before = self.best.value
            minimize(
                loss,
                self.best.shares / units,
                jac=True,
                method="L-BFGS-B",
                bounds=Bounds(floor / units, np.inf),
                options={
                    "maxcor": _CORRECTIONS,
                    "maxiter": self._evaluations,
                    "maxfun": self._evaluations,
                    "ftol": 0,
                    "gtol": 0,
                },
            )
            if self.best.value <= before:
                return

    def _at(self, shares: NDArray[np.float64]) -> _Point:
        """Return the objective at shares that sum to 1."""
        point = self._problem.at(shares)
        if not self.values or point.value > self.best.value:
            self.best = point
            self._most = min(self._most, point.value + self._problem.gap(point))
        self.values.append(self.best.value)
        spent = len(self.values)
        self._bar.set_postfix_str(f"gap {self.gap:,.0f} of {self._tolerance:,.0f}", refresh=False)
        self._bar.update()
        gained = self.best.value - self.values[spent * 3 // 4]
        if (
            self.gap <= self._tolerance
            or spent >= self._evaluations
            or (spent >= _LEAST_EVALUATIONS and gained <= self._tolerance)
        ):
            raise _EndError
        return point


class _Problem:
    """The objective, its steps, and the bound on the gap."""

    def __init__(self, channel: Linear, counts: NDArray[np.int64], prior: Prior | None) -> None:
        self._channel = channel
        self._counts = counts.astype(np.float64)
        self._reports = float(self._counts.sum())
        self._seen = np.flatnonzero(counts)
        self._prior = prior
        observed = self._counts[self._seen]
        # No distribution of outputs has a larger likelihood than the observed one.
        self._most = float(observed @ np.log(observed / self._reports))
        if prior is not None:
            self._most += prior.weight * float(prior.shares @ np.log(prior.shares))
        self.weight = self._reports
        self.floor: NDArray[np.float64] | float = 0.0  # no most likely share is smaller
        if prior is not None:
            self.weight += prior.weight
            self.floor = prior.weight / self.weight * prior.shares

    def at(self, shares: NDArray[np.float64]) -> _Point:
        shares = np.maximum(shares, _ABOVE_ZERO)
        outputs = self._channel.forward(shares)
        value = float(self._counts[self._seen] @ np.log(outputs[self._seen]))
        gains = self._channel.backward(self._counts / outputs)
        if self._prior is not None:
            value += self._prior.weight * float(self._prior.shares @ np.log(shares))
            gains += self._prior.weight * self._prior.shares / shares
        return _Point(shares, outputs, value, gains / self.weight)

    def gap(self, point: _Point) -> float:
        """Return the smaller of two bounds on the gap between the objective here and its maximum.

        By Jensen's inequality, the objective at p* exceeds that at p by at most (m + A) ln of the
        sum of p*(x) g(x). The sum is largest if p* is concentrated where g is largest, but p* has
        caps:
        its q*(y) is near the observed a = c(y) / m, because k, the first bound over m, bounds the
        divergence of q* from the observed, so kl(a, q*(y)) <= k and q*(y) <= a + k +
        sqrt(k^2 + 2 a k); and p*(x) K(x|x) <= q*(x).
        """
        left = max(self._most - point.value, 0.0)
        k, observed = left / self._reports, self._counts / self._reports
        nearest = observed + k + np.sqrt(k * k + 2 * observed * k)
        caps = np.append(np.minimum(nearest / self._channel.diagonal, 1.0), 1.0)
        order = np.argsort(-point.gains)
        before = np.cumsum(caps[order]) - caps[order]
        filled = np.clip(1.0 - before, 0.0, caps[order])
        return min(left, self.weight * float(np.log(filled @ point.gains[order])))
