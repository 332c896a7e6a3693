"""Text to tokens, and tokens to words, by a bundle's writing, words and lists of secret words.

``spec/bundle-format.md`` (section "Tokenizer") is the specification. The parts that the tokenizer
leaves out (case, punctuation, spacing, emoji) never reach a mechanism's output.

If only spaces and punctuation cut a language, such as English, the number of a text's tokens
depends only on the text, and a mechanism gets one word for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from brrkit.characters import LOOKALIKES, SEPARATORS, character_class
from brrkit.cuts import Costs, cut_compound, cut_unspaced
from brrkit.normal_form import normalize, renormalized
from brrkit.policy import NO_POLICY, Policy
from brrkit.vocabulary import Words
from brrkit.writing import ENGLISH, Writing

LONGEST = 256
"""Largest number of code points of a token that is cut, or may be another spelling of a word."""

MOST_TIMES = 8
"""Largest number of words before it, and of endings, that are removed from a word."""

_DIGITS = str.maketrans("123456789", "0" * 9)


class Token(NamedTuple):
    """A part of a text, for which a mechanism gets one word.

    Attributes:
        text: the normalized text.
        word_id: id of the word that it is typed as; None if it is unknown.
    """

    text: str
    word_id: int | None


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """Cuts texts, and looks up tokens.

    Attributes:
        writing: writing rules of the language.
        vocabulary: the words.
        masses: uint8[n], the mass of each word as a byte of ``brrkit.masses.LEVELS``, by id.
        policy: the policy, by which words are typed as others.
    """

    writing: Writing
    vocabulary: Words
    masses: NDArray[np.uint8]
    policy: Policy = field(default=NO_POLICY, kw_only=True)

    def normalize(self, text: str) -> str:
        """Return ``text`` in the vocabulary's normal form."""
        return normalize(text, self.writing)

    def read(self, text: str) -> list[Token]:
        """Return the tokens of ``text``, with their words' ids."""
        return [token for run in self.runs(text) for token in self.tokens(run)]

    def tokenize(self, text: str) -> list[str]:
        """Return the normalized tokens of ``text``."""
        return [token.text for token in self.read(text)]

    def look_up(self, word: str) -> int | None:
        """Return the id of the word that ``word`` is typed as, or None if it is unknown.

        Args:
            word: any string; it is normalized first. If it isn't a token, it is still looked up.
        """
        return look_up(word, self._find, self.writing)

    def finished(self, text: str) -> str:
        """Return the beginning of ``text`` whose tokens don't change, whatever is typed next.

        It ends with the last character that separates words next to any others.
        """
        for end in range(len(text), 0, -1):
            if self._separates(text[end - 1]):
                return text[:end]
        return ""

    def is_inner(self, character: str) -> bool:
        """Return whether a text can't be cut between ``character`` and another inner one.

        The empty string, which means a text's end, isn't inner.
        """
        if not character or self.writing.is_unspaced(character):
            return False
        return not self._separates(character)

    def runs(self, text: str) -> list[str]:
        """Return the normalized parts of ``text``, no token of which depends on another part."""
        runs: list[str] = _run(self.writing.joiners).findall(normalize(text, self.writing))
        return runs

    def tokens(self, run: str) -> list[Token]:
        """Return the tokens of one of ``runs``."""
        if not self.writing.unspaced:
            return self._spaced(run)
        tokens: list[Token] = []
        for stretch in self._stretch.finditer(run):
            if stretch[1]:
                tokens += [self._token(*piece) for piece in cut_unspaced(stretch[1], self._costs)]
            else:
                # Joiners at the ends of a stretch don't join anything.
                tokens += self._spaced(stretch[0].strip(self._joiners))
        return tokens

    def _find(self, string: str) -> int | None:
        """Return the id of the word for a normalized string with exactly this spelling."""
        return self.policy.typed_as(string, self.vocabulary.find(string))

    def _separates(self, character: str) -> bool:
        return self._separator.search(self.normalize(character)) is not None

    @cached_property
    def _joiners(self) -> str:
        return "".join(self.writing.joiners)

    @cached_property
    def _separator(self) -> re.Pattern[str]:
        """Texts that end with a separator, but no joiner or apostrophe."""
        return re.compile(
            rf"[{character_class(SEPARATORS)}](?<![{LOOKALIKES}{re.escape(self._joiners)}])\Z"
        )

    @cached_property
    def _no_word(self) -> str:
        return _no_word(self.writing)

    @cached_property
    def _stretch(self) -> re.Pattern[str]:
        unspaced = character_class(self.writing.unspaced)
        return re.compile(f"([{unspaced}]+)|[^{unspaced}]+")

    @cached_property
    def _costs(self) -> Costs:
        return Costs.of(self.vocabulary, self.masses)

    def _spaced(self, rest: str) -> list[Token]:
        """Return the tokens of a stretch in scripts with spaces."""
        tokens: list[Token] = []
        for left in range(MOST_TIMES, -1, -1):
            if not rest.strip(self._no_word):
                return tokens
            token = self._token(rest)
            if token.word_id is not None or len(rest) > LONGEST:
                return [*tokens, token]
            bare = rest.lstrip("'")
            first = self._before(bare) if left else ""
            if not first:
                break
            tokens.append(self._token(first))
            rest = bare.removeprefix(first)
        bare = bare.rstrip("'")
        parts = cut_compound(bare, self.writing, self._costs) if self.writing.links else []
        return tokens + ([self._token(*part) for part in parts] or [token])

    def _token(self, text: str, word_id: int | None = None) -> Token:
        """Return the token for ``text``, a part of a normalized text.

        Args:
            text: the part.
            word_id: id of the word with this spelling, if known.
        """
        writing = self.writing
        again = renormalized(text, writing)
        if word_id is None or again != text:
            return Token(text, _find(again, self._find, writing))
        return Token(text, self.policy.typed_as(text, word_id))

    def _before(self, bare: str) -> str:
        """Return the longest of ``writing.before`` at the start of ``bare`` that leaves a word."""
        fitting = (
            first
            for first in self.writing.before
            if bare.startswith(first) and bare.removeprefix(first).strip("'")
        )
        return max(fitting, key=len, default="")


def tokenize(text: str, writing: Writing = ENGLISH) -> list[str]:
    """Return the normalized tokens of ``text``, without cuts by a vocabulary.

    They are maximal runs of word characters, and of joiners between two of these, with at least one
    character besides apostrophes and joiners.
    """
    runs: list[str] = _run(writing.joiners).findall(normalize(text, writing))
    no_word = _no_word(writing)
    return [run for run in runs if run.strip(no_word)]


def _no_word(writing: Writing) -> str:
    """Return the characters that aren't tokens by themselves."""
    return "'" + "".join(writing.joiners)


@lru_cache(maxsize=8)
def _run(joiners: tuple[str, ...]) -> re.Pattern[str]:
    word = f"[^{character_class(SEPARATORS)}]+"
    between = "".join(map(re.escape, joiners))
    return re.compile(f"{word}(?:[{between}]{word})*" if joiners else word)


def look_up(
    token: str, find: Callable[[str], int | None], writing: Writing = ENGLISH
) -> int | None:
    """Return the id of the word for ``token``, or None if it is unknown.

    Args:
        token: any string; it is normalized first. If it isn't a token, it is still looked up.
        find: function that returns the id of a normalized string, or None.
        writing: writing rules of the vocabulary's language.
    """
    return _find(normalize(token, writing), find, writing)


def _find(token: str, find: Callable[[str], int | None], writing: Writing) -> int | None:
    """Return the result of ``look_up`` for a normalized ``token``."""
    for candidate in candidates(token, writing):
        word_id = find(candidate)
        if word_id is not None:
            return word_id
    return None


def candidates(token: str, writing: Writing) -> Iterator[str]:
    """Yield the candidates for a normalized token; the first that is a word counts."""
    yield token
    if len(token) > LONGEST:
        return
    bare = token.strip("'")
    if not bare:
        return
    if bare != token:
        yield bare
    for part, other in writing.rewritten:
        if part in bare and (rewritten := bare.replace(part, other)):
            yield rewritten
    word_of = writing.word_of
    for form in (bare, *_shortened(bare, writing.longest_run)):
        if form != bare:
            yield form
        rest = form
        for _ in range(MOST_TIMES):
            if rest in word_of:
                yield word_of[rest]
                return
            rests = _rests(rest, writing)
            yield from rests
            if not rests:
                break
            rest = rests[0]
    masked = bare.translate(_DIGITS)
    if masked in word_of:
        yield word_of[masked]


def _shortened(bare: str, longest: int) -> tuple[str, ...]:
    """Return the forms with runs of more than ``longest`` equal code points shortened.

    Runs of digits stay, because shortening them gives another number.
    """
    if not longest:
        return ()
    long_run = _long_run(longest)
    cut = long_run.sub(r"\1" * longest, bare)
    return () if cut == bare else (cut, long_run.sub(r"\1", bare))


@lru_cache(maxsize=8)
def _long_run(longest: int) -> re.Pattern[str]:
    return re.compile(rf"([^0-9])\1{{{longest},}}")


def _rests(bare: str, writing: Writing) -> list[str]:
    """Return the rest of ``bare`` without each of its endings, the longest ending first."""
    rests = [bare.removesuffix(ending) for ending in writing.endings if bare.endswith(ending)]
    return sorted((rest for rest in rests if len(rest) >= writing.shortest_stem), key=len)
