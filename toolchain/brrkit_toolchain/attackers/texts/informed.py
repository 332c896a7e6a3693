"""What the typed words beside a word tell of it: the most that anybody can know but for the word.

This is the attacker of differential privacy's definition, who knows everything else as typed. With
a bigram model only the words before and after matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.sequence import parts_of_rows
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.language.bigrams import Bigrams

Floats = NDArray[np.float32]

_END = -1  # in place of the word after the last


class NeighborReader:
    """Knows the language and every other word of a text. Safe to share between threads."""

    def __init__(self, language: Bigrams) -> None:
        """Keep the model, and what was seen by the second word, too."""
        self._language = language
        led = language.seen[: language.start].T.tocsr()
        self._model = (
            *parts_of_rows(language.seen),
            *parts_of_rows(led),
            language.backoff.astype(np.float32),
            language.continuation.astype(np.float32),
        )

    def __call__(self, ids: NDArray[np.int32], part: slice) -> NDArray[np.float32]:
        """Return Pr[x_t = x | all other words], but for a factor of each row, float32[part, s].

        Args:
            ids: int32[t], the text as typed.
            part: the places that are asked for.
        """
        before = self._language.histories(ids)[part]
        after = np.append(ids[1:], _END)[part]
        result = np.empty((len(before), self._language.start), np.float32)
        _between(before, after, *self._model, result)
        return result


@compiled
def _between(
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    seen: Floats,
    led_starts: NDArray[np.int64],
    leading: NDArray[np.int32],
    led: Floats,
    backoff: Floats,
    continuation: Floats,
    result: Floats,
) -> None:
    """Write Pr[x | before] Pr[after | x]; the first alone where there is no word after."""
    states = result.shape[1]
    last = np.empty(states, np.float32)
    for t in range(len(before)):
        h, f = before[t], after[t]
        for x in range(states):
            result[t, x] = continuation[x] * backoff[h]
        for k in range(starts[h], starts[h + 1]):
            result[t, words[k]] += seen[k]
        if f == _END:
            continue
        for x in range(states):
            last[x] = continuation[f] * backoff[x]
        for k in range(led_starts[f], led_starts[f + 1]):
            last[leading[k]] += led[k]
        for x in range(states):
            result[t, x] *= last[x]
