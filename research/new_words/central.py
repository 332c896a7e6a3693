"""Finders of new words with central differential privacy, or only with a threshold.

Each function takes the number of phones that typed each word, with one word per phone, and returns
the released words. The cryptography that hides the others from the servers doesn't change the
result, and isn't run here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, exp, expm1, factorial, log

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Found = NDArray[np.intp]

DELTA = 1e-8
THRESHOLD = 20
"""Threshold of STAR without noise: smallest number of phones for each released word."""

_ALPHA = 1 / 6  # of Nebula: part of the largest sampling rate


def threshold_alone(counts: Counts) -> Found:
    """Return the words that STAR releases (Davidson and others 2022): k-anonymity, no epsilon."""
    return np.flatnonzero(counts >= THRESHOLD)


def sampled(counts: Counts, epsilon: float, generator: np.random.Generator) -> Found:
    """Return the words that Nebula releases (Shamsabadi and others 2024).

    A phone sends its word with a small probability, and otherwise a dummy. Words sent by enough
    phones are released.
    """
    rate, threshold = rate_and_threshold(epsilon)
    return np.flatnonzero(generator.binomial(counts, rate) >= threshold)


def rate_and_threshold(epsilon: float) -> tuple[float, int]:
    """Return the words of sample-and-threshold (Bharadwaj and Cormode 2022), as used by Brave."""
    threshold = ceil(log(1 / DELTA) / (log(1 / _ALPHA) - 1 / (1 + _ALPHA)))
    return _ALPHA * -expm1(-epsilon), threshold


def trusted(counts: Counts, epsilon: float, generator: np.random.Generator) -> Found:
    """Return the words that a trusted server releases (Korolova and others 2009).

    It adds Laplace noise to the counts of typed words, and releases those above a threshold.
    """
    noisy = counts + generator.laplace(scale=1 / epsilon, size=len(counts))
    return np.flatnonzero((counts > 0) & (noisy > 1 + log(1 / (2 * DELTA)) / epsilon))


def voted(
    words: Sequence[str], counts: Counts, epsilon: float, generator: np.random.Generator
) -> Found:
    """Return the words that TrieHH finds (Zhu and others 2020, Algorithm 1).

    There is a round for each letter. Some phones, drawn anew, vote for their word's next letter if
    all letters before are in the trie. Letters with enough votes are added.
    """
    ended = [f"{word}$" for word in words]
    rounds = max(map(len, ended))
    enough = votes_needed()
    asked = int(counts.sum() * expm1(epsilon / rounds) / (enough * exp(epsilon / rounds)))
    trie = {""}
    for length in range(1, rounds + 1):
        votes: Counter[str] = Counter()
        voters = generator.multivariate_hypergeometric(counts, asked, method="marginals")
        for i in np.flatnonzero(voters):
            if len(ended[i]) >= length and ended[i][: length - 1] in trie:
                votes[ended[i][:length]] += int(voters[i])
        trie |= {prefix for prefix, number in votes.items() if number >= enough}
    return np.array([i for i, word in enumerate(ended) if word in trie], np.intp)


def votes_needed() -> int:
    """Return the votes that add a prefix to the trie: the fewest that keep to ``DELTA``."""
    votes = 4
    while (votes - 3) / (votes - 2) * factorial(votes) < 1 / DELTA:
        votes += 1
    return votes
