"""Made-up words of topics, their vectors, and texts of one topic each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TOPICS, WORDS_OF_A_TOPIC, DIMENSIONS = 8, 25, 12

_LETTERS = "bcdfghklmnprstvw"


def _name(topic: int, number: int) -> str:
    """Return a word whose letters say nothing of its topic."""
    mixed = (topic * WORDS_OF_A_TOPIC + number) * 7919 % 4096
    return "".join(_LETTERS[mixed >> shift & 15] + "aeiou"[shift % 5] for shift in (0, 4, 8))


WORDS = [_name(topic, number) for number in range(WORDS_OF_A_TOPIC) for topic in range(TOPICS)]
"""The first words of each topic, then the second ones."""


def topic_vectors() -> NDArray[np.float32]:
    """Return the vector of each word, near its topic's."""
    generator = np.random.default_rng(0)
    topics = generator.standard_normal((TOPICS, DIMENSIONS))
    near = 0.3 * generator.standard_normal((len(WORDS), DIMENSIONS))
    return (5 * (np.tile(topics, (WORDS_OF_A_TOPIC, 1)) + near)).astype(np.float32)


def topic_texts() -> list[str]:
    """Return texts in which a topic's first words are the most frequent."""
    generator = np.random.default_rng(1)
    shares = 1 / (np.arange(WORDS_OF_A_TOPIC) + 3.0)
    drawn = generator.choice(WORDS_OF_A_TOPIC, (3_000, 8), p=shares / shares.sum())
    return [
        " ".join(WORDS[number * TOPICS + place % TOPICS] for number in row)
        for place, row in enumerate(drawn.tolist())
    ]
