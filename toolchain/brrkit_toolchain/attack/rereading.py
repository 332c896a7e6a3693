"""The best reader of a text that takes little longer than one pass of bigrams over all words.

``sequence`` finds what each word may be. The likeliest are then read once more: words of a text
come again in it (Kuhn and De Mori 1990), and three words say more than two. Forward-backward over
pairs of words is too much for a whole vocabulary: it goes over a few of each place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.attack.knowledge import Knowledge
from brrkit_toolchain.attack.sequence import Floats, SentenceReader
from brrkit_toolchain.attack.success import content_words
from brrkit_toolchain.language.trigrams import Ids, Trigrams

_LIKELIEST = 8  # words of a place, and as many that are content
_REPEATED = 0.1  # of what comes next: a word that the text has elsewhere
_TRIGRAMS = 0.6  # exponent of their belief beside that of bigrams: they are too sure


class Reader:
    """Knows the language and all outputs of a text. Safe to share between threads."""

    def __init__(self, knows: Knowledge) -> None:
        """Keep the models."""
        self._first = SentenceReader(knows.bigrams)
        self._trigrams = knows.trigrams
        words = knows.bigrams.words
        self._prior = np.maximum(words, words[words > 0].min()).astype(np.float32)
        self._content = content_words(words)

    def __call__(self, likelihoods: Sequence[Floats]) -> list[Floats]:
        """Return Pr[x_t = x | y_1 ... y_T] float32[T, s] of some texts, read together.

        As ``SentenceReader`` does.
        """
        return [
            self._again(own, belief)
            for own, belief in zip(likelihoods, self._first(likelihoods), strict=True)
        ]

    def _again(self, likelihoods: Floats, belief: Floats) -> Floats:
        belief = belief / belief.sum(axis=1, keepdims=True)
        words = self._candidates(belief)
        emissions = np.take_along_axis(likelihoods, words, axis=1)
        emissions /= emissions.max(axis=1, keepdims=True)
        elsewhere = (belief.sum(axis=0) - belief) / max(1, len(belief) - 1)
        repeated = (1 - _REPEATED) + _REPEATED * elsewhere / self._prior
        belief *= repeated
        emissions *= np.take_along_axis(repeated, words, axis=1)
        mass = np.take_along_axis(belief, words, axis=1)
        sums = mass.sum(axis=1, keepdims=True)
        read = read_pairs(self._trigrams, words, emissions)
        mixed = read**_TRIGRAMS * (mass / sums) ** (1 - _TRIGRAMS)
        mixed *= sums / mixed.sum(axis=1, keepdims=True)
        np.put_along_axis(belief, words, mixed, axis=1)
        return belief

    def _candidates(self, belief: Floats) -> Ids:
        """Return the likeliest words of each place, all different, int32[t, k]."""
        size = belief.shape[1]
        if size <= 2 * _LIKELIEST:
            return np.tile(np.arange(size, dtype=np.int32), (len(belief), 1))
        first = np.argpartition(belief, size - _LIKELIEST, axis=1)[:, -_LIKELIEST:]
        others = belief * self._content
        np.put_along_axis(others, first, -1, axis=1)
        second = np.argpartition(others, size - _LIKELIEST, axis=1)[:, -_LIKELIEST:]
        return np.concatenate([first, second], axis=1).astype(np.int32)


def read_pairs(model: Trigrams, words: Ids, emissions: Floats) -> Floats:
    """Return Pr[x_t | all outputs of the text] of the ``words`` int32[t, k] of each place.

    Args:
        model: of the language.
        words: what each place can be, different ones; at least one place.
        emissions: Pr[y_t | x] float32[t, k] of them, with any positive factor in each row.
    """
    language, size = model.language, words.shape[1]
    likely = np.empty((len(words), size, size, size), np.float32)
    _two(
        words,
        (language.seen.indptr, language.seen.indices, language.seen.data),
        language.backoff,
        language.continuation,
        language.start,
        likely,
    )
    seen = (model.pairs, model.starts, model.words, model.seen, model.backoff)
    _three(words, seen, language.start + 1, likely)
    likely *= emissions[:, None, None, :]
    result = np.empty(words.shape, np.float32)
    _forward_backward(likely, result)
    return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _find(sorted_: NDArray[np.integer], first: int, end: int, value: int) -> int:
    """Return the first place from ``first`` to ``end`` whose number isn't below ``value``."""
    while first < end:
        middle = (first + end) // 2
        if sorted_[middle] < value:
            first = middle + 1
        else:
            end = middle
    return first


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _two(
    words: Ids,
    model: tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]],
    backoff: NDArray[np.float64],
    continuation: NDArray[np.float64],
    start: int,
    likely: Floats,
) -> None:
    """Write Pr[x | h] [t, g, h, x], for every g."""
    rows, columns, seen = model
    length, size = words.shape
    for t in range(length):
        for j in range(size):
            h = words[t - 1, j] if t else start
            for x in range(size):
                two = backoff[h] * continuation[words[t, x]]
                k = _find(columns, rows[h], rows[h + 1], words[t, x])
                if k < rows[h + 1] and columns[k] == words[t, x]:
                    two += seen[k]
                likely[t, :, j, x] = two


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _three(
    words: Ids,
    model: tuple[NDArray[np.int64], NDArray[np.int64], Ids, Floats, Floats],
    states: int,
    likely: Floats,
) -> None:
    """Make Pr[x | g, h] [t, g, h, x] of what ``_two`` wrote."""
    pairs, starts, followers, seen, backoff = model
    length, size = words.shape
    for t in range(2, length):
        for i in range(size):
            for j in range(size):
                pair = np.int64(words[t - 2, i]) * states + words[t - 1, j]
                place = _find(pairs, 0, len(pairs), pair)
                if place == len(pairs) or pairs[place] != pair:
                    continue
                end = starts[place + 1]
                for x in range(size):
                    likely[t, i, j, x] *= backoff[place]
                    k = _find(followers, starts[place], end, words[t, x])
                    if k < end and followers[k] == words[t, x]:
                        likely[t, i, j, x] += seen[k]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _forward_backward(likely: Floats, result: Floats) -> None:
    """Write Pr[x_t] [t, x] from the steps [t, g, h, x]; where a text begins, g and h have one."""
    length, size = result.shape
    forward = np.zeros((length, size, size), np.float32)
    for t in range(length):
        for i in range(size if t > 1 else 1):
            for j in range(size if t else 1):
                before = forward[t - 1, i, j] if t else np.float32(1)
                for x in range(size):
                    forward[t, j, x] += before * likely[t, i, j, x]
        _share(forward[t])
    backward, earlier = np.ones((size, size), np.float32), np.empty((size, size), np.float32)
    for t in range(length - 1, -1, -1):
        for x in range(size):
            result[t, x] = 0
            for j in range(size):
                result[t, x] += forward[t, j, x] * backward[j, x]
        _share(result[t : t + 1])
        earlier[:] = 0
        most = np.float32(1e-30)
        for i in range(size if t > 1 else 1):
            for j in range(size if t else 1):
                for x in range(size):
                    earlier[i, j] += likely[t, i, j, x] * backward[j, x]
                most = max(most, earlier[i, j])
        for i in range(size):
            for j in range(size):
                backward[i, j] = earlier[i, j] / most


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _share(table: Floats) -> None:
    """Divide a table [r, c] by its sum. ``table /= table.sum()`` takes seconds to compile."""
    rows, columns = table.shape
    total = np.float32(0)
    for i in range(rows):
        for j in range(columns):
            total += table[i, j]
    for i in range(rows):
        for j in range(columns):
            table[i, j] /= total
