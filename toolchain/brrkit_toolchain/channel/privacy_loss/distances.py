"""Distances between words in each metric, which make the metrics' epsilons comparable.

P_avg and P_max are equations 6 and 7 of BRR (appendix A), over all ordered pairs, including a word
with itself. The privacy ratio is Definition 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import BundleError
from brrkit.exact import as_number
from brrkit.hamming import weigh_codes
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain.codes.packing import unpack

EXACT_UP_TO = 50_000
"""Largest number of words for which each word's farthest code is searched."""

_SAMPLED_CODES = 20_000  # words with a search for the farthest code, if there are more
_AVERAGED_UP_TO = 5_000  # largest number of words to compare all with all
_AVERAGED_WORDS = 1_000  # words to compare with all, if there are more
_LENGTHS = 128  # groups of similar lengths from which averages are estimated
_ROWS_AT_A_TIME = 256  # rows of vectors; a square of their distances stays in a core's cache
_COLUMNS_AT_A_TIME = 2_048
_MOST_PAIRS = 200_000_000  # largest number of pairs in the search for the farthest vectors
_SAMPLED_PAIRS = 200_000
_PAIRS_AT_A_TIME = 4_096


@dataclass(frozen=True)
class PairStatistics:
    """Distances over all pairs of a vocabulary, in one metric.

    Multiplied by epsilon, the average estimates the privacy loss, and the maximum bounds it (BRR,
    section 5 and equation 8).

    Attributes:
        average: P_avg.
        maximum: P_max; if ``exact`` is false, the largest distance seen, a lower bound on it.
        exact: whether no pair is farther apart than ``maximum``.
        average_error: 95% half-width of ``average``; 0 if it covers all pairs.
    """

    average: float
    maximum: float
    exact: bool
    average_error: float


@dataclass(frozen=True)
class DistanceStatistics:
    """Statistics of a bundle's Hamming and its source's Euclidean distances.

    Attributes:
        hamming: statistics of Hamming distances between codes, in bits.
        euclidean: statistics of Euclidean distances between source embeddings.
        privacy_ratio_average: P_avg(euclidean) / P_avg(hamming). Multiplied by the epsilon of a
            full-size mechanism, it gives the epsilon on codes with equal estimated privacy loss.
        privacy_ratio_maximum: the same ratio of P_max.
    """

    hamming: PairStatistics
    euclidean: PairStatistics
    privacy_ratio_average: float
    privacy_ratio_maximum: float


def measure_distances(
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    *,
    seed: int = 0,
    progress: bool = False,
) -> DistanceStatistics:
    """Measure both metrics, each with its function.

    Args:
        vectors: float32[n, d], the source embeddings.
        codes: uint64[n, bits / 64].
        seed: seed of the samples.
        progress: show a bar on standard error.
    """
    hamming = hamming_distances(codes, seed=seed)
    euclidean = euclidean_distances(vectors, seed=seed, progress=progress)
    return DistanceStatistics(
        hamming,
        euclidean,
        euclidean.average / hamming.average if hamming.average else float("nan"),
        euclidean.maximum / hamming.maximum if hamming.maximum else float("nan"),
    )


def hamming_distances(codes: NDArray[np.uint64], *, seed: int = 0) -> PairStatistics:
    """Measure the Hamming metric on ``codes`` uint64[n, bits / 64].

    The average is exact. The maximum is exact up to ``EXACT_UP_TO`` words; with more words, it is
    from a sample.
    """
    from brrkit_toolchain.codes.scans import nearest

    words, planes = codes.shape
    rows = _rows(words, seed, EXACT_UP_TO, _SAMPLED_CODES)
    ones = np.zeros(planes * 64, np.int64)
    for start in range(0, words, 1 << 16):
        ones += unpack(codes[start : start + (1 << 16)]).sum(axis=0, dtype=np.int64)
    # Bit j differs in 2 * ones * zeros of the ordered pairs, so this is exact without visiting
    # pairs.
    average = float(2 * (ones * (words - ones)).sum() / words**2)
    # The farthest code from x is the nearest to its complement.
    _, distances = nearest(codes.T.copy(), ~codes[rows], 1)
    return PairStatistics(average, float(planes * 64 - distances.min()), len(rows) == words, 0.0)


def euclidean_distances(
    vectors: NDArray[np.float32], *, seed: int = 0, progress: bool = False
) -> PairStatistics:
    """Measure the Euclidean metric on ``vectors`` float32[n, d].

    The average is exact up to 5,000 words. With more words, a sample of 1,000 is compared with all.
    After subtraction of the mean vector, lengths alone nearly determine a word's average distance
    from the others, sqrt(|x|^2 + |y|^2). Only the rest is estimated from the sample (a difference
    estimator: Cochran, "Sampling Techniques", 1977, section 7.2).

    The maximum is exact if 200 million pairs suffice: always up to 20,000 words, and for more words
    if their lengths differ enough.
    """
    from threadpoolctl import threadpool_limits

    words = len(vectors)
    centered = vectors - vectors.mean(axis=0)  # smaller norms lose fewer digits; distances stay
    squares = np.einsum("ij,ij->i", centered, centered, dtype=np.float64).astype(np.float32)
    rows = _rows(words, seed, _AVERAGED_UP_TO, _AVERAGED_WORDS)
    expected = _expected_means(squares)
    order = np.argsort(-squares, kind="stable")
    with threadpool_limits(1, "blas"):  # threads that wait for a share of a product take time
        rest = _means(centered, squares, rows, progress) - expected[rows]
        maximum, exact = _farthest(centered[order], squares[order])
    average = float(expected.mean() + rest.mean())
    error = 0.0
    if len(rows) < words:
        error = 1.96 * float(rest.std(ddof=1)) * sqrt((1 - len(rows) / words) / len(rows))
    return PairStatistics(average, maximum, exact, error)


def _rows(words: int, seed: int, all_up_to: int, sampled: int) -> NDArray[np.intp]:
    """Return all words if there are at most ``all_up_to``, else a sample of ``sampled``."""
    if words <= all_up_to:
        return np.arange(words)
    return np.sort(np.random.default_rng(seed).choice(words, sampled, replace=False))


def _expected_means(squares: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the approximate mean of sqrt(|x|^2 + |y|^2) over all y, for each x.

    Args:
        squares: |x|^2, float32[n].
    """
    parts = np.array_split(np.sort(squares), min(_LENGTHS, len(squares)))
    means = np.zeros(len(squares))
    for part in parts:
        means += np.sqrt(squares + part.mean()) * (len(part) / len(squares))
    return means


def _means(
    centered: NDArray[np.float32],
    squares: NDArray[np.float32],
    rows: NDArray[np.intp],
    progress: bool,
) -> NDArray[np.float64]:
    """Return the mean distance float64[m] of each of ``rows`` [m] to all words."""
    from brrkit_toolchain.codes.scans import over_rows

    sums = np.zeros(len(rows))

    def add(start: int, stop: int) -> None:
        for top in range(start, stop, _ROWS_AT_A_TIME):
            some = rows[top : min(top + _ROWS_AT_A_TIME, stop)]
            for first in range(0, len(centered), _COLUMNS_AT_A_TIME):
                others = slice(first, first + _COLUMNS_AT_A_TIME)
                found = _squares(centered[some], squares[some], centered[others], squares[others])
                itself = np.flatnonzero((some >= first) & (some < first + _COLUMNS_AT_A_TIME))
                found[itself, some[itself] - first] = 0  # rounding may have changed it
                np.sqrt(np.maximum(found, 0, out=found), out=found)
                sums[top : top + len(some)] += found.sum(axis=1)

    over_rows(add, len(rows), description="Distances", progress=progress)
    return sums / len(centered)


def _farthest(centered: NDArray[np.float32], squares: NDArray[np.float32]) -> tuple[float, bool]:
    """Return the largest distance found, and whether no distance exceeds it.

    The distance between two words is at most the sum of their lengths.

    Args:
        centered: float32[n, d], the longest first.
        squares: float32[n], squares of the lengths.
    """
    words, lengths = len(centered), np.sqrt(squares)
    largest, visited = 0.0, 0
    for start in range(0, words, _COLUMNS_AT_A_TIME):
        some = slice(start, start + _COLUMNS_AT_A_TIME)
        for first in range(start, words, _COLUMNS_AT_A_TIME):
            if lengths[start] + lengths[first] <= largest:
                break
            if visited >= _MOST_PAIRS:
                return largest, False
            others = slice(first, first + _COLUMNS_AT_A_TIME)
            found = _squares(centered[some], squares[some], centered[others], squares[others])
            largest = max(largest, sqrt(max(float(found.max()), 0.0)))
            visited += found.size
    return largest, True


def _squares(
    left: NDArray[np.float32],
    left_squares: NDArray[np.float32],
    right: NDArray[np.float32],
    right_squares: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the squared distance float32[m, k] of each left vector to each right one."""
    found: NDArray[np.float32] = left @ right.T
    found *= -2
    found += left_squares[:, None]
    found += right_squares
    return found


def loss_at(epsilon: float, distance: float, cap: float | None) -> float:
    """Return the bound on the privacy loss at a distance: epsilon times it, but at most the cap."""
    return min(epsilon * distance, inf if cap is None else cap)


def stated_distance(bundle: WordBundle, *path: str) -> float:
    """Return a number from the manifest's ``distances``, by its path of fields.

    Raises:
        BundleError: the field isn't a positive number.
    """
    value: Any = bundle.manifest.get("distances")
    for field in path:
        value = value.get(field) if isinstance(value, dict) else None
    number = as_number(value)
    if not 0 < number < inf:
        raise BundleError(
            f"{bundle.path}: field 'distances.{'.'.join(path)}' of the manifest isn't a positive "
            "number; rebuild the bundle, from words that differ"
        )
    return number


def metric_of(
    setting: Setting, bundle: WordBundle, vectors: NDArray[np.float32] | None = None
) -> PairStatistics:
    """Return the distances of the metric in which the mechanism of ``setting`` is private.

    Hamming distances for the device's mechanisms, and Euclidean ones for those with Laplace noise,
    are from the manifest. If the task weight isn't 1, Hamming distances are computed. Mahalanobis
    distances are computed for random pairs, from ``vectors`` float32[n, d].

    Raises:
        BundleError: the manifest has no usable distances.
        ParameterError: lambda is out of range.
    """
    if setting.mechanism == "mahalanobis" and vectors is not None:
        return mahalanobis_metric(vectors, setting.parameters)
    if bundle.task_bits and setting.parameters.get("task_weight", 1) != 1:
        return hamming_distances(
            weigh_codes(bundle.codes, bundle.task_bits, setting.parameters["task_weight"])
        )
    field = "hamming" if setting.mechanism in MECHANISMS else "euclidean"
    return PairStatistics(
        stated_distance(bundle, field, "average"),
        stated_distance(bundle, field, "maximum"),
        bundle.manifest["distances"][field].get("exact") is True,
        as_number(bundle.manifest["distances"][field].get("average_error", 0.0)),
    )


def mahalanobis_metric(
    vectors: NDArray[np.float32], parameters: Mapping[str, Any]
) -> PairStatistics:
    """Return the distances of random pairs of ``vectors`` float32[n, d] in the Mahalanobis metric.

    Raises:
        ParameterError: lambda is out of range.
    """
    from brrkit_toolchain.channel.drawing.full_size import Mahalanobis

    generator = np.random.default_rng(0)
    left, right = generator.integers(len(vectors), size=(2, _SAMPLED_PAIRS))
    mechanism = Mahalanobis(vectors, 1.0, generator, **parameters)
    distances = np.concatenate(
        [
            mechanism.distances(
                vectors[left[i : i + _PAIRS_AT_A_TIME]], vectors[right[i : i + _PAIRS_AT_A_TIME]]
            )
            for i in range(0, _SAMPLED_PAIRS, _PAIRS_AT_A_TIME)
        ]
    )
    error = 1.96 * float(distances.std()) / np.sqrt(_SAMPLED_PAIRS)
    return PairStatistics(float(distances.mean()), float(distances.max()), False, float(error))
