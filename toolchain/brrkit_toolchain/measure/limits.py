"""The exponential mechanism's setting that keeps most meaning under limits on the best attacker.

At one success of the attacker a larger radius keeps more meaning and protects the least protected
words less (``docs/frontier.md`` has the evidence). So the radius is the largest one at which these
stay within their limit, and epsilon the largest one at which the success does. Without a limit
of their own they may be named about twice as often as all words are. What is kept is told by the
bundle alone: the expected Hamming distance from input to output falls as the cosine of the vectors
grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, weight_table
from brrkit_toolchain.codes.pairs import histograms, most_probable
from brrkit_toolchain.measure.attack import PRIORS, Prior, WordSuccess, make_prior, weighted_success

_SMALLEST, _LARGEST = 2e-3, EPSILON_MAX
_ACCURACY = 2e-3  # of a success, relative
_CORRECTIONS = 6
_OUTPUTS = 4_000  # that a first look at a success is taken at
_TWICE = 2.1  # times the success: what least protected words may be named by default


@dataclass(frozen=True)
class AllWords:
    """The codes uint64[n, bits / 64] of all words, and what is computed once of them."""

    codes: NDArray[np.uint64]

    @property
    def bits(self) -> int:
        """Length of a code."""
        return 64 * int(self.codes.shape[1])

    @cached_property
    def priors(self) -> dict[Prior, NDArray[np.float64]]:
        """How often each word is typed [n], by the prior's name."""
        return {name: make_prior(name, len(self.codes)) for name in PRIORS}

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many words [n, bits + 1] are at each distance from each."""
        return histograms(self.codes, progress=False).astype(np.int64)

    def weights(self, epsilon: float, radius: int) -> list[int]:
        """Return the table W of the exponential mechanism."""
        return weight_table(epsilon, self.bits, len(self.codes), radius)

    def success(self, epsilon: float, radius: int, prior: Prior) -> WordSuccess:
        """Return the best possible attacker's success, exactly."""
        return self.success_of(self.weights(epsilon, radius), prior)

    def success_of(self, weights: Sequence[int], prior: Prior) -> WordSuccess:
        """Return his success against any weights W[0 ... bits], never increasing."""
        totals = self.counts @ np.array(weights, np.int64)
        return weighted_success(self.codes, weights, totals, self.priors[prior])

    def glimpse(self, epsilon: float, radius: int, prior: Prior) -> float:
        """Return his success, from some outputs if there are many."""
        count = len(self.codes)
        if count <= 2 * _OUTPUTS:
            return self.success(epsilon, radius, prior).mean
        table = np.array(self.weights(epsilon, radius), np.float64)
        scales = self.priors[prior] / (self.counts @ table)
        # Evenly over the ranks; the most frequent words, which matter most in text, all of them.
        some = np.unique(
            np.r_[: _OUTPUTS // 2, np.linspace(0, count - 1, _OUTPUTS // 2).astype(int)]
        )
        best, _ = most_probable(self.codes[some], self.codes, table, scales)
        front = _OUTPUTS // 2
        rest = best[some >= front]
        return float(best[some < front].sum() + rest.mean() * (count - front))

    def utility_loss(self, epsilon: float, radius: int, prior: Prior) -> float:
        """Return the expected distance from a typed word to its output, divided by the bits."""
        weighted = self.counts * np.array(self.weights(epsilon, radius), np.float64)
        expected = weighted @ np.arange(self.bits + 1) / weighted.sum(axis=1)
        return float(self.priors[prior] @ expected) / self.bits


@dataclass(frozen=True)
class Found:
    """A setting within the limits.

    Attributes:
        epsilon: per bit of Hamming distance.
        radius: in bits.
        success: the best possible attacker's.
    """

    epsilon: float
    radius: int
    success: WordSuccess


def steepest(words: AllWords, prior: Prior, radius: int, success: float) -> Found:
    """Return the steepest table of a radius, to a few thousandths, under a limit on the success.

    Raises:
        ParameterError: even the flattest weights exceed it.
    """
    aim = (1 - _ACCURACY) * success
    best: Found | None = None
    for _ in range(_CORRECTIONS):
        x = solve(
            lambda x: words.glimpse(exp(x), radius, prior), aim, log(_SMALLEST), log(_LARGEST)
        )
        found = Found(exp(x), radius, words.success(exp(x), radius, prior))
        ratio = found.success.mean / success
        if ratio <= 1:
            best = found
        if 1 - 2 * _ACCURACY <= ratio <= 1 or not 2 * _SMALLEST < found.epsilon < _LARGEST / 2:
            break
        aim *= (1 - _ACCURACY) / ratio  # a glimpse is wrong by much the same factor everywhere
    if best is None:
        raise ParameterError(
            f"attack-success {success:g} can't be reached: with a radius of {radius} bits and the "
            f"flattest weights it is {words.success(_SMALLEST, radius, prior).mean:.3g}"
        )
    return best


def most_meaning(words: AllWords, prior: Prior, success: float, worst: float | None) -> Found:
    """Return the setting that keeps most under limits on the success, mean and least protected.

    Args:
        words: all of them.
        prior: of the attacker.
        success: limit for the mean.
        worst: limit for the least protected words. None for 2.1 times ``success``, or half way from
            it to 1 if that is less; where no radius keeps that, the radius is 0.

    Raises:
        ParameterError: no setting keeps them.
    """
    limit = min(_TWICE * success, (1 + success) / 2) if worst is None else worst
    feasible = []
    low, high = -1, words.bits // 4
    while high - low > 1:
        radius = (low + high) // 2
        found = steepest(words, prior, radius, success)
        if found.success.worst <= limit:
            low = radius
            feasible.append(found)
        else:
            high = radius
            least = found
    if not feasible and worst is None:
        return least  # the search ended at radius 0
    if not feasible:
        raise ParameterError(
            f"worst {limit:g} can't be reached: at attack-success {success:g} the least protected "
            f"words are named with {least.success.worst:.3g}, radius {least.radius}; allow more of "
            "it, or less attack-success"
        )
    return min(feasible, key=lambda found: words.utility_loss(found.epsilon, found.radius, prior))


def solve(success: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return where an increasing ``success`` in (0, 1) is ``target``, to a thousandth of it.

    The nearer end of [low, high] if it is there nowhere.
    """
    f_low, f_high = -9 - _logit(target), 9 - _logit(target)  # as good as 0 and 1
    x = low
    for _ in range(30):
        share = f_low / (f_low - f_high)
        x = low + min(max(share, 0.1), 0.9) * (high - low)
        found = success(x)
        if abs(found / target - 1) < _ACCURACY / 2:
            break
        value = _logit(found) - _logit(target)
        if value < 0:
            low, f_low = x, value
        else:
            high, f_high = x, value
    return x


def _logit(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return log(share / (1 - share))
