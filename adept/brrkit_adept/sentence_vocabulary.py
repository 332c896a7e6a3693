"""Sentences as numbers: what the autoencoder reads and writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from brrkit.tokenizer import tokenize

PADDING, BEGIN, END, UNKNOWN = range(4)
"""Tokens that are no words; none of them can come out."""

_SPECIAL_TOKENS = 4


@dataclass(frozen=True)
class SentenceVocabulary:
    """The labels and words of a model.

    A token is one of the four special ones, then a label, then a word.

    Attributes:
        labels: sorted; none if the model has no labels.
        words: most frequent first.
    """

    labels: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of tokens."""
        return self.first_word + len(self.words)

    @property
    def first_word(self) -> int:
        """The token of the first word: those from ``UNKNOWN`` + 1 up to it are labels."""
        return _SPECIAL_TOKENS + len(self.labels)

    @cached_property
    def _words(self) -> dict[str, int]:
        return {word: self.first_word + i for i, word in enumerate(self.words)}

    @cached_property
    def _labels(self) -> dict[str, int]:
        return {label: _SPECIAL_TOKENS + i for i, label in enumerate(self.labels)}

    def tokens(self, text: str, label: str | None, longest: int) -> list[int]:
        """Return the tokens of a sentence: its label, if the model has labels, and its words.

        Words and labels outside the vocabulary are ``UNKNOWN``. Of the words, the first
        ``longest`` count.
        """
        first = [self._labels.get(label or "", UNKNOWN)] if self.labels else []
        return first + [self._words.get(word, UNKNOWN) for word in tokenize(text)[:longest]]

    def sentence(self, tokens: Sequence[int]) -> tuple[str | None, str]:
        """Return the label, if the model has labels, and the text of what was decoded."""
        label = None
        if self.labels and tokens:
            label, tokens = self.labels[tokens[0] - _SPECIAL_TOKENS], tokens[1:]
        return label, " ".join(self.words[token - self.first_word] for token in tokens)


def make_vocabulary(
    texts: Iterable[str], labels: Iterable[str] | None, largest: int, least: int
) -> SentenceVocabulary:
    """Return the vocabulary of ``texts``.

    Args:
        texts: that a model is trained on.
        labels: of the texts; None for a model without labels.
        largest: number of words, at most.
        least: how often a word must occur.
    """
    counts = Counter(word for text in texts for word in tokenize(text))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    words = tuple(word for word, count in ranked[:largest] if count >= least)
    return SentenceVocabulary(tuple(sorted(set(labels or ()))), words)
