"""The sample's words, in the order of their frequencies.

A frequency is the mean of that in public texts of several kinds (``text.SOURCES``) and that from
wordfreq, which contains more rare words.
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
"""Weight of wordfreq's frequencies; the texts' frequencies have the rest."""

FEWEST_TEXTS = 3
"""Smallest number of texts with a word that no other source has."""

NUMBERS = frozenset(map(str, (*range(32), 40, 45, 50, 60, 70, 80, 90, 100, 200, 500, 1000)))
"""Numbers that are words."""

_WORD = re.compile(r"(?!.*(.)\1\1)[a-z]+")  # without drawn-out words such as sooo
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
    """Return whether a token is spelled like an English word, or is a number of ``NUMBERS``."""
    if "'" in token:
        return token in CONTRACTIONS
    return token in NUMBERS or _WORD.fullmatch(token) is not None


def stripped(token: str) -> str:
    """Return a token without surrounding apostrophes, and without a possessive ending."""
    bare = token.strip("'")
    return bare if bare in CONTRACTIONS else bare.removesuffix("'s")


def masked(token: str) -> str:
    """Return a token's class of numbers: its digits are 0."""
    return _DIGIT.sub("0", token)


def tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a text, ``stripped``."""
    return (bare for token in tokenize(text) if (bare := stripped(token)))


class Usage:
    """Frequencies of words.

    Attributes:
        shares: share of each token in a text or in wordfreq among all.
        counts: number of texts with each token, without those of a chat room.
        typed: number of texts with each token.
        listed: wordfreq's frequencies.
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
                if source.name != CHAT_ROOM:  # its names and commands aren't used elsewhere
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
        """Return whether wordfreq or enough texts, outside of chat rooms, contain a token."""
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
