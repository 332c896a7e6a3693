"""Exact bounds on the privacy loss of an event, from counts, and their statistical power.

The loss of an event S between two inputs x and x' is ln(Pr[M(x) in S] / Pr[M(x') in S]). Metric DP
requires that it is at most epsilon * d(x, x') for every S.

Proof that private code rarely fails: ``docs/explanation/proofs.md``, "Audit".
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

POWER = 0.99
"""Probability of detecting the smallest detectable violation."""

_LARGEST_EXCESS = 20.0  # with this excess, no sample for x' contains the event
_TAIL = 1e-9

Counts = NDArray[np.int64] | NDArray[np.float64]


def privacy_loss_bound(
    first: Counts, second: Counts, draws: int, alpha: float, delta: float = 0.0
) -> NDArray[np.float64]:
    """Return lower bounds on the loss of events; each is too high with probability <= alpha.

    With a delta, the loss is ln((Pr[M(x) in S] - delta) / Pr[M(x') in S]).

    They use the bounds of Clopper and Pearson (1934), a lower one on the probability for x and an
    upper one on that for x', with an error of alpha / 2 each. They are exact for any probabilities.

    Args:
        first: [m], number of draws in each event for the input x; fractions are allowed.
        second: [m], the same for x'.
        draws: number of independent draws for each input.
        alpha: error probability of one bound.
        delta: delta of the claim.

    Returns:
        float64[m]; -inf where an event never happened for x.
    """
    low = _log_low(first, draws, alpha / 2)
    if delta:
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(np.exp(low) - delta, 0))
    return low - _log_high(second, draws, alpha / 2)


def rejection_probability(
    first: float, second: float, claim: float, draws: int, alpha: float
) -> float:
    """Return the probability that the bound on an event's loss exceeds ``claim``.

    Exact: the sum over the binomial counts of both inputs.

    Args:
        first: probability of the event for x.
        second: probability of the event for x'.
        claim: the loss that the guarantee allows.
        draws: number of draws for each input.
        alpha: error probability of the bound.
    """
    from scipy.stats import binom

    counts = _likely_counts(draws, first)
    low = _log_low(counts, draws, alpha / 2)
    others = _likely_counts(draws, second)
    needed = np.searchsorted(low, claim + _log_high(others, draws, alpha / 2), side="right")
    rejected = np.where(needed < len(counts), binom.sf(counts[0] + needed - 1, draws, first), 0)
    return float((binom.pmf(others, draws, second) * rejected).sum())


def tail_bound(count: int, draws: int, probability: float) -> float:
    """Return a bound on the probability of ``count`` or more events in ``draws`` draws.

    This is Chernoff's bound, e^(-draws * KL(count / draws || probability)). It holds for
    independent events with at most this mean probability, and for draws without replacement
    (Hoeffding 1963).

    Args:
        count: number of events.
        draws: number of draws.
        probability: largest mean probability of an event; 1 if it isn't bounded.
    """
    share = count / draws
    if share <= probability:
        return 1.0
    entropy = share * math.log(share / probability)
    if share < 1:
        entropy += (1 - share) * (math.log1p(-share) - math.log1p(-probability))
    return math.exp(-draws * entropy)


def smallest_violation(draws: int, alpha: float, probability: float = 0.5) -> float:
    """Return the smallest excess over epsilon * d = 1 that is detected with probability ``POWER``.

    The event is known, with ``probability`` for x, and a loss of 1 + excess. Infinite if no excess
    would be detected.

    Args:
        draws: number of draws that test an event, for each input.
        alpha: error probability of one bound.
        probability: probability of the event, for x.
    """

    def power(excess: float) -> float:
        other = probability * math.exp(-1 - excess)
        return rejection_probability(probability, other, 1.0, draws, alpha)

    if power(_LARGEST_EXCESS) < POWER:
        return math.inf
    least, most = 0.0, _LARGEST_EXCESS
    while most - least > 1e-4:
        middle = (least + most) / 2
        least, most = (least, middle) if power(middle) >= POWER else (middle, most)
    return most


def _log_low(counts: Counts, draws: int, alpha: float) -> NDArray[np.float64]:
    """Return the logarithms of lower bounds on the probabilities that gave ``counts``."""
    from scipy.special import betaincinv

    result = np.full(len(counts), -np.inf)
    some = counts > 0
    result[some] = np.log(betaincinv(counts[some], draws - counts[some] + 1, alpha))
    return result


def _log_high(counts: Counts, draws: int, alpha: float) -> NDArray[np.float64]:
    """Return the logarithms of upper bounds on the probabilities that gave ``counts``."""
    from scipy.special import betaincinv

    result = np.zeros(len(counts))
    some = counts < draws
    result[some] = np.log1p(-betaincinv(draws - counts[some], counts[some] + 1, alpha))
    return result


def _likely_counts(draws: int, probability: float) -> NDArray[np.int64]:
    """Return all counts except those in two tails with a probability of 10^-9 each."""
    from scipy.stats import binom

    low, high = binom.interval(1 - 2 * _TAIL, draws, probability)
    return np.arange(int(low), int(high) + 1)
