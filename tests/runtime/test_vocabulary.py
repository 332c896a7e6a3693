"""Looking words up in the mapped file."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from brrkit import ParameterError, WordBundle
from brrkit.vocabulary import Vocabulary

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


# Beginnings in common, shorter and longer than what can be shared, some of many bytes a character.
STEMS = [
    stem + ending
    for stem in ("", "b" * 30, "c" * 31, "d" * 32, "é" * 15, "ab" + "世" * 10, "\U00020000" * 7)
    for ending in ("a", "aa", "b", "é", "ê", "世", "丗", "\U00020001", "\U00020400")
]
LONG = ["x" * 5000 + ending for ending in ("", "a", "b")] + ["y" * 70_000, "z"]


@pytest.fixture(
    params=[WORDS, WORDS[::-1], sorted(WORDS), WORDS[:2], STEMS, STEMS[:16], STEMS[:33], LONG],
    ids=["some", "backwards", "in order", "two", "stems", "one block", "one more", "long"],
)
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


def test_it_gives_its_words_by_id(words: list[str], vocabulary: Vocabulary) -> None:
    assert list(vocabulary) == [vocabulary.word(i) for i in range(len(words))]


def test_prefixes_and_extensions_are_other_words(words: list[str], vocabulary: Vocabulary) -> None:
    for word in words:
        for other in (word[:-1], word + "s", word + "\x00", "\x00" + word, word + word):
            expected = words.index(other) if other in words else None
            assert vocabulary.find(other) == expected


@pytest.mark.parametrize("last", ["b", "b ", "b a", "b" + 31 * "x" + "y", "ba", "c"])
def test_a_block_that_begins_near_a_word(
    last: str, vocabulary_of: Callable[[Sequence[str]], Vocabulary]
) -> None:
    """The next block begins with an extension of the word before, or shares 31 bytes with it."""
    words = [*(f"a{i:02}" for i in range(15)), "b" + 31 * "x", last, f"{last}{31 * 'z'}"]
    vocabulary = vocabulary_of(words)
    for rank, word in enumerate(words):
        assert vocabulary.find(word) == rank
        for other in (word + " ", word + "~", word[:-1], word + "\x1f"):
            assert vocabulary.find(other) == (words.index(other) if other in words else None)


@pytest.mark.parametrize(
    "word", ["", "\ud800", "the\udfff", "\udc80", "\x00", "\U0010ffff", "zzz", "thé", "\uffff"]
)
def test_absent_words(word: str, vocabulary: Vocabulary) -> None:
    assert vocabulary.find(word) is None


@pytest.mark.parametrize("typed", ["THE", "The", "tHe"])
def test_only_a_normalized_word_is_found(typed: str, vocabulary: Vocabulary) -> None:
    assert vocabulary.find(typed) is None


def test_what_a_find_gives_is_a_plain_integer(bundle64: WordBundle) -> None:
    assert type(bundle64.vocabulary.find(bundle64.vocabulary.word(5))) is int


def test_every_word_of_a_bundle_is_found(bundle: WordBundle) -> None:
    vocabulary = bundle.vocabulary
    assert len(vocabulary) == len(bundle) == bundle.manifest["vocabulary_size"]
    for rank in range(len(vocabulary)):
        assert vocabulary.find(vocabulary.word(rank)) == rank
        assert vocabulary.find(vocabulary.word(rank) + "\u0301") is None


def test_threads_share_a_vocabulary(
    bundle: WordBundle, in_8_threads: Callable[[Callable[[int], None]], None]
) -> None:
    words = list(bundle.vocabulary)
    found: list[list[int | None]] = []
    in_8_threads(lambda _: found.append([bundle.vocabulary.find(word) for word in words]))
    assert found == [list(range(len(words)))] * 8


# --- damage: what opening a bundle refuses


def coded(vocabulary: Vocabulary, words: bytes) -> Vocabulary:
    """Replace the front-coded words; the offsets fit them if they hold as many."""
    starts = [i for i, byte in enumerate(words) if byte < 32][::16]
    offsets = np.array([*starts, len(words)], np.uint32)
    return replace(vocabulary, words=np.frombuffer(words, np.uint8), offsets=offsets.data)


def read(words: bytes) -> list[str]:
    """Decode front-coded words, one byte after the other, or raise ValueError."""
    decoded: list[bytes] = []
    at = 0
    while at < len(words):
        shared = words[at]
        before = b"" if len(decoded) % 16 == 0 else decoded[-1]
        if shared > min(31, len(before)):
            raise ValueError
        at += 1
        rest = b""
        while at < len(words) and words[at] > 31:
            rest += words[at : at + 1]
            at += 1
        if not rest:
            raise ValueError
        decoded.append(before[:shared] + rest)
    return [word.decode() for word in decoded]


def test_right_words_have_no_damage(vocabulary: Vocabulary, words: list[str]) -> None:
    assert vocabulary.damage() is None
    assert read(bytes(vocabulary.words)) == sorted(words)


@pytest.mark.parametrize(
    "words",
    [
        b"\0a\xc3\xa9\x02b",  # é, cut behind its first byte
        b"\0a\xc3\xa9\x03b\x02b",  # the same, two words on
        b"\0a\xc3\xa9\x03b\x04bb\x05a\x02b",
        b"\0a\xe4\xb8\x96\x03b",
        b"\0a\xe4\xb8\x96\x01\xe4\xb8\x97\x04b\x03b",
        b"\0a\x01\xc3\xa9\x02b",
        b"\0\xf0\xa0\x80\x80\x03b",
        b"\0ab\0" + b"\0".join([b"c"] * 15) + b"\0\xc3\xa9\x01b",  # in the second block
    ],
)
def test_a_character_cut_in_two_is_damage(
    words: bytes, vocabulary_of: Callable[..., Vocabulary]
) -> None:
    with pytest.raises(UnicodeDecodeError):
        read(words)
    count = sum(byte < 32 for byte in words)
    vocabulary = coded(vocabulary_of([f"w{i}" for i in range(count)]), words)
    assert vocabulary.damage() == "tensor 'words' isn't UTF-8"


def test_damage_is_found_or_harmless(vocabulary_of: Callable[..., Vocabulary]) -> None:
    """Whatever bytes are wrong: nothing is said to be right that can't be read, or the reverse."""
    generator = random.Random(5)
    right = vocabulary_of(sorted(set(WORDS + STEMS)))
    intact = bytes(right.words)
    found = 0
    for _ in range(3000):
        words = bytearray(intact)
        for _ in range(generator.choice([1, 1, 2, 5])):
            position = generator.randrange(len(words))
            byte = generator.choice([0, 1, 2, 3, 30, 31, 32, 97, 0x80, 0xA9, 0xC3, 0xE4, 0xF0, 255])
            words[position] = byte
        vocabulary = coded(right, bytes(words))
        try:
            expected = read(bytes(words))
        except ValueError:
            expected = []
        if vocabulary.damage():
            found += 1
            assert len(expected) != len(right)
        else:
            assert [vocabulary.word(i) for i in vocabulary.ids.unpack().tolist()] == expected
            for word in expected:
                assert vocabulary.find(word) in (None, *range(len(right)))
    assert 1000 < found < 3000


def test_an_id_that_no_word_has(vocabulary: Vocabulary) -> None:
    for word_id in (-1, len(vocabulary), 10**9):
        with pytest.raises(ParameterError, match=f"from 0 to {len(vocabulary) - 1}$"):
            vocabulary.word(word_id)
