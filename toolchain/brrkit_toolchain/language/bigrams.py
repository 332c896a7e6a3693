"""A bigram model with modified Kneser-Ney discounts (Chen and Goodman 1999, section 3).

    Pr[x | h] = max(c(h, x) - D, 0) / c(h) + backoff(h) * continuation(x)

where D depends on whether the bigram was seen once, twice or more often, and ``continuation`` is in
proportion to the number of different words that x followed. Every word has a positive probability
after every other. Words are ids of a vocabulary of n; n stands for all unknown words, and n + 1 for
the start of a text, which only a history can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_CONTINUATION_DISCOUNT = 0.75  # for words outside the text


@dataclass(frozen=True)
class Bigrams:
    """A language model. Arrays have s = n + 1 entries, for all words and the unknown one.

    Attributes:
        words: float64[s], the relative frequency of each word; one occurrence is added to each.
        continuation: float64[s], sums to 1.
        backoff: float64[s + 1], for each history; the last is the start of a text.
        seen: float64[s + 1, s], the discounted probabilities of seen bigrams: rows are histories.
        tokens: number of tokens from which it was learned.
    """

    words: NDArray[np.float64]
    continuation: NDArray[np.float64]
    backoff: NDArray[np.float64]
    seen: sparse.csr_array
    tokens: int

    @property
    def start(self) -> int:
        """The history of a text's first word."""
        return len(self.words)

    def histories(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the history of each word of a text ``ids`` [t]."""
        return np.concatenate([np.array([self.start], np.int32), ids[:-1]])

    def perplexity(self, texts: Sequence[NDArray[np.int32]]) -> float:
        """Return e to the mean negative log probability of a word of ``texts``, given the last."""
        some = [ids for ids in texts if len(ids)]
        ids, histories = np.concatenate(some), np.concatenate(list(map(self.histories, some)))
        seen = np.asarray(self.seen[histories, ids]).ravel()  # faster than text by text
        likely = seen + self.backoff[histories] * self.continuation[ids]
        logs, start = 0.0, 0
        for text in some:
            logs += float(np.log(likely[start : start + len(text)]).sum())
            start += len(text)
        return float(np.exp(-logs / start))


def learn_bigrams(texts: Sequence[NDArray[np.int32]], vocabulary: int) -> Bigrams:
    """Learn a model from ``texts``, each int32[t] of ids up to ``vocabulary``, its size n."""
    states = vocabulary + 1
    ids = np.concatenate([np.empty(0, np.int32), *texts]).astype(np.int64)
    before = np.roll(ids, 1)
    before[np.cumsum([0, *(len(text) for text in texts if len(text))])[:-1]] = states
    pairs, counts = np.unique(before * states + ids, return_counts=True)
    histories, words = np.divmod(pairs, states)
    cut = discounts(counts)[np.minimum(counts, 3)]
    totals = np.bincount(histories, counts, states + 1)
    kept = np.bincount(histories, cut, states + 1)
    backoff = np.divide(kept, totals, out=np.ones(states + 1), where=totals > 0)
    different = np.bincount(words, minlength=states).astype(np.float64)
    continuation = np.maximum(different - _CONTINUATION_DISCOUNT, 0) / max(1.0, different.sum())
    continuation += (1 - fsum(continuation)) / states  # a sum without an order
    frequencies = np.bincount(ids, minlength=states) + 1.0
    seen = sparse.csr_array(
        ((counts - cut) / totals[histories], (histories, words)), shape=(states + 1, states)
    )
    return Bigrams(frequencies / frequencies.sum(), continuation, backoff, seen, len(ids))


def discounts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the discounts of bigrams seen 0 (nothing), 1, 2, and 3 or more times."""
    once, twice, thrice, often = np.bincount(counts.clip(0, 5), minlength=5)[1:5].clip(1).tolist()
    share = once / (once + 2 * twice)
    return np.array(
        [
            0.0,
            1 - 2 * share * twice / once,
            max(0.0, 2 - 3 * share * thrice / twice),
            max(0.0, 3 - 4 * share * often / thrice),
        ]
    )
