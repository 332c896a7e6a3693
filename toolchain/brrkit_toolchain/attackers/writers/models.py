"""Attackers' models of writers: the frequencies of their released words, and their texts' lengths.

The models are naive Bayes: they treat the words of a text, and its length, as independent. The
model of a writer is smoothed towards all writers, as by a Dirichlet prior.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_SMOOTHING = 2.0
"""Weight of all writers' words in each writer's model, relative to a writer's mean word count."""

_LONGEST = 60
"""Length in words; longer texts count as this long."""

_SPREAD = 1.0
"""Standard deviation of the smoothing over neighboring lengths, in words."""

Ids = Sequence[NDArray[np.integer]]
"""Ids of the words of each text."""


def word_scores(
    learned: Ids, writers: NDArray[np.intp], attacked: Ids, words: int
) -> NDArray[np.float64]:
    """Return the scores of each attacked text's words for each writer: [texts, writers].

    A score is the log likelihood ratio to all writers together, minus its mean over the attacked
    texts. Without this, writers with fewer known texts would fit all texts better, or worse.

    Args:
        learned: the attacker's texts.
        writers: intp[m], their writers, from 0; each has at least one.
        attacked: texts whose writers the attacker names.
        words: number of words; all ids are below it.
    """
    of_writer = sparse.csr_array(
        (np.ones(len(writers)), (writers, np.arange(len(writers)))),
        shape=(int(writers.max()) + 1, len(writers)),
    )
    counts = (of_writer @ _bags(learned, words)).toarray()
    base = counts.sum(axis=0) + 1 / words
    base /= base.sum()
    weight = _SMOOTHING * counts.sum() / len(counts)
    shares = (counts + weight * base) / (counts.sum(axis=1, keepdims=True) + weight)
    scores: NDArray[np.float64] = _bags(attacked, words) @ np.log(shares / base).T
    scores -= scores.mean(axis=0)
    return scores


def length_scores(learned: Ids, writers: NDArray[np.intp], attacked: Ids) -> NDArray[np.float64]:
    """Return the log likelihood of each attacked text's length, by writer: [texts, writers]."""
    counts = np.full((int(writers.max()) + 1, _LONGEST + 1), 0.1)
    np.add.at(counts, (writers, _lengths(learned)), 1)
    places = np.arange(_LONGEST + 1)
    near = np.exp(-0.5 * ((places[:, None] - places) / _SPREAD) ** 2)
    counts = counts @ (near / near.sum(axis=1, keepdims=True))
    scores: NDArray[np.float64] = np.log(counts / counts.sum(axis=1, keepdims=True))
    of_texts: NDArray[np.float64] = scores[:, _lengths(attacked)].T
    return of_texts


def _bags(texts: Ids, words: int) -> sparse.csr_array:
    starts = np.cumsum([0, *map(len, texts)])
    ids = np.concatenate(texts)
    return sparse.csr_array((np.ones(len(ids)), ids, starts), shape=(len(texts), words))


def _lengths(texts: Ids) -> NDArray[np.intp]:
    return np.minimum(np.array(list(map(len, texts)), np.intp), _LONGEST)
