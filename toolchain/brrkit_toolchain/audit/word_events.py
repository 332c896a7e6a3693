"""Events of code that returns words: sets of words, or of what several words say together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit.bounds import privacy_loss_bound
from brrkit_toolchain.audit.inputs import TOKENS
from brrkit_toolchain.audit.sampling import Event, Outcome, Sampling

_NAMED = 5  # words of an event that its description names
_CHARACTERS = 40  # of each of them


def word_events(sampling: Sampling) -> list[Event]:
    """Choose an event for each pair on one sample, and count it in another.

    By the lemma of Neyman and Pearson the events with the largest losses are the outputs with the
    largest likelihood ratios. Of those sets, that with the best bound is taken. Several words have
    too many outcomes for that, so each of their ``_features`` is tried, and the best one is taken.
    """
    chosen = _count(sampling, sampling.samples // 2)
    events = [_choose(chosen[i], chosen[j], sampling) for i, j in sampling.pairs]
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
    """Return what is looked at, by name; of a single word, the word."""
    words = ["(refused)" if word is None else str(word) for word in outcome]
    if not several:
        return {"": words[0]}
    places = (*words, *[""] * (TOKENS - len(words)))[:TOKENS]
    return {
        "all words": " ".join(words),
        "number of words": str(len(words)),
        **{f"word {i + 1}": word for i, word in enumerate(places)},
        **{f"words {i + 1} and {i + 2}": " ".join(places[i : i + 2]) for i in range(TOKENS - 1)},
        **{
            f"words {i + 1} and {j + 1}": "equal" if places[i] == places[j] else "different"
            for i, j in combinations(range(TOKENS), 2)
        },
    }


def _count(sampling: Sampling, draws: int) -> list[dict[str, Counter[str]]]:
    """Return how often each feature had each value, for each input."""
    outcomes: list[Counter[Outcome]] = [Counter() for _ in sampling.inputs]
    for number, found in sampling.outcomes(draws):
        outcomes[number].update(found)
    several = sampling.texts or len(sampling.inputs[0]) > 1
    features: list[dict[str, Counter[str]]] = []
    for counter in outcomes:
        counts: dict[str, Counter[str]] = {}
        for outcome, count in counter.items():
            for feature, value in _features(outcome, several).items():
                counts.setdefault(feature, Counter())[value] += count
        features.append(counts)
    return features


def _choose(
    first: dict[str, Counter[str]], second: dict[str, Counter[str]], sampling: Sampling
) -> tuple[str, list[str]]:
    """Return the feature and its values with the best bound."""
    best: tuple[float, str, list[str]] = (-np.inf, "", [])
    for feature, left in first.items():
        right = second[feature]
        values = sorted(left | right)
        one: NDArray[np.int64] = np.array([left[value] for value in values])
        other: NDArray[np.int64] = np.array([right[value] for value in values])
        order = np.argsort((other + 0.5) / (one + 0.5), kind="stable")
        # As the counts would be in the sample that tests.
        scale = sampling.samples / (sampling.samples // 2)
        bounds = privacy_loss_bound(
            one[order].cumsum() * scale,
            other[order].cumsum() * scale,
            sampling.samples,
            sampling.alpha,
        )
        place = int(bounds.argmax())
        best = max(best, (float(bounds[place]), feature, [values[i] for i in order[: place + 1]]))
    return best[1], best[2]


def _describe(feature: str, values: list[str]) -> str:
    named = ", ".join(
        repr(value if len(value) <= _CHARACTERS else f"{value[:_CHARACTERS]}...")
        for value in values[:_NAMED]
    )
    more = f" and {len(values) - _NAMED} others" if len(values) > _NAMED else ""
    return f"{feature}: {named}{more}" if feature else named + more
