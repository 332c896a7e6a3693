"""Events of code that returns vectors: outputs with a score beyond a threshold, as in DP-Sniper.

Bichsel, Steffen, Bogunovic and Vechev (2021) train a classifier to tell the outputs for x from
those for x', and set a threshold on its output. This module has three scores:

* two linear classifiers, one trained on the vectors, one on the signs of their coordinates relative
  to the median. The first is better for noise with a smooth density, the second for noise with a
  kink, such as Laplace noise;
* the L1 distance of an output to x', minus that to x, if it has as many coordinates as they have.
  For Laplace noise, this is the likelihood ratio without any training.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound
from brrkit_toolchain.audit.pairs.sampling import Event, Outcome, Sampling

_SCORES = ("vector", "signs", "L1 distance")  # for descriptions
_CENTERD = 100  # draws of every input for the medians, at most
_THRESHOLDS = 100

Scores = NDArray[np.float64]
"""[scores, draws, inputs]: evidence that an output came from each input."""

Score = Callable[[NDArray[np.float64]], Scores]
"""Scores of rows [draws, dimensions + 1]; the difference for two inputs separates their outputs."""


def vector_events(
    sampling: Sampling, dimensions: int, places: NDArray[np.float32] | None
) -> list[Event]:
    """Choose an event for each pair on two samples, and count it in a third.

    The first sample trains the classifiers; the second chooses a score and its threshold.

    Args:
        sampling: sampling of the inputs.
        dimensions: number of coordinates of an outcome's vectors together.
        places: float32[inputs, d], the vectors of the inputs, or None if they have none.
    """
    score = _train(sampling, dimensions, sampling.samples // 4)
    if places is not None and places.shape[1] == dimensions:
        score = _with_distance(score, places.astype(np.float64))
    chosen = _scores(sampling, dimensions, score, sampling.samples // 4)
    events = [_choose(chosen[i], chosen[j], i, j, sampling) for i, j in sampling.pairs]
    tested = _scores(sampling, dimensions, score, sampling.samples)

    def count(input_: int, kind: int, i: int, j: int, threshold: float) -> int:
        return int((_against(tested[input_], kind, i, j) >= threshold).sum())

    return [
        Event(
            f"score of the {_SCORES[kind]} >= {threshold:.4g}",
            (count(i, kind, i, j, threshold), count(j, kind, i, j, threshold)),
        )
        for (i, j), (kind, threshold) in zip(sampling.pairs, events, strict=True)
    ]


def _rows(outcomes: list[Outcome], dimensions: int) -> NDArray[np.float64]:
    """Return [m, dimensions + 1]; for a refusal, the last coordinate is 1, and all others are 0.

    Of several vectors, the row has the first, and the difference of each from the one before, in
    which noise shared by two words cancels out.
    """
    rows = np.zeros((len(outcomes), dimensions + 1))
    length = len(outcomes[0])
    vectors = [
        [output for output in outcome if isinstance(output, np.ndarray)] for outcome in outcomes
    ]
    whole = np.array([len(found) == length for found in vectors])
    rows[~whole, -1] = 1
    if whole.any():
        numbers = np.concatenate([v for found in vectors if len(found) == length for v in found])
        places = numbers.astype(np.float64).reshape(-1, length, dimensions // length)
        places[:, 1:] -= places[:, :-1].copy()
        rows[whole, :-1] = places.reshape(-1, dimensions)
    return rows


def _train(sampling: Sampling, dimensions: int, draws: int) -> Score:
    """Return the two classifiers.

    They are linear discriminants with a diagonal covariance (naive Bayes): the mean for each input,
    divided by the variance within inputs.
    """
    centered = min(_CENTERD, draws // 2)
    first = [_rows(outcomes, dimensions) for _, outcomes in sampling.outcomes(centered)]
    center = np.median(np.concatenate(first), axis=0)

    def features(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([rows - center, np.sign(rows - center)])

    shape = (2, len(sampling.inputs), dimensions + 1)
    means, squares = np.zeros(shape), np.zeros(shape)
    for number, outcomes in sampling.outcomes(draws - centered):
        found = features(_rows(outcomes, dimensions))
        means[:, number] += found.sum(axis=1) / (draws - centered)
        squares[:, number] += np.square(found).sum(axis=1) / (draws - centered)
    variances = (squares - np.square(means)).mean(axis=1, keepdims=True)
    # A coordinate without noise reveals the input; its weight is large, but finite.
    largest = variances.max(axis=2, keepdims=True)
    floor = 1e-6 * np.where(largest > 0, largest, 1)
    weights = (means / np.maximum(variances, floor)).transpose(0, 2, 1)
    return lambda rows: features(rows) @ weights


def _with_distance(score: Score, places: NDArray[np.float64]) -> Score:
    """Return ``score`` with the negative L1 distances to ``places`` [inputs, d] as a third one."""

    def scored(rows: NDArray[np.float64]) -> Scores:
        distances = [np.abs(rows[:, :-1] - place).sum(axis=1) for place in places]
        return np.concatenate([score(rows), -np.stack(distances, axis=1)[None]])

    return scored


def _scores(
    sampling: Sampling,
    dimensions: int,
    score: Score,
    draws: int,
) -> list[Scores]:
    """Draw every input, and return only the scores of the outcomes."""
    parts: list[list[Scores]] = [[] for _ in sampling.inputs]
    for number, outcomes in sampling.outcomes(draws):
        parts[number].append(score(_rows(outcomes, dimensions)))
    return [np.concatenate(part, axis=1) for part in parts]


def _against(scores: Scores, kind: int, first: int, second: int) -> NDArray[np.float64]:
    difference: NDArray[np.float64] = scores[kind, :, first] - scores[kind, :, second]
    return difference


def _choose(
    one: Scores, other: Scores, first: int, second: int, sampling: Sampling
) -> tuple[int, float]:
    """Return the score and threshold with the best bound on a pair's outputs."""
    scale = sampling.samples / one.shape[1]
    best: tuple[float, int, float] = (-np.inf, 0, np.inf)
    for kind in range(len(one)):
        left = np.sort(_against(one, kind, first, second))
        right = np.sort(_against(other, kind, first, second))
        thresholds = np.quantile(left, np.linspace(0, 1, _THRESHOLDS, endpoint=False))
        bounds = privacy_loss_bound(
            (len(left) - np.searchsorted(left, thresholds)) * scale,
            (len(right) - np.searchsorted(right, thresholds)) * scale,
            sampling.samples,
            sampling.alpha,
            sampling.delta,
        )
        place = int(bounds.argmax())
        best = max(best, (float(bounds[place]), kind, float(thresholds[place])))
    return best[1], best[2]
