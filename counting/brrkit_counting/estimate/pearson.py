"""Pearson's statistic, to check that reports are informative, and match their setting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError

LARGEST_MISFIT = 6.0
"""Standard deviations; reports farther from the best fit weren't made with the setting."""

_FROM_RANDOM_WORDS = 3.0
"""Standard deviations; reports nearer to those of random words are uninformative (0.2%)."""


def pearson(counts: NDArray[np.integer | np.floating], shares: NDArray[np.float64]) -> float:
    """Return the excess of Pearson's statistic over its mean, in standard deviations.

    Args:
        counts: [n], number of reports of each word.
        shares: float64[n], positive expected shares.
    """
    reports, n = float(counts.sum()), len(counts)
    expected = reports * shares / shares.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    variance = 2 * (n - 1) + (float((reports / expected).sum()) - n * n - 2 * n + 2) / reports
    if variance <= 0:  # one report of equally likely words: the statistic is constant
        return 0.0
    return (statistic - (n - 1)) / float(np.sqrt(variance))


def check_informative(
    counts: NDArray[np.integer | np.floating], random: NDArray[np.float64]
) -> None:
    """Check that counted reports differ from those of ``random`` words.

    Raises:
        ParameterError: they can't be distinguished from those.
    """
    if pearson(counts, random) < _FROM_RANDOM_WORDS:
        raise ParameterError(
            f"{counts.sum():,.0f} reports can't be distinguished from random words, so they "
            "reveal nothing about the typed words; collect more, or use a weaker setting"
        )
