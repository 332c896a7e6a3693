"""The embeddings that ship inside the package."""

from __future__ import annotations

import re

import numpy as np
import pytest
from bundle_tools import data_path
from numpy.typing import NDArray

from brrkit.tokenizer import normalize, tokenize
from brrkit.writing import ENGLISH
from brrkit_toolchain.embeddings import Embeddings, read_embeddings, sample_path
from brrkit_toolchain.embeddings.usable_words import read_word_list
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.utility.neighbors import read_word_pairs, word_similarity
from brrkit_toolchain.writing.spellings import fit_spellings, read_spellings

FOLDER = sample_path().parent


@pytest.fixture(scope="module")
def sample() -> Embeddings:
    return read_embeddings(sample_path())


@pytest.fixture(scope="module")
def unit(sample: Embeddings) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = sample.vectors / np.linalg.norm(
        sample.vectors, axis=1, keepdims=True
    )
    return unit


def test_size(sample: Embeddings) -> None:
    assert len(sample.words) >= 20_000
    assert sample_path().stat().st_size <= 4_000_000


def test_every_row_is_usable(sample: Embeddings) -> None:
    assert sample.skipped == {}
    assert sample.format == "word2vec text"


def test_words_are_english_unique_and_what_the_tokenizer_makes(sample: Embeddings) -> None:
    assert len(set(sample.words)) == len(sample.words)
    for word in sample.words:
        assert re.fullmatch("[a-z]+('[a-z]+)?|[0-9]+[a-z]*", word)
        assert normalize(word) == word
        assert tokenize(word) == [word]


def test_words_come_by_frequency(sample: Embeddings) -> None:
    rank = {word: i for i, word in enumerate(sample.words)}
    assert max(rank[word] for word in ("the", "of", "and", "in", "to")) < 20
    assert rank["time"] < rank["city"] < rank["umbrella"]


def test_it_has_what_people_type(sample: Embeddings) -> None:
    assert {"ok", "lunch", "hmm", "don't", "i'm", "7pm", "2"} <= {*sample.words}
    front = sample.words[:2_000]
    assert {"ok", "lol", "sorry", "thanks", "haha", "tomorrow"} <= {*front}


def test_no_two_words_have_the_same_vector(sample: Embeddings) -> None:
    assert len(np.unique(sample.vectors, axis=0)) == len(sample.words)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("london", {"manchester", "birmingham", "liverpool", "edinburgh", "bristol", "glasgow"}),
        ("coffee", {"tea", "cocoa", "beans", "drink", "cup", "sugar", "chocolate"}),
        ("seven", {"six", "eight", "nine", "five", "ten"}),
        ("monday", {"tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}),
        ("father", {"mother", "son", "brother", "grandfather", "uncle"}),
    ],
)
def test_neighbors_make_sense(
    sample: Embeddings, unit: NDArray[np.float32], word: str, expected: set[str]
) -> None:
    ids = np.argsort(-(unit @ unit[sample.words.index(word)]))[1:11]
    assert {sample.words[i] for i in ids} & expected


def test_similarities_agree_with_human_judgments(sample: Embeddings) -> None:
    pairs = read_word_pairs(data_path("wordsim"))
    codes = np.zeros((len(sample.words), 1), np.uint64)
    codes[::2] = 1  # not what is measured here, but a constant has no correlation
    measured = word_similarity(sample.words, sample.vectors, codes, {"MEN": pairs["MEN"]})["MEN"]
    assert measured.float32 >= 0.62
    assert measured.pairs >= 2_000


class TestSpellings:
    def test_lead_to_words(self, sample: Embeddings) -> None:
        spellings = read_spellings(FOLDER / "spellings.tsv", ENGLISH)
        writing = fit_spellings(ENGLISH, spellings, sample.words)
        assert not spellings.keys() & {*sample.words}
        assert len(writing.spellings) >= 0.98 * len(spellings)

    @pytest.mark.parametrize(
        ("typed", "word"),
        [
            *(("tmr", "tomorrow"), ("u", "you"), ("dont", "don't"), ("goin", "going")),
            *(("thx", "thanks"), ("hahahaha", "haha"), ("recieve", "receive"), ("k", "ok")),
            *(("colour", "color"), ("sooooo", "so"), ("11pm", "10pm"), ("1987", "2000")),
            *(("its", "its"), ("well", "well"), ("can't", "can't"), ("7", "7")),
        ],
    )
    def test_are_looked_up(self, sample: Embeddings, typed: str, word: str) -> None:
        spellings = read_spellings(FOLDER / "spellings.tsv", ENGLISH)
        tokenizer = tokenizer_of(sample.words, fit_spellings(ENGLISH, spellings, sample.words))
        (token,) = tokenizer.read(typed)
        assert token.word_id is not None
        assert sample.words[token.word_id] == word


class TestNeverReleased:
    def test_no_word_is(self, sample: Embeddings) -> None:
        never = read_word_list(FOLDER / "never_released.txt")
        assert len(never) > 1_000
        assert not never & {*sample.words}
        assert not never & {*read_spellings(FOLDER / "spellings.tsv", ENGLISH).values()}

    def test_ordinary_words_may_be(self, sample: Embeddings) -> None:
        assert {"sex", "gay", "hell", "damn", "stupid", "god", "drunk"} <= {*sample.words}
