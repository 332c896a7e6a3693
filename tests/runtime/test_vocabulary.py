"""Looking words up in the mapped file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from brr_runtime import Bundle
from brr_runtime.vocabulary import Vocabulary

WORDS = [
    "the",
    "a",
    "an",
    "and",
    "android",
    "don't",
    "zebra",
    "naïve",
    "nave",
    "ｆｕｌｌ",
    "éclair",
    "дом",
    "domain",
    "世界",
    "\U00020000",  # 4 bytes: above every 3-byte word in bytes, below some in UTF-16
    "ﬀ",
    "\x7fdel",
    "0",
]


@pytest.fixture(params=[WORDS, WORDS[::-1], sorted(WORDS), WORDS[:2]], ids=len)
def words(request: pytest.FixtureRequest) -> list[str]:
    return request.param


@pytest.fixture
def vocabulary(
    words: list[str], vocabulary_of: Callable[[Sequence[str]], Vocabulary]
) -> Vocabulary:
    return vocabulary_of(words)


def test_every_word_is_found(words: list[str], vocabulary: Vocabulary) -> None:
    assert len(vocabulary) == len(words)
    for rank, word in enumerate(words):
        assert vocabulary.find(word) == rank
        assert vocabulary.word(rank) == word
        assert vocabulary.encoded(rank) == word.encode()


def test_prefixes_and_extensions_are_other_words(words: list[str], vocabulary: Vocabulary) -> None:
    for word in words:
        for other in (word[:-1], word + "s", word + "\x00", "\x00" + word, word + word):
            expected = words.index(other) if other in words else None
            assert vocabulary.find(other) == expected


@pytest.mark.parametrize(
    "word", ["", "\ud800", "the\udfff", "\udc80", "\x00", "\U0010ffff", "zzz", "thé", "\uffff"]
)
def test_absent_words(word: str, vocabulary: Vocabulary) -> None:
    assert vocabulary.find(word) is None


@pytest.mark.parametrize("typed", ["THE", "The", "tHe"])
def test_case_is_normalized(typed: str, vocabulary: Vocabulary, words: list[str]) -> None:
    assert vocabulary.find(typed) == words.index("the") if "the" in words else None


def test_apostrophes_are_normalized(vocabulary_of: Callable[..., Vocabulary]) -> None:
    vocabulary = vocabulary_of(WORDS)
    for typed in ("don't", "DON’T", "Donʼt", "don＇t"):
        assert vocabulary.find(typed) == WORDS.index("don't")
    assert vocabulary.find("dont") is None


def test_what_a_find_gives_is_a_plain_integer(bundle64: Bundle) -> None:
    assert type(bundle64.vocabulary.find(bundle64.vocabulary.word(5))) is int


def test_every_word_of_a_bundle_is_found(bundle: Bundle) -> None:
    vocabulary = bundle.vocabulary
    assert len(vocabulary) == len(bundle) == bundle.manifest["vocabulary_size"]
    for rank in range(len(vocabulary)):
        assert vocabulary.find(vocabulary.word(rank)) == rank
        assert vocabulary.find(vocabulary.word(rank) + "\u0301") is None
