"""The probability of each word, given all other typed words of its text.

This is the attacker in the definition of differential privacy, who knows all other words as typed.
With a bigram model, only the words before and after matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.readers.sentence_reader import SparseRows
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.language.bigrams import Bigrams

Floats = NDArray[np.float32]

_NO_WORD_AFTER = -1


class NeighborReader:
    """A reader who knows the language and all other words of a text; thread-safe."""

    def __init__(self, language: Bigrams) -> None:
        """Index the model's bigrams by their first and by their second word."""
        self._language = language
        self._by_first = SparseRows.of(language.seen)
        self._by_second = SparseRows.of(language.seen[: language.start].T.tocsr())
        self._backoff = language.backoff.astype(np.float32)
        self._continuation = language.continuation.astype(np.float32)

    def __call__(self, ids: NDArray[np.int32], part: slice) -> NDArray[np.float32]:
        """Return Pr[x_t = x | all other words], up to a factor for each row, float32[part, s].

        Args:
            ids: int32[t], the text as typed.
            part: the requested places.
        """
        before, after = self.before(ids)[part], self.after(ids)[part]
        result = np.empty((len(before), self._language.start), np.float32)
        self.read(before, after, result)
        return result

    def before(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the word before each word of a text ``ids`` [t]."""
        return self._language.histories(ids)

    def after(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the word after each word of a text ``ids`` [t]."""
        return np.append(ids[1:], np.int32(_NO_WORD_AFTER))

    def read(
        self, before: NDArray[np.int32], after: NDArray[np.int32], result: NDArray[np.float32]
    ) -> None:
        """Write what ``self`` returns between the words ``before`` and ``after`` [t], [t, s]."""
        _weigh_neighbors(
            before,
            after,
            self._by_first,
            self._by_second,
            self._backoff,
            self._continuation,
            result,
        )


@compiled
def _weigh_neighbors(
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    by_first: SparseRows,
    by_second: SparseRows,
    backoff: Floats,
    continuation: Floats,
    result: Floats,
) -> None:
    """Write Pr[x | before] Pr[after | x]; only the first factor if there is no word after."""
    starts, seconds, seen = by_first
    led_starts, firsts, led = by_second
    states = result.shape[1]
    last = np.empty(states, np.float32)
    for t in range(len(before)):
        h, f = before[t], after[t]
        for x in range(states):
            result[t, x] = continuation[x] * backoff[h]
        for k in range(starts[h], starts[h + 1]):
            result[t, seconds[k]] += seen[k]
        if f == _NO_WORD_AFTER:
            continue
        for x in range(states):
            last[x] = continuation[f] * backoff[x]
        for k in range(led_starts[f], led_starts[f + 1]):
            last[firsts[k]] += led[k]
        for x in range(states):
            result[t, x] *= last[x]
