"""What the outputs of a whole text tell of each of its words: forward-backward over all words.

The typed text is a hidden Markov chain: its transitions are a bigram model's, its emissions those
of the mechanism (Rabiner 1989, section III). No candidate is left out: a step of the chain is one
pass over the bigrams that were seen, and all others share their backoff's factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.language.bigrams import Bigrams

Floats = NDArray[np.float32]

_TEXTS = 8  # that are read together at most: more save little
_PLACES = 1_024  # of all texts that are read together


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

    def __call__(self, likelihoods: Sequence[Floats]) -> list[Floats]:
        """Return Pr[x_t = x | y_1 ... y_T] float32[T, s] of some texts, read together.

        A bigram is looked up once for all of them. Memory is that of twice as many texts as long as
        the longest: ``together`` says how many are a good number.

        Args:
            likelihoods: Pr[y_t | x] float32[T, s] for each text, with any positive factor in each
                row.
        """
        length, states = max(map(len, likelihoods)), likelihoods[0].shape[1]
        # Of outputs that every word makes as probable nothing is learned: so ends a shorter text.
        scaled = np.ones((length, states, len(likelihoods)), np.float32)
        for number, own in enumerate(likelihoods):
            scaled[: len(own), :, number] = own / own.max(axis=1, keepdims=True)
        posterior: Floats = np.empty_like(scaled)
        _forward(scaled, *self._model, posterior)
        _backward(scaled, *self._model, posterior)
        return [posterior[: len(own), :, number] for number, own in enumerate(likelihoods)]


def together(length: int) -> int:
    """Return how many texts of a ``length`` to read at a time: 400 MB at 50,000 words."""
    return max(1, min(_TEXTS, _PLACES // length))


@njit(nogil=True, cache=True, fastmath=True)  # type: ignore[untyped-decorator]
def _forward(
    likelihoods: Floats,
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    seen: Floats,
    backoff: Floats,
    continuation: Floats,
    filtered: Floats,
) -> None:
    """Write Pr[x_t | y_1 ... y_t] into ``filtered`` [T, s, texts]."""
    length, states, texts = likelihoods.shape
    predicted = np.empty((states, texts), np.float32)
    for x in range(states):
        predicted[x] = continuation[x] * backoff[states]
    for k in range(starts[states], starts[states + 1]):
        predicted[words[k]] += seen[k]
    total, left = np.empty(texts, np.float32), np.empty(texts, np.float32)
    for t in range(length):
        total[:] = 0
        for x in range(states):
            for b in range(texts):
                filtered[t, x, b] = predicted[x, b] * likelihoods[t, x, b]
                total[b] += filtered[t, x, b]
        left[:] = 0
        for x in range(states):
            for b in range(texts):
                filtered[t, x, b] /= total[b]
                left[b] += filtered[t, x, b] * backoff[x]
        for x in range(states):
            for b in range(texts):
                predicted[x, b] = continuation[x] * left[b]
        for h in range(states):
            for k in range(starts[h], starts[h + 1]):
                x = words[k]
                for b in range(texts):
                    predicted[x, b] += filtered[t, h, b] * seen[k]


@njit(nogil=True, cache=True, fastmath=True)  # type: ignore[untyped-decorator]
def _backward(
    likelihoods: Floats,
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    seen: Floats,
    backoff: Floats,
    continuation: Floats,
    posterior: Floats,
) -> None:
    """Make Pr[x_t | y_1 ... y_T] of what ``_forward`` wrote, but for a factor of each row."""
    length, states, texts = likelihoods.shape
    later = np.ones((states, texts), np.float32)
    weighted = np.empty((states, texts), np.float32)
    total, left = np.empty(texts, np.float32), np.empty(texts, np.float32)
    for t in range(length - 1, 0, -1):
        left[:] = 0
        for x in range(states):
            for b in range(texts):
                weighted[x, b] = likelihoods[t, x, b] * later[x, b]
                left[b] += weighted[x, b] * continuation[x]
        total[:] = 0
        for h in range(states):
            for b in range(texts):
                later[h, b] = backoff[h] * left[b]
            for k in range(starts[h], starts[h + 1]):
                x = words[k]
                for b in range(texts):
                    later[h, b] += seen[k] * weighted[x, b]
            for b in range(texts):
                total[b] += later[h, b]
        for h in range(states):
            for b in range(texts):
                later[h, b] *= states / total[b]
                posterior[t - 1, h, b] *= later[h, b]
