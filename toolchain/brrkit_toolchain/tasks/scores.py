"""What a word says of a text's class: the log of its rate in the class over its rate in all texts.

Rates are of texts, not of tokens: a text that has a word twice says no more. The logs are shrunk
for rare words by n / (n + s), n being the texts that have the word; held-out labeled texts choose
s. A word that fewer than ``least`` of them have says nothing: a word of one text would show that
text's label. Predicted from its vector, such words were wild cards that released intents got lost
in.
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
"""Of a score: so many are a natural logarithm of 1."""

SHRINKAGES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Of which ``choose_shrinkage`` takes one."""


@dataclass(frozen=True)
class TextCounts:
    """How many labeled texts have each word.

    Attributes:
        texts: int64[words], all that have it.
        shares: int64[words, classes], what these count for each class.
        total: int64[classes], what all texts count for it, with the word or without.
        each: what each text counts in total.
    """

    texts: NDArray[np.int64]
    shares: NDArray[np.int64]
    total: NDArray[np.int64]
    each: int


def incidence(texts: Texts, words: int) -> Any:
    """Return which of ``texts`` has which word, a sparse int64[m, words] of ones."""
    ones = np.ones(len(texts.ids), np.int64)
    matrix = csr_array((ones, texts.ids, texts.offsets), shape=(len(texts.offsets) - 1, words))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def count_texts(has: Any, shares: NDArray[np.int64]) -> TextCounts:
    """Count the texts of an ``incidence`` [m, words], which count ``shares`` int64[m, classes]."""
    texts = np.bincount(has.indices, minlength=has.shape[1])
    return TextCounts(texts, has.T @ shares, shares.sum(axis=0), int(shares[0].sum()))


def log_ratios(counts: TextCounts) -> NDArray[np.float64]:
    """Return ln (rate in the class / rate in all texts), float64[words, classes].

    As if each word were in one text more, that counts for each class what all do on average:
    without evidence it is 0.
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
    """Return the one of ``SHRINKAGES`` by which the sum of a text's scores is right most often.

    Args:
        learned: counts of some texts.
        ratios: their ``log_ratios``.
        has: the ``incidence`` [m, words] of others.
        shares: what these count, int64[m, classes].
    """
    right = [
        int(gain(has, shrunk(ratios, learned.texts, shrinkage), shares)) for shrinkage in SHRINKAGES
    ]
    return SHRINKAGES[right.index(max(right))]


def gain(has: Any, scores: NDArray[np.int64], shares: NDArray[np.int64]) -> int:
    """Return what texts count for the class that the sum of their words' scores says, in total.

    Of classes it is the number of texts whose class is found.
    """
    found = (has @ scores).argmax(axis=1)
    return int(shares[np.arange(len(found)), found].sum())


@dataclass(frozen=True)
class Scores:
    """What words say of the classes of a task.

    Attributes:
        values: int64[words, classes], in ``UNIT``s; 0 where there is no evidence.
        texts: int64[words], how many of the labeled texts have each word; 0 of one that too few
            have.
        shrinkage: s, that was chosen.
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
        shares: int64[m, classes], how much each counts for each class.
        words: in the vocabulary.
        aside: bool[m], those on which the shrinkage of what others teach is chosen.
        least: how many of the texts have a word that says anything, at least.
    """
    has = incidence(texts, words)
    has.data *= (np.bincount(has.indices, minlength=words) >= least)[has.indices]
    has.eliminate_zeros()
    others = count_texts(has[~aside], shares[~aside])
    shrinkage = choose_shrinkage(others, log_ratios(others), has[aside], shares[aside])
    counts = count_texts(has, shares)
    return Scores(shrunk(log_ratios(counts), counts.texts, shrinkage), counts.texts, shrinkage)
