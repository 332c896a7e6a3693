"""Vectors for words without one: as their own would be, and only where that is so."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from numpy.typing import NDArray
from typed_text import TOPICS, WORDS, topic_texts, topic_vectors

from brrkit import ParameterError
from brrkit_toolchain.language.filled import FEWEST_TEXTS, FEWEST_WORDS, Filled, fill_vectors
from brrkit_toolchain.language.lexicon import tokenizer_of

MISSING = WORDS[:TOPICS]  # the most frequent one of each topic


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    return topic_vectors()


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return topic_texts()


def filled(
    texts: Iterable[str], vectors: NDArray[np.float32], without: int = TOPICS, least: int = 5
) -> Filled:
    tokenizer = tokenizer_of(WORDS[without:])
    return fill_vectors(
        tokenizer, vectors[without:], texts, least, lambda word: word != "never", "public.txt"
    )


def test_a_vector_is_near_the_words_own(texts: list[str], vectors: NDArray[np.float32]) -> None:
    found = filled([*texts, *["never"] * 100], vectors)
    assert found.judged.added == TOPICS
    assert sorted(found.words) == sorted(WORDS)
    assert found.judged.cosine > 0.8
    assert found.judged.nearest > 0.2  # by chance 0.05
    made = found.vectors[[found.words.index(word) for word in MISSING]]
    own = vectors[:TOPICS]
    cosines = (made @ own.T) / np.linalg.norm(made, axis=1)[:, None] / np.linalg.norm(own, axis=1)
    assert cosines.argmax(axis=1).tolist() == list(range(TOPICS))
    assert cosines.diagonal().min() > 0.8
    kept = dict(zip(found.words, found.vectors, strict=True))
    rest = zip(WORDS[TOPICS:], vectors[TOPICS:], strict=True)
    assert all(np.array_equal(kept[word], row) for word, row in rest)


def test_words_are_in_the_order_of_the_text(texts: list[str], vectors: NDArray[np.float32]) -> None:
    """Those that few texts have, and so a place would tell of, as the embeddings have them."""
    last = WORDS[-2]
    rare = [f"{last} " * 1_000] * 4
    known = [text for text in texts if last not in text.split()]
    words = filled(known + rare, vectors).words
    counts = {word: sum(text.split().count(word) for text in known) for word in words}
    seen = [word for word in words if counts[word]]
    assert [counts[word] for word in seen] == sorted(counts.values(), reverse=True)[: len(seen)]
    assert words[: len(seen)] == seen
    assert last in words[len(seen) :]


def test_rare_words_get_none(texts: list[str], vectors: NDArray[np.float32]) -> None:
    few = [f"rare {text}" for text in texts[: FEWEST_TEXTS - 1]]
    enough = [f"frequent {text}" for text in texts[-FEWEST_TEXTS:]]
    words = filled(texts + few + enough, vectors).words
    assert ("rare" in words, "frequent" in words) == (False, True)
    assert "frequent" not in filled(texts + enough, vectors, least=FEWEST_TEXTS + 1).words


def test_where_the_text_says_nothing_of_words_none_gets_one(
    texts: list[str], vectors: NDArray[np.float32]
) -> None:
    shuffled = np.random.default_rng(2).permutation(vectors)
    found = filled(texts, shuffled)
    assert found.judged.cosine < 0.3
    assert (found.judged.added, sorted(found.words)) == (0, sorted(WORDS[TOPICS:]))


def test_little_text(texts: list[str], vectors: NDArray[np.float32]) -> None:
    says = rf"^public.txt: only 0 words with a vector occur in 20 .* takes {FEWEST_WORDS}; give"
    for some in ([], texts[:10]):
        with pytest.raises(ParameterError, match=says):
            filled(some, vectors)


def test_spelling_counts(texts: list[str], vectors: NDArray[np.float32]) -> None:
    """A word with two topics around it is nearer to the one whose word it is spelled like."""
    first, second = WORDS[TOPICS], WORDS[TOPICS + 1]
    told = [
        f"{like}{like} {text}"
        for like in (first, second)
        for place, text in enumerate(texts[:800])
        if place % TOPICS < 2
    ]
    found = filled(texts + told, vectors)
    one, other = (found.vectors[found.words.index(2 * like)] for like in (first, second))
    near = [found.vectors[found.words.index(like)] for like in (first, second)]
    assert one @ near[0] > other @ near[0]
    assert other @ near[1] > one @ near[1]
