"""The trust in each source of a language, fitted on held-out text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.codes.portable import logarithm
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.language.bigrams import Bigrams

Ids = NDArray[np.int32]
Weights = NDArray[np.float64]

_TRUST_GRID = np.linspace(0.02, 1, 50)
_MOST_ROUNDS = 4
_EM_STEPS = 30
_LEAST_PROBABILITY = 1e-300


@dataclass(frozen=True)
class Interpolation:
    """Weights of k stacked models, each of which passes unseen bigrams on to the next.

    Attributes:
        trust: float64[k], trust in the bigrams that each has seen.
        continuations: float64[k], weight of each for bigrams that none has seen.
        words: float64[k], weight of each for single words.
    """

    trust: Weights
    continuations: Weights
    words: Weights


def fit_interpolation(models: Sequence[Bigrams], held_out: Sequence[Ids]) -> Interpolation:
    """Return the weights of the stacked ``models`` that make ``held_out`` texts most probable."""
    count = len(models)
    ids = np.concatenate([np.empty(0, np.int32), *held_out])
    if not len(ids):
        return Interpolation(np.ones(count), np.full(count, 1 / count), np.full(count, 1 / count))
    histories = np.concatenate([models[0].histories(text) for text in held_out])
    seen = np.array([np.asarray(model.seen[histories, ids]).ravel() for model in models])
    backoff = np.array([model.backoff[histories] for model in models])
    unseen = np.array([model.continuation[ids] for model in models])
    trust, shares = np.ones(count), np.full(count, 1 / count)

    def likelihood(number: int, step: int) -> float:
        trial = np.where(np.arange(count) == number, _TRUST_GRID[step], trust)
        return float(_mean_log(seen, backoff, unseen, trial, shares))

    for _ in range(_MOST_ROUNDS):
        before = trust.copy()
        shares = _shares(*_parts(seen, backoff, unseen, trust))
        for number in range(count):
            # Each probability is linear in one trust, so the mean log probability has a single
            # maximum.
            low, high = 0, len(_TRUST_GRID) - 1
            while low < high:
                middle = (low + high) // 2
                if likelihood(number, middle) < likelihood(number, middle + 1):
                    low = middle + 1
                else:
                    high = middle
            trust[number] = _TRUST_GRID[low]
        if (trust == before).all():  # another round would change nothing
            break
    words = np.array([model.words[ids] for model in models])
    return Interpolation(trust, shares, _shares(words, np.zeros(len(ids))))


def equivalent_tokens(models: Sequence[Bigrams], held_out: Sequence[Ids]) -> float:
    """Return the number of words of the first model's source that equal the last model's value.

    Two samples of one source explain ``held_out`` in proportion to their sizes. Any amount of
    another kind of text explains little compared with a few words of the source itself. Unknown
    words, about which a bundle contains nothing, are left out.
    """
    ids = np.concatenate([np.empty(0, np.int32), *held_out])
    unknown = len(models[0].words) - 1
    ids = ids[ids < unknown]
    if not len(ids):
        return 0.0
    words = np.array([model.words[ids] / model.words[:-1].sum() for model in models])
    shares = _shares(words, np.zeros(len(ids)))
    return float(models[0].tokens * shares[-1] / shares[0])


@compiled
def _parts(
    seen: Weights, backoff: Weights, unseen: Weights, trust: Weights
) -> tuple[Weights, Weights]:
    """Return each word's probability by each continuation [k, t], and by seen bigrams [t]."""
    likely, known = np.empty(seen.shape), np.zeros(seen.shape[1])
    for t in range(seen.shape[1]):
        left = 1.0
        for k in range(len(seen)):
            known[t] += left * trust[k] * seen[k, t]
            left *= 1 - trust[k] * (1 - backoff[k, t])
        for k in range(len(seen)):
            likely[k, t] = left * unseen[k, t]
    return likely, known


@compiled
def _mean_log(
    seen: Weights, backoff: Weights, unseen: Weights, trust: Weights, shares: Weights
) -> float:
    """Return the mean log probability of the words, over all places."""
    likely, known = _parts(seen, backoff, unseen, trust)
    total = 0.0
    for t in range(len(known)):
        probability = known[t]
        for k in range(len(seen)):
            probability += shares[k] * likely[k, t]
        total += logarithm(max(probability, _LEAST_PROBABILITY))
    return total / len(known)


@compiled
def _shares(likely: Weights, known: Weights) -> Weights:
    """Return the shares [k] of ``likely`` [k, t] with the largest likelihood (EM)."""
    count = len(likely)
    shares = np.full(count, 1 / count)
    for _ in range(_EM_STEPS):
        fitted = np.zeros(count)
        for t in range(len(known)):
            probability = known[t]
            for k in range(count):
                probability += shares[k] * likely[k, t]
            for k in range(count):
                fitted[k] += shares[k] * likely[k, t] / max(probability, _LEAST_PROBABILITY)
        total = 0.0
        for k in range(count):
            # No source is ever excluded: a few held-out words are little evidence.
            shares[k] = fitted[k] + 1e-3
            total += shares[k]
        for k in range(count):
            shares[k] /= total
    return shares
