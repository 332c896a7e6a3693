"""A list of words for cutting texts before there is a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.language.model import model_of_ranks


class RankedWords:
    """Words in rank order, in the form for a tokenizer."""

    def __init__(self, words: Sequence[str]) -> None:
        """Keep the different normalized ``words``."""
        self._words = words
        self._ids = {word: rank for rank, word in enumerate(words)}
        self.find = self._ids.get

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        """Yield the words, by rank."""
        return iter(self._words)

    def word(self, word_id: int) -> str:
        """Return the word of this rank."""
        return self._words[word_id]


def with_ranked_words(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer that finds the same words faster than in a bundle's compact vocabulary."""
    return replace(tokenizer, vocabulary=RankedWords(list(tokenizer.vocabulary)))


def tokenizer_of(words: Sequence[str], writing: Writing = ENGLISH) -> Tokenizer:
    """Return a tokenizer with ``words``, the most frequent first; ranks give their frequencies."""
    return Tokenizer(writing, RankedWords(words), model_of_ranks(len(words)).masses)
