"""Inputs of golden cases: epsilons and caps, and texts with what their tokens are looked up as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit_toolchain.bundle import reference

EPSILONS = (EPSILON_MIN, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, EPSILON_MAX)

BOUNDARY_EPSILONS = (
    0.07511519226502505,
    0.2158262422013328,
    0.4436632934568753,
    0.6627468722323889,
    0.9217476330502254,
    1.2773911719984077,
    1.8554451521993853,
    2.5533444055025787,
    3.762468547513262,
    5.341975591010475,
    8.88267406710577,
    11.862030783049486,
)
"""The last doubles before a threshold falls by one; computed in doubles, it has fallen already.

The flip probability would be too small, and the privacy less than what is asked for.
"""

UNKNOWN_WORD = "qzxv'jkwq"
"""In no vocabulary: it stands for any word outside."""

CAPS = (1e-9, 0.25, 1.0, 4.0, 7.5, 9.3125, 12.0, 22.18, 88.0)

TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "Don’t PANIC: it's 3.14 o'clock — e-mail me@example.com!",
    "naïve café, Straße, İstanbul, ΟΔΟΣ, ДОМ",
    "tabs\tnew\nlines\u00a0and\u2003spaces 👍🏽 snake_case 'quoted' rock'n'roll",
    "",
    " . , ! ",
    "' '' ’ʼ＇'",
    "I CAN’T, he won't and they shan't; can't've won't's shan't'd",
    "O'Brien's ''tis'' dogs' n't 's ''s n't's 'd've y'all'd've it''s xn't'",
    "Kelvin \u212a, Ⱡ, Ꙁ, 𐐀 and ｆｕｌｌ Ｗｉｄｔｈ; no combining c\u0327",  # lower case: only some
)


def golden_texts(words: Sequence[str], some: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Make the texts with their tokens, and what these are looked up as.

    Args:
        words: the vocabulary.
        some: of its words; they are put into texts.
    """
    known = frozenset(words)
    for text in (*TEXTS, *_characters(), *_forms(some)):
        tokens = reference.tokenize(text)
        found = [reference.look_up(token, known) for token in tokens]
        yield {"text": text, "tokens": tokens, "words": found}


def _characters() -> Iterator[str]:
    """Make texts of the characters at which a tokenizer's tables could be wrong."""
    near = set()
    for entry in reference.SEPARATORS.split():
        first, last = (int(bound, 16) for bound in (entry.split("-") * 2)[:2])
        near |= {first - 1, first, last, last + 1}
    usable = sorted(c for c in near if 0 <= c < 0x110000 and not 0xD800 <= c < 0xE000)
    yield " ".join(f"a{chr(code_point)}b" for code_point in usable)
    for entry in reference.LOWERCASED.split():
        first, last = (int(bound, 16) for bound in entry.split("-"))
        yield "".join(map(chr, range(first - 1, last + 2)))


def _forms(words: Sequence[str]) -> Iterator[str]:
    """Make texts of words with apostrophes and clitics."""
    for word in words:
        ends = ["n't", "'S", "’re", "'ve", "'ll", "'d", "'m", "'d've", "n't've", "'", "''"]
        ends += ["'t", "''s", "'brien"]  # not clitics
        yield " ".join([f"'{word}'", f"o'{word}", f"'{word}'s'", *(word + end for end in ends)])
