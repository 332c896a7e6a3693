"""The strings of a list in a text: emoji, words, phrases, or the whole text as one string.

``spec/bundle-format.md``, "Lists", is the specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brrkit.characters import PICTOGRAPHS, character_class
from brrkit.tokenizer import Token, Tokenizer

WORDS, EMOJI, BOTH, STRINGS = "words", "emoji", "both", "strings"
KINDS = (WORDS, EMOJI, BOTH, STRINGS)
"""Kinds of a list's strings: words and phrases, emoji, both, or any strings."""

MOST_UNITS = 8
"""Largest number of words and emoji in a phrase."""

_TONES = "\U0001f3fb-\U0001f3ff"
_SELECTORS = "\ufe0e\ufe0f"
_ELEMENT = f"[{character_class(PICTOGRAPHS)}][{_SELECTORS}{_TONES}\U000e0020-\U000e007f]*"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_KEYCAP = f"[#*0-9][{_SELECTORS}]?\u20e3"
_EMOJI = re.compile(f"{_FLAG}|{_KEYCAP}|{_ELEMENT}(?:\u200d{_ELEMENT})*")
_SELECTOR = re.compile(f"[{_SELECTORS}]")
_TONE = re.compile(f"[{_TONES}]")


def is_emoji(unit: str) -> bool:
    """Return whether a unit of a text is an emoji instead of a word."""
    return _EMOJI.fullmatch(unit) is not None


@dataclass(frozen=True, eq=False)
class ListTokenizer(Tokenizer):
    """Finds the strings of a list in texts; every other word or emoji is unknown.

    Attributes:
        kind: kind of the list, one of ``KINDS``.
    """

    kind: str

    def normalize(self, text: str) -> str:
        """Return ``text`` in the form of the list's strings."""
        return text if self.kind == STRINGS else " ".join(unit.text for unit in self.units(text))

    def finished(self, text: str) -> str:  # noqa: ARG002 (it is that of a tokenizer)
        """Return nothing: a phrase may begin in any word, and emoji grow."""
        return ""

    def runs(self, text: str) -> list[str]:
        """Return the whole ``text``, since phrases are found in all of it."""
        return [text]

    def tokens(self, run: str) -> list[Token]:
        """Return the list's strings in a text, the longest phrases first, without overlap."""
        if self.kind == STRINGS:
            return [Token(run, self.vocabulary.find(run))]
        return list(self._matched(list(self.units(run))))

    def look_up(self, word: str) -> int | None:
        """Return the id of the string that is the whole ``word``, or None if there is none."""
        tokens = self.read(word)
        return tokens[0].word_id if len(tokens) == 1 else None

    def units(self, text: str) -> Iterator[Token]:
        """Yield the words and emoji of a text, if lists of this kind contain them."""
        end = 0
        for emoji in _EMOJI.finditer(text):
            yield from self._words(text[end : emoji.start()])
            if self.kind != WORDS:
                yield self._emoji(emoji[0])
            end = emoji.end()
        yield from self._words(text[end:])

    def _words(self, text: str) -> Iterator[Token]:
        """Yield the words of a text without emoji, if lists of this kind contain words."""
        if self.kind != EMOJI:
            for run in super().runs(text):
                yield from super().tokens(run)

    def _emoji(self, sequence: str) -> Token:
        """Return the token of an emoji, which also stands for the emoji without skin tones."""
        text = _SELECTOR.sub("", sequence)
        word_id = self.vocabulary.find(text)
        return Token(
            text, self.vocabulary.find(_TONE.sub("", text)) if word_id is None else word_id
        )

    def _matched(self, units: Sequence[Token]) -> Iterator[Token]:
        place = 0
        while place < len(units):
            token, size = self._first(units[place : place + MOST_UNITS])
            yield token
            place += size

    def _first(self, units: Sequence[Token]) -> tuple[Token, int]:
        """Return the longest phrase at the start of ``units``, or the first unit, and its size."""
        texts = [unit.text for unit in units]
        for size in range(len(texts), 1, -1):
            word_id = self.vocabulary.find(phrase := " ".join(texts[:size]))
            if word_id is not None:
                return Token(phrase, word_id), size
        return units[0], 1
