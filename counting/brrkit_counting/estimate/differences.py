"""What differs between two populations, at a bound on false discoveries.

Benjamini and Yekutieli's procedure (2001) bounds their expected share whatever the tests'
dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError


@dataclass(frozen=True)
class Difference:
    """A word that differs.

    Attributes:
        name: the word.
        first: its share in the first population, with its part of the unknown words', corrected;
            may be slightly below 0.
        second: its share in the second.
        low: lower end of the 95% interval of second - first.
        high: upper end.
        adjusted: the smallest bound on the share of false discoveries at which it is one.
    """

    name: str
    first: float
    second: float
    low: float
    high: float
    adjusted: float


@dataclass(frozen=True)
class PopulationComparison:
    """What differs between two populations.

    Attributes:
        differences: the discoveries, the surest first.
        tested: how many words were.
        reports: of the first and the second.
        rate: expected share of false discoveries, at most.
    """

    differences: tuple[Difference, ...]
    tested: int
    reports: tuple[int, int]
    rate: float


def surest_first(difference: Difference) -> tuple[float, float]:
    """Return what sorts differences: the surest first, of those alike the largest."""
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
