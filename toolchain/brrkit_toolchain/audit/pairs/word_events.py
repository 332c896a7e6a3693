"""Events of code that returns words: sets of words, or of features of several words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit.inputs import TOKENS
from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound
from brrkit_toolchain.audit.pairs.sampling import Event, Outcome, Sampling

_Counts = dict[str, Counter[str]]
"""Counts of each feature's values."""

_NAMED = 5  # values of an event in its description
_CHARACTERS = 40  # length of each of these values


def word_events(sampling: Sampling) -> list[Event]:
    """Choose an event for each pair on one sample, and count it in another.

    By the lemma of Neyman and Pearson, the events with the largest losses are sets of the outputs
    with the largest likelihood ratios. The set with the best bound is chosen. Several words have
    too many outcomes for that. So for each of their ``_features``, one half of the sample chooses a
    set, and the other half chooses the feature whose set has the best bound.
    """
    halves = [_count(sampling, sampling.samples // 4) for _ in range(2)]
    events = [_choose([(half[i], half[j]) for half in halves], sampling) for i, j in sampling.pairs]
    tested = _count(sampling, sampling.samples)
    return [
        Event(
            _describe(feature, values),
            (
                sum(tested[i][feature][value] for value in values),
                sum(tested[j][feature][value] for value in values),
            ),
        )
        for (i, j), (feature, values) in zip(sampling.pairs, events, strict=True)
    ]


def _features(outcome: Outcome, several: bool) -> dict[str, str]:
    """Return the outcome's features by name; for a single word, only the word."""
    words = ["(refused)" if word is None else str(word) for word in outcome]
    if not several:
        return {"": words[0]}
    places = (*words, *[""] * (TOKENS - len(words)))[:TOKENS]
    ((often, times),) = Counter(sorted(words)).most_common(1) or [("", 0)]
    return {
        "all words": " ".join(words),
        "most frequent word": f"{often} ({times})",
        "number of words": str(len(words)),
        **{f"word {i + 1}": word for i, word in enumerate(places)},
        **{f"words {i + 1} and {i + 2}": " ".join(places[i : i + 2]) for i in range(TOKENS - 1)},
        **{
            f"words {i + 1} and {j + 1}": "equal" if places[i] == places[j] else "different"
            for i, j in combinations(range(TOKENS), 2)
        },
    }


def _count(sampling: Sampling, draws: int) -> list[_Counts]:
    """Return the counts of each feature's values, for each input."""
    outcomes: list[Counter[Outcome]] = [Counter() for _ in sampling.inputs]
    for number, found in sampling.outcomes(draws):
        outcomes[number].update(found)
    several = sampling.texts or len(sampling.inputs[0]) > 1
    features: list[_Counts] = []
    for counter in outcomes:
        counts: _Counts = defaultdict(Counter)
        for outcome, count in counter.items():
            for feature, value in _features(outcome, several).items():
                counts[feature][value] += count
        features.append(counts)
    return features


def _choose(halves: Sequence[tuple[_Counts, _Counts]], sampling: Sampling) -> tuple[str, list[str]]:
    """Return the feature and its values with the best bound, from counts of a pair's inputs."""
    (first, second), (one, other) = halves

    def on_the_other_half(feature: str) -> float:
        values = _best_values(first[feature], second[feature], sampling)
        left, right = (
            np.array([sum(half[feature][value] for value in values)]) for half in (one, other)
        )
        return float(_bounds(left, right, one[feature].total(), sampling)[0])

    feature = max(first, key=on_the_other_half)
    return feature, _best_values(
        first[feature] + one[feature], second[feature] + other[feature], sampling
    )


def _best_values(left: Counter[str], right: Counter[str], sampling: Sampling) -> list[str]:
    """Return the values with the best bound, given the counts ``left`` and ``right``."""
    values = sorted(left | right)
    one: NDArray[np.int64] = np.array([left[value] for value in values])
    other: NDArray[np.int64] = np.array([right[value] for value in values])
    ratios = (other + 0.5) / (one + 0.5)
    order = np.argsort(ratios, kind="stable")
    # Values with equal ratios stay together: most values have the same counts as many others.
    ends = np.flatnonzero(np.diff(ratios[order], append=np.inf))
    bounds = _bounds(one[order].cumsum()[ends], other[order].cumsum()[ends], left.total(), sampling)
    return [values[i] for i in order[: ends[bounds.argmax()] + 1]]


def _bounds(
    one: NDArray[np.int64], other: NDArray[np.int64], draws: int, sampling: Sampling
) -> NDArray[np.float64]:
    """Return the bounds of events with these counts, scaled to the size of the testing sample."""
    scale = np.float64(sampling.samples / draws)
    return privacy_loss_bound(one * scale, other * scale, sampling.samples, sampling.alpha)


def _describe(feature: str, values: list[str]) -> str:
    named = ", ".join(
        repr(value if len(value) <= _CHARACTERS else f"{value[:_CHARACTERS]}...")
        for value in values[:_NAMED]
    )
    more = f" and {len(values) - _NAMED} others" if len(values) > _NAMED else ""
    return f"{feature}: {named}{more}" if feature else named + more
