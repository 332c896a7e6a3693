"""The normal form of a vocabulary's words, without the platform's Unicode database.

Every runtime (Python, Kotlin, Swift, TypeScript) must normalize a text in the same way, but the
Unicode tables of two phones differ by years. So lower-casing changes only blocks whose simple case
mappings have been frozen since Unicode 8. Characters are composed only with marks of this version,
for which the normalization is stable. ``spec/bundle-format.md`` (section "Tokenizer") is the
specification.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from brrkit.characters import (
    APOSTROPHES,
    BASES,
    COMPOSED,
    INVISIBLE,
    LOOKALIKES,
    LOWERCASED,
    MARKS,
    SEPARATORS,
    STYLED,
    character_class,
)
from brrkit.writing import ENGLISH, Pairs, Writing

_MOST_MARKS = 30
"""Largest number of marks to compose with a character, since sorting takes quadratic time."""

_MARKS, _COMPOSED = character_class(MARKS), character_class(COMPOSED)
_MARK_OR_COMPOSED = re.compile(f"[{_MARKS}{_COMPOSED}]")
_COMPOSABLE = re.compile(
    f"[{character_class(BASES)}{_COMPOSED}]?[{_MARKS}]{{1,{_MOST_MARKS}}}|[{_COMPOSED}]",
)
_UNUSUAL = re.compile(f"[{character_class(STYLED)}{character_class(INVISIBLE)}]")
_SIGMA, _LAST_SIGMA = "\u03c3", "\u03c2"
_GREEK = character_class(((0x0300, 0x0373), (0x0386, 0x0386), (0x0388, 0x03FF), (0x1F00, 0x1FFF)))
_SIGMA_AT_THE_END = re.compile(f"(?<=[{_GREEK}]){_SIGMA}(?![{_GREEK}])")
_WORD_CHARACTER = f"[^{character_class(SEPARATORS)}]"
_LOOKALIKE = re.compile(f"(?<={_WORD_CHARACTER})[{LOOKALIKES}](?={_WORD_CHARACTER})")


def _plain() -> dict[int, str]:
    table = {
        code_point: unicodedata.normalize("NFKD", chr(code_point))
        for first, last in STYLED
        for code_point in range(first, last + 1)
    }
    return table | {code: "" for first, last in INVISIBLE for code in range(first, last + 1)}


_PLAIN = _plain()


def _lowered() -> dict[int, str]:
    # Only simple mappings: one code point to another, without context (U+0130 becomes "i").
    table = {
        code_point: lowered
        for first, last in LOWERCASED
        for code_point in range(first, last + 1)
        if (lowered := chr(code_point).lower()[0]) != chr(code_point)
    }
    table.update(dict.fromkeys(APOSTROPHES, "'"))
    return table


_LOWERED = _lowered()


def normalize(text: str, writing: Writing = ENGLISH) -> str:
    """Return ``text`` in the normal form of a vocabulary.

    It has plain letters, composed (Unicode's form C), in lower case, with plain apostrophes, and
    with the replacements of ``writing``.
    """
    if text.isascii() and not writing.replaced and "`" not in text:
        return text.lower()  # the same, but faster
    if _UNUSUAL.search(text):
        text = text.translate(_plain_but(writing.joiners, writing.replaced))
    text = _compose(text).translate(_changes(writing.replaced))
    return _with_apostrophes(_compose(_final_sigma(text)), writing.joiners)


def renormalized(part: str, writing: Writing) -> str:
    """Return ``normalize(part, writing)`` for a part of a normalized text, usually ``part``."""
    if part.isascii() and not writing.replaced:
        return part
    # A normalized text is already in lower case.
    return normalize(part, writing) if _unsettled(writing.replaced).search(part) else part


@lru_cache(maxsize=8)
def _unsettled(replaced: Pairs) -> re.Pattern[str]:
    """Return a search for code points that may change again next to a cut."""
    keys = "".join(re.escape(one) for one, _ in replaced)
    return re.compile(f"[{_MARKS}{_COMPOSED}{_SIGMA}{keys}]")


@lru_cache(maxsize=8)
def _plain_but(joiners: tuple[str, ...], replaced: Pairs) -> dict[int, str]:
    """Return the plain form of each unusual code point without a rule in the writing."""
    kept = {*joiners, *(one for one, _ in replaced)}
    return {code_point: text for code_point, text in _PLAIN.items() if chr(code_point) not in kept}


@lru_cache(maxsize=8)
def _changes(replaced: Pairs) -> dict[int, str]:
    """Return the result for each code point that is replaced or lower-cased."""
    return _LOWERED | {ord(one): text.translate(_LOWERED) for one, text in replaced}


def _compose(text: str) -> str:
    if text.isascii() or not _MARK_OR_COMPOSED.search(text):
        return text
    return _COMPOSABLE.sub(lambda piece: unicodedata.normalize("NFC", piece[0]), text)


def _final_sigma(text: str) -> str:
    return _SIGMA_AT_THE_END.sub(_LAST_SIGMA, text) if _SIGMA in text else text


def _with_apostrophes(text: str, joiners: tuple[str, ...]) -> str:
    return _LOOKALIKE.sub(lambda found: found[0] if found[0] in joiners else "'", text)
