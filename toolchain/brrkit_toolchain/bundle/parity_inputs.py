"""Inputs of golden cases: epsilons and caps, and texts with the words of their tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import cycle, islice, pairwise
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
"""The last doubles before a threshold falls by one.

If it is computed in doubles, it has already fallen. Then the flip probability is too small, and the
privacy loss exceeds the requested one.
"""

_FEW = 64  # number of spellings
_OTHER_DIGITS = str.maketrans("0123456789", "9876543210")

UNKNOWN_WORD = "qzxv'jkwq"
"""A word in no vocabulary, which stands for any unknown word."""

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
    "Kelvin \u212a, Ⱡ, Ꙁ, 𐐀 and ｆｕｌｌ Ｗｉｄｔｈ",  # lower case: only some
    "don´t don`t don‘t don‛t don′t don｀t donʻt donʹt donʽt don՚t п`ять Οδος`ς a`b`c a``b ``a''",
    "`code` ‘quoted’ a` `b `the`\u0301 \u1fefa\u1fefb\u1ffdc don`\u00ad`t don`\u00adt",
    "of\u00adfi\u200bce of\ufb01ce o\ufb03ce \ufeffthe t\u2060h\u200fe"
    " e\u034f\u0301 σ\u00ad σ\ufe0fa",
    "Ｔｈｅ １２ 𝐓𝐡𝐞 𝓽𝓱𝓮 𝔱𝔥𝔢 𝕥𝕙𝕖 𝚝𝚑𝚎 \U0001d7d2 𝐞\u0301 𝛔 Ⓣⓗⓔ 🄰 🅰 🅐 ℬℰ ĳ ǆ Ǌ ŉ ﬅ ﬓ ｶﾞ ﾊﾟ ｰ",
    "\ufefb \ufdf2 \ufdfa \ufe8b\ufe8e \ufcf2 \ufe71 ﷼ &amp; &#39; ª ² ½ ſ ᴀ a\u200db\u200cc",
    "cafe\u0301 c\u0327 H\u0331 a\u0328\u0301 \u0301 \u1f71 \u0958 \u110b\u1161\u11ab \u304b\u3099"
    " x" + "\u0301\u0323" * 20,
    "ΟΔΟΣ. ΣΣ Σ ΑΣ'ς ΟΣ's Σ1 1Σ",
    "b" * 256 + "'s " + "b" * 254 + "'s " + "'s" * 120 + " the" + "'s" * 8 + " the" + "'s" * 9,
)

EMOJI = (
    "\U0001f600\U0001f600a\U0001f44d\U0001f3fd\U0001f44d b\u2764\ufe0f\u2764\u2764\ufe0e",
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1ff \U0001f1e9a\U0001f1ea",
    "1\ufe0f\u20e3#\u20e3*\ufe0f\u20e3 1\ufe0f 12\u20e3 1\u20e33 \ufe0f\u20e3 \u20e3",
    "\U0001f469\u200d\U0001f680\U0001f469\U0001f3fe\u200d\U0001f680\u200d \u200d\U0001f680",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f600\u200dx",
    "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f3fd \U0001f3fb\U0001f3ff",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f\U0001f3f4 \U000e0067",
    "\u00a9 \u2122\ufe0f a\u2764 \U0001f600\u0301e\u0301 \u03bf\u03c3\U0001f600\u03c3",
)
"""Texts of emoji for lists: tones, selectors, flags, keys, sequences, tags, and parts of them."""


def golden_texts(lexicon: reference.Lexicon, some: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Make the texts with their tokens, and the words of these.

    Args:
        lexicon: the vocabulary.
        some: some of its words, for the texts.
    """
    listed = [] if lexicon.list_of is None else _listed(lexicon, some)
    for text in (*TEXTS, *_characters(), *_forms(some), *_written(lexicon, some), *listed):
        found = reference.read(text, lexicon)
        yield {
            "text": text,
            "tokens": [token for token, _ in found],
            "words": [word for _, word in found],
            "finished": len(reference.finished(text, lexicon)),
        }


def _characters() -> Iterator[str]:
    """Make texts with the characters at which a tokenizer's tables could be wrong."""
    near = set()
    for entry in reference.SEPARATORS.split():
        first, last = (int(bound, 16) for bound in (entry.split("-") * 2)[:2])
        near |= {first - 1, first, last, last + 1}
    usable = sorted(c for c in near if 0 <= c < 0x110000 and not 0xD800 <= c < 0xE000)
    yield " ".join(f"a{chr(code_point)}b" for code_point in usable)
    for entry in reference.LOWERCASED.split():
        first, last = (int(bound, 16) for bound in entry.split("-"))
        yield "".join(map(chr, range(first - 1, last + 2)))
    for character in map(chr, sorted(reference.code_points(reference.LOOKALIKES))):
        yield f"a{character} {character}b a{character}{character}b"
    for table in (reference.STYLED, reference.INVISIBLE):
        near = set()
        for entry in table.split():
            first, last = (int(bound, 16) for bound in (entry.split("-") * 2)[:2])
            near |= {first - 1, first, last, last + 1}
        yield " ".join(f"a{chr(code_point)}b" for code_point in sorted(near))


def _forms(words: Sequence[str]) -> Iterator[str]:
    """Make texts with apostrophes and clitics."""
    for word in words:
        ends = ["n't", "'S", "’re", "'ve", "'ll", "'d", "'m", "'d've", "n't've", "'", "''"]
        ends += ["'t", "''s", "'brien"]  # not clitics
        yield " ".join([f"'{word}'", f"o'{word}", f"'{word}'s'", *(word + end for end in ends)])


def _written(lexicon: reference.Lexicon, words: Sequence[str]) -> Iterator[str]:
    """Make texts with everything that the bundle's writing names."""
    writing, unknown = lexicon.writing, UNKNOWN_WORD
    pairs = list(pairwise((*words, unknown)))
    yield unicodedata.normalize("NFD", " ".join((*words, *map(str.upper, words))))
    for character in writing["replaced"]:
        yield " ".join(f"{character}{word} {word[0]}{character}{word[1:]}" for word in words[:3])
    for joiner in writing["joiners"]:
        strange = [chr(pair[0]) for pair in writing["unspaced"][:1]]
        yield " ".join(f"{a}{joiner}{b} {b}{joiner}{a}{joiner}" for a in strange for b in words)
        yield " ".join(f"{a}{joiner}{b} {joiner}{a}{joiner}{joiner}{b}" for a, b in pairs)
    for place, first in enumerate(writing["before"]):
        a, b = pairs[place % len(pairs)]
        yield f"{first}{a} '{first.upper()}{b}' {first}{first}{b} {first} {first}{unknown} {first}'"
    for place, ending in enumerate(writing["endings"]):
        a, b = pairs[place % len(pairs)]
        yield f"{a}{ending} {b}{ending}{ending} {b}{ending.upper()} {unknown}{ending} {ending}"
    for form in islice(writing["spellings"], _FEW):
        yield " ".join([form, *(form + ending for ending in writing["endings"][:3])])
        yield f"{form[:-1]}{form[-1] * 9} {form[0] * 9}{form[1:]} {form.translate(_OTHER_DIGITS)}"
    for part, other in writing["rewritten"]:
        held = list(islice((word for word in lexicon.words if other and other in word), 3))
        yield " ".join([*(word.replace(other, part) for word in held), f"{words[0]}{part}"])
    for size in (writing["longest_run"], writing["longest_run"] + 1):
        yield " ".join("".join(character * size for character in word) for word in words)
    for a, b in pairs if writing["links"] else []:
        yield " ".join(f"{a}{link}{b} '{b}{link}{a}'s" for link in writing["links"])
    if writing["unspaced"]:
        glued = "".join(word for word in lexicon.words[:400] if len(word) <= len(words[0]) + 4)
        strange = [chr(end) for pair in writing["unspaced"][:8] for end in pair]
        yield "".join(a + character for a, character in zip(cycle(words), strange, strict=False))
        a, b, c = islice(cycle(words), 3)
        yield f"{a}{strange[0]}{strange[1]}{b} wifi{c}2{a}'s {glued[:60]}"
        yield (glued * 2100)[:2100]


def _listed(lexicon: reference.Lexicon, words: Sequence[str]) -> Iterator[str]:
    """Make texts of emoji, and of a list's strings: whole, cut, and one in another."""
    yield from EMOJI
    near = set()
    for entry in reference.PICTOGRAPHS.split():
        first, last = (int(bound, 16) for bound in (entry.split("-") * 2)[:2])
        near |= {first - 1, first, last, last + 1}
    usable = sorted(c for c in near if not 0xD800 <= c < 0xE000)
    yield "".join(f"a{chr(code_point)}" for code_point in usable)
    yield "".join(f"{chr(code_point)}\u200d" for code_point in usable)
    unknown, emoji = UNKNOWN_WORD, "\U0001f600"
    phrases = sorted(lexicon.words, key=lambda word: (-word.count(" "), word))[:6]
    for string in (*words, *phrases):
        yield string
        yield f"{string} {string}, {unknown} {string.upper()}!{emoji}{string}{emoji} {string}"
        parts = string.split(" ")
        yield " ".join([*parts[:-1], *parts, unknown, *parts[1:], *parts[:1], emoji.join(parts)])
    yield ". ".join((*words, *phrases, *words))
