"""Section "Tokenizer" of the specification."""

from __future__ import annotations

from collections.abc import Collection

SEPARATORS = """
0000-0026 0028-002F 003A-0040 005B-0060 007B-00A9 00AB-00B4 00B6-00B9 00BB-00BF 00D7 00F7 02C2-02C5
02D2-02DF 0375 037E 0384-0385 0387 055A-055F 0589-058F 05BE 05C0 05C3 05C6 05F3-05F4 0600-060F
061B-061F 066A-066D 06D4 0964-0965 0E3F 0E4F 0E5A-0E5B 1680 2000-2018 201A-2BFF 2E00-2E7F 2FF0-3004
3008-3020 3030 3036-3037 303D-303F 30A0 30FB D800-F8FF FD3E-FD3F FE00-FE1F FE30-FE6F FEFF FF01-FF06
FF08-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFFF 1D000-1DAFF 1F000-1FBFF E0000-10FFFF
"""
"""The specification's table, word for word (a test compares them)."""

LOWERCASED = "0041-058F 1E00-1FFF FF21-FF3A"

APOSTROPHES = "\N{APOSTROPHE}\u02bc\u2019\uff07"


def code_points(table: str) -> set[int]:
    """Return the code points of a table of ranges: hexadecimal, both ends included."""
    found = set()
    for entry in table.split():
        first, _, last = entry.partition("-")
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return found


_SEPARATORS = code_points(SEPARATORS)
_LOWERCASED = code_points(LOWERCASED)


def normalize(text: str) -> str:
    """Step 1, code point by code point."""
    result = ""
    for character in text:
        if character in APOSTROPHES:
            result += "'"
        elif ord(character) not in _LOWERCASED:
            result += character
        elif character == "\u0130":  # the only one whose lower case is longer
            result += "i"
        else:
            result += character.lower()
    return result


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text, normalized: steps 1 to 3."""
    runs = [""]
    for character in normalize(text):
        if ord(character) in _SEPARATORS:
            runs.append("")
        else:
            runs[-1] += character
    return [run for run in runs if set(run) - {"'"}]


def look_up(token: str, vocabulary: Collection[str]) -> str | None:
    """Return the word that a token stands for, or None if it is unknown."""
    candidates = [normalize(token)]
    if "'" in candidates[0]:
        candidates.append(candidates[0].strip("'"))
        while shorter := _shorter(candidates[-1]):
            candidates.append(shorter)
    known = [candidate for candidate in candidates if candidate and candidate in vocabulary]
    return known[0] if known else None


def _shorter(candidate: str) -> str:
    if candidate == "can't":
        return "can"
    if candidate == "won't":
        return "will"
    if candidate == "shan't":
        return "shall"
    for clitic in ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m"):
        if candidate.endswith(clitic):
            return candidate[: -len(clitic)]
    return ""
