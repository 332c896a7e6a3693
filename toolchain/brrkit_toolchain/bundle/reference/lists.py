"""Section "Lists" of the specification; for a bundle with codes, section "Tokenizer"."""

from __future__ import annotations

from collections.abc import Iterator

from brrkit_toolchain.bundle.reference import tokenizer
from brrkit_toolchain.bundle.reference.tokenizer import Lexicon, code_points

PICTOGRAPHS = """
00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2
25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721
2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935
2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171
1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F
1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F
1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
"""
"""The specification's table, word for word (a test compares them)."""

_PICTOGRAPHS = code_points(PICTOGRAPHS)
_LETTERS = code_points("1F1E6-1F1FF")
_KEYS = set(map(ord, "#*0123456789"))
_SELECTORS = code_points("FE0E-FE0F")
_TONES = code_points("1F3FB-1F3FF")
_BEHIND = _SELECTORS | _TONES | code_points("E0020-E007F")
_JOINER, _KEYCAP = 0x200D, 0x20E3


def read(text: str, lexicon: Lexicon) -> list[tuple[str, str | None]]:
    """Return the tokens of a text, with the word for each, or None if it is unknown."""
    if lexicon.list_of is None:
        tokens = tokenizer.tokenize(text, lexicon)
        return [(token, tokenizer.look_up(token, lexicon)) for token in tokens]
    if lexicon.list_of == "strings":
        return [(text, text if text in lexicon.ids else None)]
    units = [
        unit
        for is_emoji, part in _parts(text)
        for unit in (_units_of_emoji if is_emoji else _units_of_words)(part, lexicon)
    ]
    found = []
    while units:
        texts = [unit for unit, _ in units[:8]]
        phrases = [(" ".join(texts[:size]), size) for size in range(len(texts), 1, -1)]
        phrase, size = next((each for each in phrases if each[0] in lexicon.ids), (None, 1))
        found.append(units[0] if phrase is None else (phrase, phrase))
        units = units[size:]
    return found


def finished(text: str, lexicon: Lexicon) -> str:
    """Return the finished part of a text that is being typed."""
    return "" if lexicon.list_of else tokenizer.finished(text, lexicon.writing)


def tokenize(text: str, lexicon: Lexicon) -> list[str]:
    """Return the tokens of a text."""
    return [token for token, _ in read(text, lexicon)]


def look_up(string: str, lexicon: Lexicon) -> str | None:
    """Return the word for a string from an app, or None if it is unknown."""
    if lexicon.list_of is None:
        return tokenizer.look_up(string, lexicon)
    found = read(string, lexicon)
    return found[0][1] if len(found) == 1 else None


def _units_of_emoji(emoji: str, lexicon: Lexicon) -> list[tuple[str, str | None]]:
    if lexicon.list_of == "words":
        return []
    unit = "".join(c for c in emoji if ord(c) not in _SELECTORS)
    toneless = "".join(c for c in unit if ord(c) not in _TONES)
    return [(unit, next((each for each in (unit, toneless) if each in lexicon.ids), None))]


def _units_of_words(text: str, lexicon: Lexicon) -> list[tuple[str, str | None]]:
    if lexicon.list_of == "emoji":
        return []
    tokens = tokenizer.tokenize(text, lexicon)
    return [(token, tokenizer.look_up(token, lexicon)) for token in tokens]


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the emoji of a text, and the parts between them."""
    between, place = "", 0
    while place < len(text):
        size = _emoji_at(text, place)
        if size:
            yield False, between
            yield True, text[place : place + size]
            between, place = "", place + size
        else:
            between, place = between + text[place], place + 1
    yield False, between


def _emoji_at(text: str, place: int) -> int:
    """Return the number of code points of the emoji that begins there; 0 if none does."""
    points = [ord(c) for c in text[place:]]
    if len(points) > 1 and points[0] in _LETTERS and points[1] in _LETTERS:
        return 2
    if points[0] in _KEYS:
        size = 2 if len(points) > 1 and points[1] in _SELECTORS else 1
        return size + 1 if len(points) > size and points[size] == _KEYCAP else 0
    size = _element(points)
    while size and size < len(points) and points[size] == _JOINER:
        more = _element(points[size + 1 :])
        if not more:
            break
        size += 1 + more
    return size


def _element(points: list[int]) -> int:
    if not points or points[0] not in _PICTOGRAPHS:
        return 0
    size = 1
    while size < len(points) and points[size] in _BEHIND:
        size += 1
    return size
