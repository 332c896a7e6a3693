"""Text to tokens, and tokens to words, without the platform's Unicode database.

Every runtime (Python, Kotlin, Swift) must cut a text into the same tokens, but the Unicode
tables of two phones differ by years. So the separators are a fixed list of ranges, and
lower-casing touches only blocks whose simple case mappings have been frozen since Unicode 8.
``docs/reference/bundle-format.md`` (section "Tokenizer") is the specification; nothing that the
tokenizer leaves out (case, punctuation, spacing, emoji) ever reaches a mechanism's output.

How many tokens a text has depends on the text alone, and a mechanism gets one word for each:
otherwise the number of words in an output would tell what is in the vocabulary and what isn't.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Inclusive ranges of code points that separate tokens. Everything else is a word character.
SEPARATORS: tuple[tuple[int, int], ...] = (
    (0x0000, 0x0026),  # controls, space, ASCII punctuation up to the apostrophe
    (0x0028, 0x002F),
    (0x003A, 0x0040),
    (0x005B, 0x0060),
    (0x007B, 0x00A9),
    (0x00AB, 0x00B4),
    (0x00B6, 0x00B9),
    (0x00BB, 0x00BF),
    (0x00D7, 0x00D7),  # multiplication sign
    (0x00F7, 0x00F7),  # division sign
    (0x02C2, 0x02C5),  # spacing modifier symbols
    (0x02D2, 0x02DF),
    (0x0375, 0x0375),  # Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation
    (0x037E, 0x037E),
    (0x0384, 0x0385),
    (0x0387, 0x0387),
    (0x055A, 0x055F),
    (0x0589, 0x058F),
    (0x05BE, 0x05BE),
    (0x05C0, 0x05C0),
    (0x05C3, 0x05C3),
    (0x05C6, 0x05C6),
    (0x05F3, 0x05F4),
    (0x0600, 0x060F),
    (0x061B, 0x061F),
    (0x066A, 0x066D),
    (0x06D4, 0x06D4),
    (0x0964, 0x0965),  # Devanagari danda
    (0x0E3F, 0x0E3F),  # Thai
    (0x0E4F, 0x0E4F),
    (0x0E5A, 0x0E5B),
    (0x1680, 0x1680),  # Ogham space
    (0x2000, 0x2018),  # general punctuation up to the right single quotation mark
    (0x201A, 0x2BFF),  # ... to currency, letterlike, arrows, mathematics, dingbats
    (0x2E00, 0x2E7F),  # supplemental punctuation
    (0x2FF0, 0x3004),  # ideographic punctuation
    (0x3008, 0x3020),
    (0x3030, 0x3030),
    (0x3036, 0x3037),
    (0x303D, 0x303F),
    (0x30A0, 0x30A0),
    (0x30FB, 0x30FB),
    (0xD800, 0xF8FF),  # surrogates and private use
    (0xFD3E, 0xFD3F),
    (0xFE00, 0xFE1F),  # variation selectors, vertical forms
    (0xFE30, 0xFE6F),  # compatibility and small forms
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFF01, 0xFF06),  # full-width punctuation
    (0xFF08, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
    (0xFFE0, 0xFFFF),
    (0x1D000, 0x1DAFF),  # musical and mathematical symbols
    (0x1F000, 0x1FBFF),  # tiles, emoji
    (0xE0000, 0x10FFFF),  # tags, private use
)

# All of these are written as U+0027 in words.
APOSTROPHES: tuple[int, ...] = (0x0027, 0x02BC, 0x2019, 0xFF07)

CLITICS: tuple[str, ...] = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")
"""Suffixes that a token may have beside its word; no string ends in two of them."""

IRREGULAR: dict[str, str] = {"can't": "can", "won't": "will", "shan't": "shall"}
"""Tokens whose word isn't what is left without the clitic."""

# Inclusive ranges in which letters are lower-cased (Latin, Greek, Cyrillic, Armenian).
LOWERCASED: tuple[tuple[int, int], ...] = (
    (0x0041, 0x058F),
    (0x1E00, 0x1FFF),
    (0xFF21, 0xFF3A),
)


def _normalization() -> dict[int, str]:
    # Simple mappings only: one code point to one, without context (U+0130 becomes "i").
    table = {
        code_point: lowered
        for first, last in LOWERCASED
        for code_point in range(first, last + 1)
        if (lowered := chr(code_point).lower()[0]) != chr(code_point)
    }
    table.update(dict.fromkeys(APOSTROPHES, "'"))
    return table


_NORMALIZATION = _normalization()
_RUN = re.compile(
    "[^" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in SEPARATORS) + "]+"
)


def normalize(word: str) -> str:
    """Return ``word`` in the form in which a vocabulary holds it: lower case, plain apostrophes.

    Works code point by code point, so the length never changes.
    """
    # The same for ASCII, in half the time.
    return word.lower() if word.isascii() else word.translate(_NORMALIZATION)


def tokenize(text: str) -> list[str]:
    """Return the tokens of ``text``, normalized.

    A token is a maximal run of word characters that has another character than the apostrophe.
    """
    return [run for run in _RUN.findall(normalize(text)) if run.strip("'")]


def look_up(token: str, find: Callable[[str], int | None]) -> int | None:
    """Return the id of the one word that ``token`` stands for, or None if that is unknown.

    The first of these that there is: the token itself; the token without the apostrophes at its
    ends; what is left of that when a clitic is taken off its end, again and again.

    Args:
        token: any string; it is normalized here. If it isn't a token, it is looked up all the same.
        find: returns the id of a normalized string, or None.
    """
    for candidate in _candidates(normalize(token)):
        word_id = find(candidate)
        if word_id is not None:
            return word_id
    return None


def _candidates(token: str) -> Iterator[str]:
    yield token
    if "'" not in token:
        return
    rest = token.strip("'")
    while rest:
        yield rest
        rest = _without_clitic(rest)


def _without_clitic(token: str) -> str:
    """Return what is left of a token, or "" if it doesn't end in a clitic."""
    if token in IRREGULAR:
        return IRREGULAR[token]
    clitic = next(filter(token.endswith, CLITICS), token)
    return token.removesuffix(clitic)
