"""Numbers with their 95% intervals."""

from __future__ import annotations

from math import fsum, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from brrkit.setting import Estimate

CONFIDENCE = 0.95


def mean(values: NDArray[np.float64], most: float = inf) -> Estimate:
    """Return the mean of independent ``values`` [m] with Student's t interval.

    A single value gives no interval: it is returned as if it were exact.

    Args:
        values: values from 0 to ``most``, like the ends of the interval.
        most: the largest possible value; 1 for shares.
    """
    from scipy.special import stdtrit

    center = float(values.mean())
    if len(values) < 2:
        return Estimate.exact(center)
    reach = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * _standard_error(values)
    return Estimate(center, max(0.0, center - reach), min(most, center + reach))


def proportion(share: float, variance: float, trials: float) -> Estimate:
    """Return a share in [0, 1] with Wilson's interval at its effective number of trials.

    The effective number is that of independent yes-or-no trials with the same variance (Korn and
    Graubard 1998, for shares in clusters): unlike share +- 1.96 standard errors, the interval stays
    in [0, 1] and has a width at 0 and 1.

    Args:
        share: the estimate.
        variance: its estimated variance.
        trials: largest effective number of trials, which is used if the variance is 0.
    """
    from scipy.special import ndtri

    spread = share * (1 - share)
    count = min(trials, spread / variance) if variance > 0 and spread > 0 else trials
    z2 = float(ndtri((1 + CONFIDENCE) / 2)) ** 2
    center = (share + z2 / (2 * count)) / (1 + z2 / count)
    reach = sqrt(z2 * (spread / count + z2 / (4 * count**2))) / (1 + z2 / count)
    # Rounding must not move an end past the estimate, 0 or 1.
    return Estimate(
        share, max(0.0, min(share, center - reach)), min(1.0, max(share, center + reach))
    )


def mean_proportion(shares: NDArray[np.float64], trials: int | None) -> Estimate:
    """Return the mean of independent ``shares`` [m], with the interval of ``proportion``.

    Args:
        shares: [m]; a single share has the interval of its own trials.
        trials: number of trials of each share; None if the shares are exact.
    """
    share = float(shares.mean())
    if len(shares) > 1:
        most = inf if trials is None else len(shares) * trials
        return proportion(share, _standard_error(shares) ** 2, most)
    if trials is None:
        return Estimate.exact(share)
    return proportion(share, share * (1 - share) / trials, trials)


def mean_over_clusters(
    values: NDArray[np.floating], clusters: NDArray[np.intp], trials: float
) -> Estimate:
    """Return the mean of ``values`` [t], each from 0 to 1, with the interval of ``proportion``.

    Values of a cluster depend on one another, but clusters don't. So the variance is that of a
    ratio of sums over clusters (Cochran 1977, section 2.11).

    Args:
        values: [t], with t >= 1.
        clusters: intp[t], number of each value's cluster.
        trials: largest effective number of trials.
    """
    _, numbers = np.unique(clusters, return_inverse=True)
    counts = np.bincount(numbers)
    sums = np.bincount(numbers, values)
    center = min(1.0, fsum(sums) / len(values))
    if len(counts) < 2:
        return Estimate(center, 0.0, 1.0)
    spread = fsum((sums - center * counts) ** 2) / len(values) ** 2
    return proportion(center, spread * len(counts) / (len(counts) - 1), trials)


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values))
