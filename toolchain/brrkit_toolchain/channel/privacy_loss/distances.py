"""How far apart words are, in each metric: what makes their epsilons comparable.

P_avg and P_max are equations 6 and 7 of BRR (appendix A), over all ordered pairs including a
word with itself; the privacy ratio is Definition 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
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
"""Words up to which every pair is visited."""

_SAMPLED_WORDS = 20_000
_WORDS_IN_CACHE = 512
_LONGEST = (1 << 15) - 1  # row of integers: they are int16, and products below 2^31
_SAMPLED_PAIRS = 200_000
_PAIRS_AT_A_TIME = 4_096


@dataclass(frozen=True)
class PairStatistics:
    """Distances over all pairs of a vocabulary, in one metric.

    Times epsilon they estimate and bound the privacy loss (BRR, section 5 and equation 8).

    Attributes:
        average: P_avg.
        maximum: P_max; with ``exact`` false, the largest distance seen: a lower bound.
        exact: whether every pair was visited.
        average_error: 95% half-width of ``average`` (0 when exact).
    """

    average: float
    maximum: float
    exact: bool
    average_error: float


@dataclass(frozen=True)
class DistanceStatistics:
    """Statistics of a bundle's Hamming and its source's Euclidean distances.

    Attributes:
        hamming: in bits, over the codes.
        euclidean: over the source embeddings.
        privacy_ratio_average: P_avg(euclidean) / P_avg(hamming): multiplied by the epsilon of the
            full-size mechanism, it gives the epsilon of equal estimated privacy loss on codes.
        privacy_ratio_maximum: the same from P_max.
    """

    hamming: PairStatistics
    euclidean: PairStatistics
    privacy_ratio_average: float
    privacy_ratio_maximum: float


def measure_distances(
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    *,
    quick: bool = False,
    seed: int = 0,
    progress: bool = False,
) -> DistanceStatistics:
    """Measure both metrics, exactly up to ``EXACT_UP_TO`` words, sampled beyond.

    Args:
        vectors: float32[n, d], the source embeddings.
        codes: uint64[n, bits / 64].
        quick: sample the Euclidean distances of fewer words, too.
        seed: of the sample.
        progress: show a bar on standard error.
    """
    words = len(vectors)
    rows = _rows(words, seed, _SAMPLED_WORDS if quick else EXACT_UP_TO)
    hamming = hamming_distances(codes, seed=seed)
    euclidean = _euclidean(vectors if len(rows) == words else vectors[rows], words, progress)
    return DistanceStatistics(
        hamming,
        euclidean,
        euclidean.average / hamming.average if hamming.average else float("nan"),
        euclidean.maximum / hamming.maximum if hamming.maximum else float("nan"),
    )


def hamming_distances(codes: NDArray[np.uint64], *, seed: int = 0) -> PairStatistics:
    """Measure Hamming's metric on ``codes`` uint64[n, bits / 64].

    The average is exact; so is the maximum up to ``EXACT_UP_TO`` words, else it is of a sample.
    """
    from brrkit_toolchain.codes.scans import nearest

    words, planes = codes.shape
    rows = _rows(words, seed, EXACT_UP_TO)
    ones = np.zeros(planes * 64, np.int64)
    for start in range(0, words, 1 << 16):
        ones += unpack(codes[start : start + (1 << 16)]).sum(axis=0, dtype=np.int64)
    # Bit j differs in 2 * ones * zeros of the ordered pairs: exact at any size, no pair visited.
    average = float(2 * (ones * (words - ones)).sum() / words**2)
    # The farthest code from x is the nearest to its complement.
    _, distances = nearest(codes.T.copy(), ~codes[rows], 1)
    return PairStatistics(average, float(planes * 64 - distances.min()), len(rows) == words, 0.0)


def _rows(words: int, seed: int, most: int) -> NDArray[np.intp]:
    """Return all words if there are at most ``most``, else a sample."""
    if words <= most:
        return np.arange(words)
    return np.sort(np.random.default_rng(seed).choice(words, _SAMPLED_WORDS, replace=False))


def _euclidean(vectors: NDArray[np.float32], population: int, progress: bool) -> PairStatistics:
    words = len(vectors)
    row_sums, maximum = _sums(vectors - vectors.mean(axis=0), progress)
    if words == population:
        average, error = float(row_sums.sum() / words**2), 0.0
    else:
        # Over distinct pairs of the sample, scaled to a population with its zero diagonal.
        # A mean over pairs of sampled words varies like twice the mean of a word's own average.
        word_averages = row_sums / (words - 1)
        scale = (population - 1) / population
        average = float(word_averages.mean() * scale)
        error = float(1.96 * 2 * word_averages.std(ddof=1) / np.sqrt(words) * scale)
    return PairStatistics(average, float(np.sqrt(maximum)), words == population, error)


def _sums(centered: NDArray[np.float32], progress: bool) -> tuple[NDArray[np.float64], float]:
    """Return the sum of each row's distances to all, float64[n], and the largest square.

    Args:
        centered: float32[n, d]; smaller norms cancel less, and distances don't change.
        progress: show a bar on standard error.
    """
    from brrkit_toolchain.codes.lanes import STEP, TILE
    from brrkit_toolchain.codes.scans import add_distances, over_rows
    from brrkit_toolchain.codes.vectors import integer_directions

    words, dimensions = centered.shape
    # Products of integers take half the time of float32's.
    rows = np.zeros((-(-words // TILE) * TILE, -(-dimensions // STEP) * STEP), np.int16)
    rows[:words, :dimensions] = integer_directions(centered, _LONGEST)
    squares, lengths = np.zeros((2, len(rows)), np.float32)
    squares[:words] = np.einsum("ij,ij->i", centered, centered, dtype=np.float64)
    lengths[:] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    scales = np.sqrt(squares) / np.maximum(lengths, np.float32(1))
    found: dict[int, tuple[NDArray[np.float64], float]] = {}

    def add(start: int, stop: int) -> None:
        """Visit the pairs of these rows with themselves and with all behind them."""
        sums, largest = np.zeros(words - start), 0.0
        for first in (start, *range(stop, words, _WORDS_IN_CACHE)):
            last = stop if first == start else min(first + _WORDS_IN_CACHE, words)
            square = add_distances(rows, scales, squares, (start, stop), (first, last), sums)
            largest = max(largest, square)
        found[start] = sums, largest

    over_rows(add, words, description="Distances", progress=progress)
    total = np.zeros(words)
    for start in sorted(found):
        total[start:] += found[start][0]
    return total, max(largest for _, largest in found.values())


def loss_at(epsilon: float, distance: float, cap: float | None) -> float:
    """Return epsilon times a distance, or the cap of the loss between any two words if it is less.

    Two words at that distance lose at most this.
    """
    return min(epsilon * distance, inf if cap is None else cap)


def stated_distance(bundle: WordBundle, *path: str) -> float:
    """Return a number from the manifest's ``distances``, by its path of fields.

    Raises:
        BundleError: it isn't a positive number.
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

    Hamming for the device's mechanisms and Euclidean for those with Laplace noise, both from the
    manifest; where task bits don't count once, Hamming's are computed. Mahalanobis's are of random
    pairs, from ``vectors`` float32[n, d].

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
    """Return the distances of random pairs of ``vectors`` float32[n, d] in Mahalanobis's metric.

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
