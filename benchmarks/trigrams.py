"""A trigram model over the bigram one, and what it makes of the likeliest words of each place.

    Pr[x | g, h] = max(c(g, h, x) - D, 0) / c(g, h) + backoff(g, h) * Pr[x | h]

with absolute discounts as for bigrams; the lower model is ``Bigrams`` as it is. Forward-backward
over pairs of words is too much for a whole vocabulary: it goes over the words that the bigram
attacker finds likeliest at each place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.language.bigrams import Bigrams

_DISCOUNT = 0.75

Ids = NDArray[np.int32]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Trigrams:
    """What was seen of three words, over a model of two. A pair is the number g * (s + 1) + h.

    Attributes:
        language: the model of two.
        pairs: int64[p], sorted, that stood before a word.
        starts: int64[p + 1], where each pair's words are.
        words: int32[q], of each pair, sorted.
        seen: float64[q], the discounted part of what was seen.
        backoff: float64[p].
    """

    language: Bigrams
    pairs: NDArray[np.int64]
    starts: NDArray[np.int64]
    words: Ids
    seen: NDArray[np.float64]
    backoff: NDArray[np.float64]


def learn_trigrams(texts: Sequence[Ids], language: Bigrams) -> Trigrams:
    """Learn from the ``texts`` (ids int32[t] each) that ``language`` was learned from."""
    states = language.start + 1
    found = [
        ((text[:-2].astype(np.int64) * states + text[1:-1]) * states + text[2:]) for text in texts
    ]
    triples, counts = np.unique(np.concatenate(found), return_counts=True)
    before, words = np.divmod(triples, states)
    pairs, starts = np.unique(before, return_index=True)
    totals = np.add.reduceat(counts, starts)
    different = np.diff(np.append(starts, len(triples)))
    return Trigrams(
        language,
        pairs,
        np.append(starts, len(triples)),
        words.astype(np.int32),
        (counts - _DISCOUNT) / np.repeat(totals, different),
        _DISCOUNT * different / totals,
    )


def read_pairs(model: Trigrams, words: Ids, emissions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr[x_t | all outputs of the text] of the ``words`` int32[t, k] of each place.

    Args:
        model: of the language.
        words: what each place can be, different ones; at least one place.
        emissions: Pr[y_t | x] float64[t, k] of them, with any positive factor in each row.
    """
    language, length = model.language, len(words)
    size, start = words.shape[1], language.start
    before = [np.full(1, start, np.int64), *words.astype(np.int64)]
    bigrams = [_two(language, before[t], words[t]) for t in range(length)]
    triples: list[NDArray[np.floating[Any]]] = [bigrams[0][None]]
    for t in range(1, length):
        pairs = before[t - 1][:, None] * (start + 1) + before[t]
        triples.append(_three(model, pairs, words[t], bigrams[t]))
    forward = np.ones((1, 1))  # over the words at t - 2 and t - 1
    messages = []
    for t in range(length):
        forward = np.einsum("gh,ghx->hx", forward, triples[t]) * emissions[t]
        forward /= forward.sum()
        messages.append(forward)
    backward = np.ones((1 if length == 1 else size, size))
    result = np.empty(words.shape)
    for t in range(length - 1, -1, -1):
        both = messages[t] * backward
        result[t] = both.sum(axis=0) / both.sum()
        if t:
            backward = np.einsum("ghx,x,hx->gh", triples[t], emissions[t], backward)
            backward /= backward.max()
    return result


def _two(language: Bigrams, before: NDArray[np.int64], words: Ids) -> NDArray[np.float64]:
    """Return Pr[x | h] float64[h, x]."""
    seen = language.seen[before][:, words].toarray()
    result: NDArray[np.float64] = seen + np.outer(
        language.backoff[before], language.continuation[words]
    )
    return result


def _three(
    model: Trigrams, pairs: NDArray[np.int64], words: Ids, bigrams: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return Pr[x | g, h] float32[g, h, x] of ``pairs`` [g, h]."""
    result = np.broadcast_to(bigrams, (*pairs.shape, len(words))).astype(np.float32)
    _add_seen(
        pairs, words, *(model.pairs, model.starts, model.words), model.seen, model.backoff, result
    )
    return result


@njit(cache=True)  # type: ignore[untyped-decorator]
def _add_seen(
    pairs: NDArray[np.int64],
    words: Ids,
    known: NDArray[np.int64],
    starts: NDArray[np.int64],
    followers: Ids,
    seen: NDArray[np.float64],
    backoff: NDArray[np.float64],
    result: NDArray[np.float32],
) -> None:
    for g in range(pairs.shape[0]):
        for h in range(pairs.shape[1]):
            place = np.searchsorted(known, pairs[g, h])
            if place == len(known) or known[place] != pairs[g, h]:
                continue
            first, end = starts[place], starts[place + 1]
            for x in range(len(words)):
                result[g, h, x] *= backoff[place]
                k = first + np.searchsorted(followers[first:end], words[x])
                if k < end and followers[k] == words[x]:
                    result[g, h, x] += seen[k]
