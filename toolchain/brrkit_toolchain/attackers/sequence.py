"""What the outputs of a whole text tell of each of its words: forward-backward over all words.

The typed text is a hidden Markov chain: its transitions are a bigram model's, its emissions those
of the mechanism (Rabiner 1989, section III). No candidate is left out: a step of the chain is one
pass over the bigrams that were seen, and all others share their backoff's factor.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.language.bigrams import Bigrams


class SentenceReader:
    """Knows the language and all outputs of a text. Safe to share between threads."""

    def __init__(self, language: Bigrams) -> None:
        """Lay the model out for the loops below, in float32."""
        seen = language.seen
        self._model = (
            seen.indptr.astype(np.int64),
            seen.indices.astype(np.int32),
            seen.data.astype(np.float32),
            language.backoff.astype(np.float32),
            language.continuation.astype(np.float32),
        )

    def __call__(self, likelihoods: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return Pr[x_t = x | y_1 ... y_T] float32[T, s], for ``likelihoods`` Pr[y_t | x] [T, s].

        ``likelihoods`` may have any positive factor in each row.
        """
        scaled = likelihoods / likelihoods.max(axis=1, keepdims=True)
        posterior: NDArray[np.float32] = np.empty_like(scaled)
        _forward(scaled, *self._model, posterior)
        _backward(scaled, *self._model, posterior)
        return posterior


@njit(nogil=True, cache=True, fastmath=True)  # type: ignore[untyped-decorator]
def _forward(
    likelihoods: NDArray[np.float32],
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    seen: NDArray[np.float32],
    backoff: NDArray[np.float32],
    continuation: NDArray[np.float32],
    filtered: NDArray[np.float32],
) -> None:
    """Write Pr[x_t | y_1 ... y_t] into ``filtered``."""
    length, states = likelihoods.shape
    predicted = continuation * backoff[states]
    for k in range(starts[states], starts[states + 1]):
        predicted[words[k]] += seen[k]
    for t in range(length):
        total = np.float32(0)
        for x in range(states):
            filtered[t, x] = predicted[x] * likelihoods[t, x]
            total += filtered[t, x]
        left = np.float32(0)
        for x in range(states):
            filtered[t, x] /= total
            left += filtered[t, x] * backoff[x]
        for x in range(states):
            predicted[x] = continuation[x] * left
        for h in range(states):
            for k in range(starts[h], starts[h + 1]):
                predicted[words[k]] += filtered[t, h] * seen[k]


@njit(nogil=True, cache=True, fastmath=True)  # type: ignore[untyped-decorator]
def _backward(
    likelihoods: NDArray[np.float32],
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    seen: NDArray[np.float32],
    backoff: NDArray[np.float32],
    continuation: NDArray[np.float32],
    posterior: NDArray[np.float32],
) -> None:
    """Make Pr[x_t | y_1 ... y_T] of what ``_forward`` wrote, but for a factor of each row."""
    length, states = likelihoods.shape
    later = np.ones(states, np.float32)
    weighted = np.empty(states, np.float32)
    for t in range(length - 1, 0, -1):
        left = np.float32(0)
        for x in range(states):
            weighted[x] = likelihoods[t, x] * later[x]
            left += weighted[x] * continuation[x]
        total = np.float32(0)
        for h in range(states):
            value = backoff[h] * left
            for k in range(starts[h], starts[h + 1]):
                value += seen[k] * weighted[words[k]]
            later[h] = value
            total += value
        for h in range(states):
            later[h] *= states / total
            posterior[t - 1, h] *= later[h]
