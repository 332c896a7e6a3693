"""The attacker who knows which words follow two others, against sums over all texts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from brrkit_toolchain.attackers.texts.readers.trigram_reader import read_pairs
from brrkit_toolchain.language.bigrams import learn_bigrams
from brrkit_toolchain.language.trigrams import learn_trigrams

WORDS = 5


def _texts():
    generator = np.random.default_rng(0)
    return [generator.integers(0, WORDS + 1, 12).astype(np.int32) for _ in range(6)]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_beliefs_are_sums_over_all_texts(length):
    texts = _texts()
    language = learn_bigrams(texts, WORDS)
    emissions = np.random.default_rng(length).random((length, WORDS + 1)) + 0.01

    seen = np.zeros((WORDS + 1,) * 3)
    for text in texts:
        for g, h, x in zip(text, text[1:], text[2:], strict=False):
            seen[g, h, x] += 1
    wanted = np.zeros((length, WORDS + 1))
    bigrams = language.seen.toarray() + np.outer(language.backoff, language.continuation)
    for text in product(range(WORDS + 1), repeat=length):
        weight = 1.0
        for t, x in enumerate(text):
            probability = bigrams[text[t - 1] if t else language.start, x]
            counts = seen[text[t - 2], text[t - 1]] if t > 1 else np.zeros(1)
            if counts.sum():
                probability *= 0.75 * np.count_nonzero(counts) / counts.sum()
                probability += max(counts[x] - 0.75, 0) / counts.sum()
            weight *= probability * emissions[t, x]
        for t, x in enumerate(text):
            wanted[t, x] += weight
    wanted /= wanted.sum(axis=1, keepdims=True)

    order = np.array([3, 0, 5, 1, 4, 2], np.int32)
    found = read_pairs(
        learn_trigrams(texts, language), np.tile(order, (length, 1)), emissions[:, order]
    )
    np.testing.assert_allclose(found, wanted[:, order], rtol=1e-4)


def test_three_words_are_of_one_text():
    texts = [np.array(text, np.int32) for text in ([3, 1], [], [2, 4, 0], [1])]
    language = learn_bigrams(texts, WORDS)
    model = learn_trigrams(texts, language)
    assert (model.pairs.tolist(), model.words.tolist()) == ([2 * (WORDS + 2) + 4], [0])
    assert not len(learn_trigrams([], language).pairs)


def test_probabilities_are_discounted_counts_over_the_model_of_two():
    texts = _texts()
    language = learn_bigrams(texts, WORDS)
    model = learn_trigrams(texts, language)
    asked = [np.array(text, np.int32) for text in product(range(WORDS + 1), repeat=3)]
    found = model.probabilities([*asked, asked[0][:1]])
    two = learn_trigrams([], language).probabilities(asked)  # as it saw no three words
    assert found[-1] == found[0] == two[0]
    third = found[2:-1:3].reshape(-1, WORDS + 1)
    np.testing.assert_allclose(third.sum(axis=1), 1, rtol=1e-6)  # after any two words
    counts = np.zeros((WORDS + 1,) * 3)
    for text in texts:
        np.add.at(counts, (text[:-2], text[1:-1], text[2:]), 1)
    g, h = (each[0] for each in np.nonzero(counts.sum(axis=2)))
    seen, total = counts[g, h], counts[g, h].sum()
    lower = language.seen.toarray()[h] + language.backoff[h] * language.continuation
    wanted = np.maximum(seen - 0.75, 0) / total + 0.75 * np.count_nonzero(seen) / total * lower
    np.testing.assert_allclose(third[g * (WORDS + 1) + h], wanted, rtol=1e-6)
