"""What the typed words beside a word tell of it: the most that anybody can know but for the word.

This is the attacker of differential privacy's definition, who knows everything else as typed. With
a bigram model only the words before and after matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.language.bigrams import Bigrams


class NeighborReader:
    """Knows the language and every other word of a text. Safe to share between threads."""

    def __init__(self, language: Bigrams) -> None:
        """Keep the model, and what was seen by the second word, too."""
        self._language = language
        self._led = language.seen[: language.start].T.tocsr()

    def __call__(self, ids: NDArray[np.int32], part: slice) -> NDArray[np.float64]:
        """Return Pr[x_t = x | all other words], but for a factor of each row, float64[part, s].

        Args:
            ids: int32[t], the text as typed.
            part: the places that are asked for.
        """
        language = self._language
        result = language.after(language.histories(ids)[part])
        following = ids[1:][part]  # none for the last word
        leading = self._led[following].toarray()
        leading += language.continuation[following][:, None] * language.backoff[: language.start]
        result[: len(following)] *= leading
        return result
