"""Text to tokens, and tokens to words, by a bundle's writing, words and lists of secret words.

``spec/bundle-format.md`` (section "Tokenizer") is the specification; nothing that the
tokenizer leaves out (case, punctuation, spacing, emoji) ever reaches a mechanism's output.

Where nothing but spaces and punctuation cut a language, as in English, how many tokens a text has
depends on the text alone, and a mechanism gets one word for each.
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
"""Code points of a token, at most, that is cut or may stand for a word spelled otherwise."""

MOST_TIMES = 8
"""How many words before it, and how many endings, are taken off a word at most."""

_DIGITS = str.maketrans("123456789", "0" * 9)


class Token(NamedTuple):
    """A part of a text, for which a mechanism gets one word.

    Attributes:
        text: normalized.
        word_id: of the word that it is typed as; None if that is unknown.
    """

    text: str
    word_id: int | None


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """Cuts texts, and looks tokens up.

    Attributes:
        writing: how the language is written.
        vocabulary: the words.
        masses: uint8[n], the mass of each word as a byte of ``brrkit.masses.LEVELS``, by id.
        policy: which words are typed as another one.
    """

    writing: Writing
    vocabulary: Words
    masses: NDArray[np.uint8]
    policy: Policy = field(default=NO_POLICY, kw_only=True)

    def normalize(self, text: str) -> str:
        """Return ``text`` in the form in which the vocabulary holds words."""
        return normalize(text, self.writing)

    def read(self, text: str) -> list[Token]:
        """Return the tokens of ``text``, each looked up."""
        return [token for run in self.runs(text) for token in self.tokens(run)]

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of ``text``, normalized."""
        return [token.text for token in self.read(text)]

    def look_up(self, word: str) -> int | None:
        """Return the id of the one word that ``word`` is typed as, or None if that is unknown.

        Args:
            word: any string; it is normalized here. If it isn't a token, it is looked up all the
                same.
        """
        return look_up(word, self._find, self.writing)

    def finished(self, text: str) -> str:
        """Return the beginning of ``text`` whose tokens are the same, whatever is typed behind.

        It ends with the last character that separates words, whatever is beside it.
        """
        for end in range(len(text), 0, -1):
            if self._separates(text[end - 1]):
                return text[:end]
        return ""

    def is_inner(self, character: str) -> bool:
        """Tell whether a text can't be cut between ``character`` and another inner one.

        The empty string, which stands beyond a text's end, isn't inner.
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
                # At the ends of a stretch, joiners join nothing.
                tokens += self._spaced(stretch[0].strip(self._joiners))
        return tokens

    def _find(self, string: str) -> int | None:
        """Return the id of what a normalized string is typed as, as it stands."""
        return self.policy.typed_as(string, self.vocabulary.find(string))

    def _separates(self, character: str) -> bool:
        return self._separator.search(self.normalize(character)) is not None

    @cached_property
    def _joiners(self) -> str:
        return "".join(self.writing.joiners)

    @cached_property
    def _separator(self) -> re.Pattern[str]:
        """What ends with a separator that is neither a joiner nor taken for an apostrophe."""
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
        """Return the tokens of a stretch that isn't of a script without spaces."""
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
        """Return a token that ``text``, a part of a normalized text, is.

        Args:
            text: what is there.
            word_id: of the word that it is as it stands, if that is known.
        """
        writing = self.writing
        again = renormalized(text, writing)
        if word_id is None or again != text:
            return Token(text, _find(again, self._find, writing))
        return Token(text, self.policy.typed_as(text, word_id))

    def _before(self, bare: str) -> str:
        """Return the longest of ``writing.before`` that begins ``bare`` and leaves a word."""
        fitting = (
            first
            for first in self.writing.before
            if bare.startswith(first) and bare.removeprefix(first).strip("'")
        )
        return max(fitting, key=len, default="")


def tokenize(text: str, writing: Writing = ENGLISH) -> list[str]:
    """Return the tokens of ``text``, normalized, where no word of a vocabulary cuts it.

    They are maximal runs of word characters, and of joiners between two of these, that have
    another character than apostrophes and joiners.
    """
    runs: list[str] = _run(writing.joiners).findall(normalize(text, writing))
    no_word = _no_word(writing)
    return [run for run in runs if run.strip(no_word)]


def _no_word(writing: Writing) -> str:
    """Return the characters that make no token by themselves."""
    return "'" + "".join(writing.joiners)


@lru_cache(maxsize=8)
def _run(joiners: tuple[str, ...]) -> re.Pattern[str]:
    word = f"[^{character_class(SEPARATORS)}]+"
    between = "".join(map(re.escape, joiners))
    return re.compile(f"{word}(?:[{between}]{word})*" if joiners else word)


def look_up(
    token: str, find: Callable[[str], int | None], writing: Writing = ENGLISH
) -> int | None:
    """Return the id of the one word that ``token`` stands for, or None if that is unknown.

    Args:
        token: any string; it is normalized here. If it isn't a token, it is looked up all the same.
        find: returns the id of a normalized string, or None.
        writing: how the vocabulary's language is written.
    """
    return _find(normalize(token, writing), find, writing)


def _find(token: str, find: Callable[[str], int | None], writing: Writing) -> int | None:
    """Return what ``look_up`` does for a ``token`` that is normalized."""
    for candidate in candidates(token, writing):
        word_id = find(candidate)
        if word_id is not None:
            return word_id
    return None


def candidates(token: str, writing: Writing) -> Iterator[str]:
    """Yield what a normalized token may stand for; the first that is a word does."""
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
    """Return the forms in which each run of more than ``longest`` equal code points is cut.

    Runs of digits stay: another number of them is another number.
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
    """Return what is left without each ending that ``bare`` has, the longest ending first."""
    rests = [bare.removesuffix(ending) for ending in writing.endings if bare.endswith(ending)]
    return sorted((rest for rest in rests if len(rest) >= writing.shortest_stem), key=len)
