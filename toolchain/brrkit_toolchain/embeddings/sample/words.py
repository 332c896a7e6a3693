"""The sample's words, in the order of how often people use them.

How often that is is the mean of what public texts of several kinds say (``text.SOURCES``) and of
what wordfreq says, which knows more rare words.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from brrkit.tokenizer import tokenize

from .text import CHAT_ROOM, SOURCES, texts

FREQUENCIES = "wordfreq-en-60k.tsv.xz"
FREQUENCIES_WEIGHT = 0.5
"""Of the frequencies in this file; the rest is that of the texts."""

FEWEST_TEXTS = 3
"""That have a word of no other source."""

NUMBERS = frozenset(map(str, (*range(32), 40, 45, 50, 60, 70, 80, 90, 100, 200, 500, 1000)))
"""Numbers that are words."""

_WORD = re.compile(r"[a-z]+")
_DIGIT = re.compile("[0-9]")
_HOSTS = {
    "n't": "do does did is are was were has have had would could should ca wo must need ai might",
    "'m": "i",
    "'re": "you we they what who there how",
    "'ve": "i you we they could would should might must who",
    "'ll": "i you he she it we they that there who what",
    "'d": "i you he she it we they that there who how where what",
    "'s": "it that he she there what who here how where let when why everything everyone nothing",
}
CONTRACTIONS = frozenset(
    f"{host}{ending}" for ending, hosts in _HOSTS.items() for host in hosts.split()
) | {"y'all", "o'clock", "ma'am"}


def is_word(token: str) -> bool:
    """Tell whether a token is spelled as an English word is, or a number that stands for itself."""
    if "'" in token:
        return token in CONTRACTIONS
    return token in NUMBERS or _WORD.fullmatch(token) is not None


def stripped(token: str) -> str:
    """Return a token without apostrophes around it, and without a possessor's ending."""
    bare = token.strip("'")
    return bare if bare in CONTRACTIONS else bare.removesuffix("'s")


def masked(token: str) -> str:
    """Return a token's class of numbers: its digits are 0."""
    return _DIGIT.sub("0", token)


def tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a text, ``stripped``."""
    return (bare for token in tokenize(text) if (bare := stripped(token)))


class Usage:
    """How often people use words.

    Attributes:
        shares: by token, its share of all; of every token that is in a text or in wordfreq.
        counts: by token, in how many texts it is, but those of a chat room.
        typed: by token, in how many texts it is.
        listed: wordfreq's.
    """

    def __init__(self, folder: Path) -> None:
        """Count the texts in ``folder``, and read wordfreq's frequencies."""
        self.shares: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.typed: Counter[str] = Counter()
        for source in SOURCES:
            counts: Counter[str] = Counter()
            for text in texts(folder, source):
                found = list(tokens(text))
                counts.update(found)
                self.typed.update(set(found))
                if source.name != CHAT_ROOM:  # whose names and commands are nobody else's words
                    self.counts.update(set(found))
            scale = (1 - FREQUENCIES_WEIGHT) * source.weight / counts.total()
            self.shares.update({token: scale * count for token, count in counts.items()})
        frequencies = read_frequencies(folder)
        scale = FREQUENCIES_WEIGHT / sum(frequencies.values())
        self.shares.update(
            {token: scale * share for token, share in frequencies.items() if is_word(token)}
        )
        self.listed = frozenset(frequencies)

    def is_used(self, token: str) -> bool:
        """Tell whether wordfreq or enough texts, not only of a chat room, have a token."""
        return token in self.listed or self.counts[token] >= FEWEST_TEXTS

    def words(self) -> list[str]:
        """Return all words, the most frequent first."""
        return self._ordered(word for word in self.shares if is_word(word) and self.is_used(word))

    def _ordered(self, words: Iterable[str]) -> list[str]:
        return sorted(words, key=lambda word: (-self.shares[word], word))


def read_frequencies(folder: Path) -> dict[str, float]:
    """Return wordfreq's frequencies of words, by word."""
    with lzma.open(folder / FREQUENCIES, "rt", encoding="utf-8") as lines:
        rows = (line.rstrip("\n").split("\t") for line in lines)
        return {word: float(share) for word, share in rows}
