"""A word's score for a text's class: the log of its rate in the class over its rate in all texts.

Rates count texts, not tokens: a second occurrence in a text adds nothing. The logs are shrunk for
rare words by n / (n + s), where n is the number of texts with the word; held-out labeled texts
choose s. A word in fewer than ``least`` texts has no score, because a word of one text would show
that text's label. Predicting scores from vectors made such words substitutes for everything, which
lowered the accuracy of released intents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from brrkit_toolchain.codes.portable import logarithm
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.tasks.corpus import Texts

UNIT = 1 << 12
"""Units of a score in a natural logarithm of 1."""

SHRINKAGES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Candidates for ``choose_shrinkage``."""


@dataclass(frozen=True)
class TextCounts:
    """Numbers of labeled texts with each word.

    Attributes:
        texts: int64[words], number of all texts with the word.
        shares: int64[words, classes], sum of these texts' weights for each class.
        total: int64[classes], sum of all texts' weights for each class.
        each: total weight of each text.
    """

    texts: NDArray[np.int64]
    shares: NDArray[np.int64]
    total: NDArray[np.int64]
    each: int


def incidence(texts: Texts, words: int) -> Any:
    """Return the incidence of words in ``texts``, a sparse int64[m, words] of ones."""
    ones = np.ones(len(texts.ids), np.int64)
    matrix = csr_array((ones, texts.ids, texts.offsets), shape=(len(texts.offsets) - 1, words))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def count_texts(has: Any, shares: NDArray[np.int64]) -> TextCounts:
    """Count the texts of an ``incidence`` [m, words], with weights ``shares`` int64[m, classes]."""
    texts = np.bincount(has.indices, minlength=has.shape[1])
    return TextCounts(texts, has.T @ shares, shares.sum(axis=0), int(shares[0].sum()))


def log_ratios(counts: TextCounts) -> NDArray[np.float64]:
    """Return ln (rate in the class / rate in all texts), float64[words, classes].

    Each word counts as if it were in one more text, with the average weights of all texts. So the
    result is 0 without evidence.
    """
    prior = counts.total / counts.total.sum()
    ratios: NDArray[np.float64] = _log_ratios(counts.texts, counts.shares / counts.each, prior)
    return ratios


@compiled
def _log_ratios(
    texts: NDArray[np.int64], in_class: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    ratios = np.zeros(in_class.shape)
    for word in range(len(texts)):
        for place in range(len(prior)):
            if texts[word]:
                share = (in_class[word, place] + prior[place]) / ((texts[word] + 1) * prior[place])
                ratios[word, place] = logarithm(share)
    return ratios


def shrunk(
    ratios: NDArray[np.float64], texts: NDArray[np.int64], shrinkage: int
) -> NDArray[np.int64]:
    """Return the scores int64[words, classes], in ``UNIT``s, of words that ``texts`` have."""
    trust = UNIT * (texts / (texts + shrinkage))
    return np.rint(trust[:, None] * ratios).astype(np.int64)


def choose_shrinkage(
    learned: TextCounts, ratios: NDArray[np.float64], has: Any, shares: NDArray[np.int64]
) -> int:
    """Return the one of ``SHRINKAGES`` with the best classification by sums of scores.

    Args:
        learned: counts of some texts.
        ratios: their ``log_ratios``.
        has: the ``incidence`` [m, words] of other texts.
        shares: weights of these, int64[m, classes].
    """
    right = [
        int(gain(has, shrunk(ratios, learned.texts, shrinkage), shares)) for shrinkage in SHRINKAGES
    ]
    return SHRINKAGES[right.index(max(right))]


def gain(has: Any, scores: NDArray[np.int64], shares: NDArray[np.int64]) -> int:
    """Return the total weight of texts for the class with the largest sum of words' scores.

    For classes, it is the number of correctly classified texts.
    """
    found = (has @ scores).argmax(axis=1)
    return int(shares[np.arange(len(found)), found].sum())


@dataclass(frozen=True)
class Scores:
    """Words' scores for the classes of a task.

    Attributes:
        values: int64[words, classes], in ``UNIT``s; 0 without evidence.
        texts: int64[words], number of labeled texts with each word; 0 if there are too few.
        shrinkage: the chosen s.
    """

    values: NDArray[np.int64]
    texts: NDArray[np.int64]
    shrinkage: int


def learn_scores(
    texts: Texts,
    shares: NDArray[np.int64],
    words: int,
    aside: NDArray[np.bool_],
    least: int = 1,
) -> Scores:
    """Learn the scores of all words.

    Args:
        texts: labeled texts.
        shares: int64[m, classes], weight of each text for each class.
        words: number of words in the vocabulary.
        aside: bool[m], the texts that choose the shrinkage of scores from the others.
        least: smallest number of texts with a word that has a score.
    """
    has = incidence(texts, words)
    has.data *= (np.bincount(has.indices, minlength=words) >= least)[has.indices]
    has.eliminate_zeros()
    others = count_texts(has[~aside], shares[~aside])
    shrinkage = choose_shrinkage(others, log_ratios(others), has[aside], shares[aside])
    counts = count_texts(has, shares)
    return Scores(shrunk(log_ratios(counts), counts.texts, shrinkage), counts.texts, shrinkage)
