"""Code points of scripts: those without spaces, and those that vocabularies write differently."""

from __future__ import annotations

Ranges = tuple[tuple[int, int], ...]
Pairs = tuple[tuple[str, str], ...]

HAN: Ranges = (
    (0x3005, 0x3007),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
KANA: Ranges = (
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
)
THAI: Ranges = ((0x0E01, 0x0E4E),)
LAO: Ranges = ((0x0E81, 0x0ECF), (0x0EDC, 0x0EDF))
# Without their digits and punctuation, which aren't separators.
MYANMAR: Ranges = ((0x1000, 0x103F), (0x1050, 0x108F), (0xA9E0, 0xA9EF), (0xAA60, 0xAA7F))
KHMER: Ranges = ((0x1780, 0x17D3), (0x17DC, 0x17DD))

UNSPACED: Ranges = tuple(sorted(HAN + KANA + THAI + LAO + MYANMAR + KHMER))
"""Scripts without spaces."""


def is_unspaced(word: str) -> bool:
    """Return whether most of ``word`` is in scripts without spaces."""
    if word.isascii():
        return False
    inside = sum(any(a <= ord(each) <= b for a, b in UNSPACED) for each in word)
    return 2 * inside > len(word)


def left_out(*ranges: tuple[int, int]) -> Pairs:
    """Return pairs that remove each code point of ``ranges``."""
    return tuple((chr(each), "") for first, last in ranges for each in range(first, last + 1))


def instead(text: str) -> Pairs:
    """Return the pairs of ``text``: "ab cd" replaces a by b, and c by d."""
    return tuple((pair[0], pair[1:]) for pair in text.split())


# Vowel signs and similar, which texts may omit; the stroke that makes words longer.
ARABIC_MARKS = left_out((0x0640, 0x0640), (0x064B, 0x0652), (0x0670, 0x0670))
HEBREW_MARKS = left_out((0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5))
# Cyrillic letters have no accents; accents in text mark the stress of a word.
STRESS = left_out((0x0300, 0x0301))

WORD_ENDS: Pairs = (("\u200b", " "),)
"""Without spaces, a zero-width space ends a word; elsewhere it is invisible."""

SENTENCE_ENDS: Pairs = tuple((chr(each), " ") for each in (0x104A, 0x104B, 0x17D4, 0x17D5))
"""Ends of sentences in Myanmar and Khmer, which aren't separators in the format."""
