"""From a released vector to a sentence: greedy, or the best of a beam, without repeats.

All of this is post-processing: it sees the released vector and the model, nothing else.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.network import Array, batches
from brrkit_adept.sentence_vocabulary import (
    BEGIN,
    END,
    PADDING,
    UNKNOWN,
    SentenceVocabulary,
)

_ROWS_AT_ONCE = 256


class Decoder(Protocol):
    """What writes sentences: ``Network``, or its graphs."""

    def start(self, latents: Array) -> Array:
        """Return as ``Network.start``."""
        ...

    def step(self, tokens: NDArray[np.intp], latents: Array, state: Array) -> tuple[Array, Array]:
        """Return as ``Network.step``."""
        ...


def decode(
    network: Decoder,
    vocabulary: SentenceVocabulary,
    latents: Array,
    *,
    longest: int,
    beam: int = 1,
    repeat: int = 2,
) -> list[list[int]]:
    """Return a sentence of tokens for each latent vector: a label, if there are any, and words.

    Args:
        network: that decodes.
        vocabulary: of the network.
        latents: float32[m, n], norms about 1.
        longest: number of words, at most; there is at least one.
        beam: sentences that are kept at each step; 1 is greedy.
        repeat: no sequence of this many words comes twice; 0 allows all.
    """
    return [
        sentence
        for part in batches(latents, max(1, _ROWS_AT_ONCE // beam))
        for sentence in _search(network, vocabulary, part, longest, beam, repeat)
    ]


def _search(
    network: Decoder,
    vocabulary: SentenceVocabulary,
    latents: Array,
    longest: int,
    beam: int,
    repeat: int,
) -> list[list[int]]:
    count = len(latents)
    label_tokens = int(bool(vocabulary.labels))
    rows = np.arange(count)[:, None] * beam
    latents = np.repeat(latents, beam, axis=0)
    state = network.start(latents)
    found = np.full((count * beam, 0), END)
    last = np.full(count * beam, BEGIN)
    # At first, all of a sentence's beams are one and the same.
    scores = np.where(np.arange(beam) == 0, 0.0, -np.inf) * np.ones((count, 1))
    for place in range(label_tokens + longest):
        logits, state = network.step(last, latents, state)
        allowed = _allowed(logits, found, vocabulary, place, repeat)
        ended = last == END
        allowed[ended] = -np.inf
        allowed[ended, END] = 0
        totals = (scores.reshape(-1, 1) + allowed).reshape(count, -1)
        best = _largest(totals, beam)
        scores = np.take_along_axis(totals, best, axis=1)
        parents = (rows + best // vocabulary.size).ravel()
        last = (best % vocabulary.size).ravel()
        found = np.concatenate([found[parents], last[:, None]], axis=1)
        state = state[parents]
        if (last == END).all():
            break
    lengths = (found != END).sum(axis=1).reshape(count, beam)
    winners = rows[:, 0] + (scores / (lengths + 1)).argmax(axis=1)
    return [[int(token) for token in sentence if token != END] for sentence in found[winners]]


def _allowed(
    logits: Array, found: NDArray[np.intp], vocabulary: SentenceVocabulary, place: int, repeat: int
) -> NDArray[np.float64]:
    """Return the logarithms [m, v] of the probabilities of what may come next, others at -inf."""
    label_tokens = int(bool(vocabulary.labels))
    logs = logits.astype(np.float64)
    logs[:, [PADDING, BEGIN, UNKNOWN]] = -np.inf
    if place < label_tokens:
        logs[:, END] = -np.inf
        logs[:, vocabulary.first_word :] = -np.inf
    else:
        logs[:, UNKNOWN + 1 : vocabulary.first_word] = -np.inf
    if place == label_tokens:
        logs[:, END] = -np.inf  # a sentence has a word
    if repeat:
        recent = found[:, place - repeat + 1 :]
        for start in range(label_tokens, place - repeat + 1):
            again = (found[:, start : start + repeat - 1] == recent).all(axis=1)
            again &= found[:, start + repeat - 1] != END
            logs[again, found[again, start + repeat - 1]] = -np.inf
    logs -= logs.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return result


def _largest(totals: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return the places [m, count] of the largest numbers of each row."""
    if count == 1:
        return np.array(totals.argmax(axis=1)[:, None])
    return np.array(np.argpartition(-totals, count, axis=1)[:, :count])
