"""Differences between two populations, at a bound on false discoveries.

Benjamini and Yekutieli's procedure (2001) bounds their expected share under any dependence between
the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError


@dataclass(frozen=True)
class Difference:
    """A word whose share differs between two populations.

    Attributes:
        name: the word.
        first: its share in the first population, corrected, with its part of the unknown words'
            share; may be slightly below 0.
        second: its share in the second population.
        low: lower end of the 95% interval of second - first.
        high: upper end of this interval.
        adjusted: adjusted p-value: the smallest bound on the share of false discoveries at which
            the word is a discovery.
    """

    name: str
    first: float
    second: float
    low: float
    high: float
    adjusted: float


@dataclass(frozen=True)
class PopulationComparison:
    """Differences between two populations.

    Attributes:
        differences: the discoveries, the surest first.
        tested: number of words tested.
        reports: number of reports of the first and of the second population.
        rate: largest expected share of false discoveries.
    """

    differences: tuple[Difference, ...]
    tested: int
    reports: tuple[int, int]
    rate: float


def surest_first(difference: Difference) -> tuple[float, float]:
    """Return a key that sorts differences by certainty, and equally certain ones by size."""
    return difference.adjusted, -abs(difference.second - difference.first)


def adjusted_p_values(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Benjamini and Yekutieli's adjusted p-values, in the order of ``p_values``."""
    p = np.asarray(p_values, np.float64)
    ranks = np.arange(1, len(p) + 1)
    order = np.argsort(p)
    scaled = p[order] * (1 / ranks).sum() * len(p) / ranks
    result = np.empty(len(p))
    result[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return result


def check_rate(rate: float) -> None:
    """Check a bound on the share of false discoveries.

    Raises:
        ParameterError: it isn't between 0 and 1.
    """
    if not 0 < rate < 1:
        raise ParameterError(f"the rate of false discoveries must be between 0 and 1, not {rate:g}")
