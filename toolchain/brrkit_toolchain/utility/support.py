"""N_w and S_w: the probability that a word stays, and the number of outputs that hide it.

N_w = Pr[M(w) = w] and S_w, "the (effective) support of the output distribution", are the statistics
by which Feyisetan et al. (2020; the slides "Sampling and Calibration") choose epsilon. They compute
S_w, like ``distinct`` here, as the number of different outputs in some draws. This number grows
with the draws, and is comparable only for equal numbers of draws. Therefore there is also

    effective support = 1 / Pr[M(w) = M'(w)],

where M and M' are two independent releases of w: the number of equally likely outputs that would
agree as often (the Hill number of order 2). It never exceeds the number of possible outputs, or
e^entropy. The share of pairs of draws that agree is an unbiased estimate of the probability, for
any number of draws; more draws only narrow the interval. Over several words, it is 1 over the mean
of the probabilities, a harmonic mean: badly hidden words have the largest weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.setting import Estimate
from brrkit_toolchain.confidence import mean, mean_proportion, proportion


@dataclass(frozen=True)
class Support:
    """N_w and S_w of a word, or their means over words.

    Attributes:
        unchanged: N_w.
        distinct: S_w as the number of different outputs in ``draws`` draws. For one word, it is a
            count without an interval.
        effective: S_w as 1 / Pr[two releases agree]; from 1 to the size of the vocabulary.
        draws: number of draws per word.
    """

    unchanged: Estimate
    distinct: Estimate
    effective: Estimate
    draws: int


def effective_support(agreement: Estimate, vocabulary: int) -> Estimate:
    """Return 1 / ``agreement``, the probability that two releases agree, up to ``vocabulary``."""
    low, value, high = (
        1 / max(probability, 1 / vocabulary)
        for probability in (agreement.high, agreement.value, agreement.low)
    )
    return Estimate(value, low, high)


def word_support(word: int, outputs: NDArray[np.int64], vocabulary: int) -> Support:
    """Estimate N_w and S_w of one word from independent releases.

    Args:
        word: id of the input word.
        outputs: ids [D] of the outputs, at least two.
        vocabulary: number of words.
    """
    draws = len(outputs)
    stays = float((outputs == word).mean())
    return Support(
        proportion(stays, stays * (1 - stays) / draws, draws),
        Estimate.exact(len(np.unique(outputs))),
        effective_support(_agreement(outputs), vocabulary),
        draws,
    )


def mean_support(words: NDArray[np.intp], outputs: NDArray[np.int64], vocabulary: int) -> Support:
    """Estimate the means of N_w and S_w over words; the words count as drawn at random.

    Args:
        words: ids [T] of the drawn words, with repetitions.
        outputs: ids [T, D] of independent releases of each; D is at least two.
        vocabulary: number of words.
    """
    if len(words) == 1:
        return word_support(int(words[0]), outputs[0], vocabulary)
    draws = outputs.shape[1]
    ordered = np.sort(outputs, axis=1)
    distinct = 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)
    pairs = draws * (draws - 1) // 2
    agreeing = np.zeros(len(words))
    for lag in range(1, draws):  # equal outputs are side by side
        agreeing += (ordered[:, lag:] == ordered[:, :-lag]).sum(axis=1)
    return Support(
        mean_proportion((outputs == words[:, None]).mean(axis=1), draws),
        mean(distinct.astype(np.float64)),
        effective_support(mean_proportion(agreeing / pairs, pairs), vocabulary),
        draws,
    )


def _agreement(outputs: NDArray[np.int64]) -> Estimate:
    """Return the probability that two releases of one word agree, from its releases [D]."""
    draws = len(outputs)
    counts = np.unique(outputs, return_counts=True)[1].astype(np.float64)
    pairs = draws * (draws - 1) / 2
    share = float((counts * (counts - 1) / 2).sum() / pairs)
    # Hoeffding's variance of a mean over pairs, for the observed shares of the outputs.
    p = counts / draws
    among_three = float((p**3).sum() - (p**2).sum() ** 2)
    variance = (2 * (draws - 2) * among_three + share * (1 - share)) / pairs
    return proportion(share, variance, pairs)
