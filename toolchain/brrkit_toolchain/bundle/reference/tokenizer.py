"""Sections "Writing" and "Tokenizer" of the specification."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

from brrkit_toolchain.bundle.reference.numbers import mass
from brrkit_toolchain.bundle.reference.policy import NO_POLICY, typed_as

SEPARATORS = """
0000-0026 0028-002F 003A-0040 005B-0060 007B-00A9 00AB-00B4 00B6-00B9 00BB-00BF 00D7 00F7 02C2-02C5
02D2-02DF 0375 037E 0384-0385 0387 055A-055F 0589-058F 05BE 05C0 05C3 05C6 05F3-05F4 0600-060F
061B-061F 066A-066D 06D4 0964-0965 0E3F 0E4F 0E5A-0E5B 1680 2000-2018 201A-2BFF 2E00-2E7F 2FF0-3004
3008-3020 3030 3036-3037 303D-303F 30A0 30FB D800-F8FF FD3E-FD3F FE00-FE1F FE30-FE6F FEFF FF01-FF06
FF08-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFFF 1D000-1DAFF 1F000-1FBFF E0000-10FFFF
"""
"""The specification's table, word for word (a test compares them)."""

MARKS = """
0300-036F 0483-0487 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670 06D6-06DC
06DF-06E4 06E7-06E8 06EA-06ED 0711 0730-074A 093C 094D 0951-0954 09BC 09BE 09CD 09D7 0A3C 0A4D
0ABC 0ACD 0B3C 0B3E 0B4D 0B56-0B57 0BBE 0BCD 0BD7 0C4D 0C55-0C56 0CBC 0CC2 0CCD 0CD5-0CD6 0D3E
0D4D 0D57 0DCA 0DCF 0DDF 0E38-0E3A 0E48-0E4B 0EB8-0EB9 0EC8-0ECB 0F18-0F19 0F35 0F37 0F39
0F71-0F72 0F74 0F7A-0F7D 0F80 0F82-0F84 0F86-0F87 0FC6 102E 1037 1039-103A 1161-1175 11A8-11C2
17D2 17DD 302A-302F 3099-309A FB1E
"""

BASES = """
0041-02AF 0386-0481 048A-052F 0622-064A 066E-06D5 0905-0939 0958-095F 09C7 09DC-09DD 09DF 0A33
0A36 0A59-0A5B 0A5E 0B47 0B5C-0B5D 0B92 0BC6-0BC7 0C46 0CBF 0CC6 0CCA 0D46-0D47 0DD9-0DDC 1025
1100-1112 1E00-1FFE 3046-3096 309D-30FD AC00-D7A3
"""

COMPOSED = """
0340-0341 0343-0344 0374 0958-095F 09DC-09DF 0A33-0A36 0A59-0A5E 0B5C-0B5D 0F43-0FB9 1F71-1FFD
F900-FAD9 FB1D-FB4E 2F800-2FA1D
"""

STYLED = """
0132-0133 0149 01C4-01CC 01F1-01F3 2102 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2131
2133-2134 24B6-24E9 FB00-FB06 FB13-FB17 FB50-FBB1 FBD3-FC5D FC64-FD3D FD50-FD8F FD92-FDC7 FDF0-FDF9
FE80-FEFC FF10-FF19 FF21-FF3A FF41-FF5A FF66-FF9F 1D400-1D7FF 1F130-1F149
"""

INVISIBLE = "00AD 034F 061C 200B-200F 202A-202E 2060-206F FE00-FE0F FEFF E0100-E01EF"

LOWERCASED = "0041-058F 1E00-1FFF"

APOSTROPHES = "0027 02B9 02BB-02BD 2019 FF07"
LOOKALIKES = "0060 00B4 055A 2018 201B 2032 FF40"

ENGLISH: Mapping[str, Any] = {
    "language": "en",
    "replaced": {},
    "joiners": [],
    "before": [],
    "endings": ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"],
    "shortest_stem": 1,
    "spellings": {"can't": "can", "won't": "will", "shan't": "shall"},
    "rewritten": [],
    "longest_run": 2,
    "unspaced": [],
    "links": [],
    "shortest_part": 4,
}
"""The writing of a manifest without ``writing``."""


def code_points(table: str) -> set[int]:
    """Return the code points of a table of ranges: hexadecimal, both ends included."""
    found = set()
    for entry in table.split():
        first, _, last = entry.partition("-")
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return found


_SEPARATORS = code_points(SEPARATORS)
_MARKS = code_points(MARKS)
_BASES = code_points(BASES) | code_points(COMPOSED)
_COMPOSED = code_points(COMPOSED)
_STYLED = code_points(STYLED)
_INVISIBLE = code_points(INVISIBLE)
_LOWERCASED = code_points(LOWERCASED)
_APOSTROPHES = code_points(APOSTROPHES)
_LOOKALIKES = code_points(LOOKALIKES)
_GREEK = code_points("0300-0373 0386 0388-03FF 1F00-1FFF")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A vocabulary for cutting texts.

    Attributes:
        words: words, by id.
        ids: ids, by word.
        costs: cost of each word.
        unknown: cost of an unknown code point.
        writing: object ``writing`` of a manifest.
        list_of: kind of a list; None for a bundle with codes.
        policy: object ``policy`` of a manifest.
    """

    words: Sequence[str]
    ids: Mapping[str, int]
    costs: Mapping[str, int]
    unknown: int
    writing: Mapping[str, Any]
    list_of: str | None = None
    policy: Mapping[str, Any] = field(default_factory=lambda: NO_POLICY)

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        masses: Sequence[int],
        writing: Mapping[str, Any] | None = None,
        list_of: str | None = None,
        policy: Mapping[str, Any] | None = None,
    ) -> Lexicon:
        """Return the lexicon of ``words``, whose masses are the bytes of an index."""
        whole = _lg(sum(map(mass, masses)))
        costs = [whole - _lg(mass(byte)) for byte in masses]
        ids = {word: word_id for word_id, word in enumerate(words)}
        by_word = dict(zip(words, costs, strict=True))
        writing = ENGLISH if writing is None else writing
        policy = NO_POLICY if policy is None else policy
        return cls(words, ids, by_word, max(costs) + 1847, writing, list_of, policy)


def _lg(x: int) -> int:
    k = 0
    while 2 ** (k + 1) <= x:
        k += 1
    return 256 * k + (256 * x >> k) - 256


def normalize(text: str, writing: Mapping[str, Any] = ENGLISH) -> str:
    """Return ``text``, normalized."""
    text = _composed("".join(_plain(character, writing) for character in text))
    text = "".join(writing["replaced"].get(character, character) for character in text)
    text = "".join(map(_lowered, text))
    return _with_apostrophes(_composed(_with_final_sigma(text)), writing["joiners"])


def _plain(character: str, writing: Mapping[str, Any]) -> str:
    if character in writing["replaced"] or character in writing["joiners"]:
        return character
    if ord(character) in _INVISIBLE:
        return ""
    return unicodedata.normalize("NFKD", character) if ord(character) in _STYLED else character


@lru_cache(1 << 14)
def _composed(text: str) -> str:
    result, at = "", 0
    while at < len(text):
        base = ord(text[at]) in _BASES
        size = _marks_at(text, at + 1) if base else 0
        size = 1 + size if size else _marks_at(text, at)
        if not size and ord(text[at]) in _COMPOSED:
            size = 1
        piece = text[at : at + max(size, 1)]
        result += unicodedata.normalize("NFC", piece) if size else piece
        at += len(piece)
    return result


def _marks_at(text: str, place: int) -> int:
    """Return the number of marks there, at most 30."""
    size = 0
    while size < 30 and place + size < len(text) and ord(text[place + size]) in _MARKS:
        size += 1
    return size


def _lowered(character: str) -> str:
    if ord(character) in _APOSTROPHES:
        return "'"
    if ord(character) not in _LOWERCASED:
        return character
    if character == "\u0130":  # the only character with a longer lower case
        return "i"
    return character.lower()


def _with_final_sigma(text: str) -> str:
    def is_greek(place: int) -> bool:
        return 0 <= place < len(text) and ord(text[place]) in _GREEK

    characters = list(text)
    for place, character in enumerate(text):
        if character == "\u03c3" and is_greek(place - 1) and not is_greek(place + 1):
            characters[place] = "\u03c2"
    return "".join(characters)


def _with_apostrophes(text: str, joiners: Sequence[str]) -> str:
    def is_word(place: int) -> bool:
        return 0 <= place < len(text) and ord(text[place]) not in _SEPARATORS

    def is_apostrophe(place: int) -> bool:
        look_alike = ord(text[place]) in _LOOKALIKES and text[place] not in joiners
        return look_alike and is_word(place - 1) and is_word(place + 1)

    return "".join("'" if is_apostrophe(place) else c for place, c in enumerate(text))


def finished(text: str, writing: Mapping[str, Any]) -> str:
    """Return the finished part of a text that is being typed."""
    for end in range(len(text), 0, -1):
        if separates(normalize(text[end - 1], writing), writing):
            return text[:end]
    return ""


def separates(normal: str, writing: Mapping[str, Any]) -> bool:
    """Return whether a normal form ends with a sure separator."""
    last = normal[-1:]
    if not last or ord(last) in _LOOKALIKES or last in writing["joiners"]:
        return False
    return ord(last) in _SEPARATORS


def tokenize(text: str, lexicon: Lexicon) -> list[str]:
    """Return the tokens of a text, normalized."""
    joiners = lexicon.writing["joiners"]
    return [
        token
        for run in _runs(normalize(text, lexicon.writing), joiners)
        for inside, stretch in _stretches(run, lexicon.writing["unspaced"], joiners)
        for token in (_unspaced(stretch, lexicon) if inside else _spaced(stretch, lexicon))
    ]


def _runs(text: str, joiners: Sequence[str]) -> list[str]:
    """Step 2."""
    text = f" {text} "
    runs = [""]
    for place in range(1, len(text) - 1):
        before, character, behind = (ord(c) not in _SEPARATORS for c in text[place - 1 : place + 2])
        if character or (text[place] in joiners and before and behind):
            runs[-1] += text[place]
        else:
            runs.append("")
    return [run for run in runs if run]


def _stretches(
    run: str, unspaced: Sequence[Sequence[int]], joiners: Sequence[str]
) -> list[tuple[bool, str]]:
    """Step 3: the parts, each with whether its script has no spaces."""

    def inside(character: str) -> bool:
        return any(first <= ord(character) <= last for first, last in unspaced)

    stretches = [(key, "".join(characters)) for key, characters in groupby(run, inside)]
    return [(key, stretch.strip("".join(joiners))) for key, stretch in stretches]


def _spaced(stretch: str, lexicon: Lexicon, given: int = 0) -> list[str]:
    """Step 5."""
    if not set(stretch) - {"'", *lexicon.writing["joiners"]}:
        return []
    if len(stretch) > 256 or look_up(stretch, lexicon) is not None:
        return [stretch]
    r = stretch.lstrip("'")
    for first in sorted(lexicon.writing["before"], key=len, reverse=True):
        rest = r[len(first) :]
        if given < 8 and r.startswith(first) and set(rest) - {"'"}:
            return [first, *_spaced(rest, lexicon, given + 1)]
    return _compound(r.rstrip("'"), lexicon) or [stretch]


def _compound(string: str, lexicon: Lexicon) -> list[str]:
    costs, shortest = lexicon.costs, lexicon.writing["shortest_part"]
    cuts = [
        (costs[string[:end]] + costs[string[end + len(link) :]], -end, number)
        for end in range(shortest, len(string))
        for number, link in enumerate(lexicon.writing["links"])
        if string[end:].startswith(link)
        and len(string) - end - len(link) >= shortest
        and string[:end] in costs
        and string[end + len(link) :] in costs
    ]
    if not cuts:
        return []
    _, end, number = min(cuts)
    return [string[:-end], string[-end + len(lexicon.writing["links"][number]) :]]


def _unspaced(stretch: str, lexicon: Lexicon) -> Iterator[str]:
    for start in range(0, len(stretch), 1024):
        part = stretch[start : start + 1024]
        pieces = [part[a:b] for a, b in pairwise(_best_cut(part, lexicon))]
        for known, group in groupby(pieces, lexicon.costs.__contains__):
            words = list(group)
            yield from words if known else ["".join(words)]


def _best_cut(part: str, lexicon: Lexicon) -> list[int]:
    """Return the starts and ends of the cheapest cut's pieces."""
    best, cut = [0], [[0]]
    for j in range(1, len(part) + 1):
        options = [
            (best[i] + lexicon.costs[part[i:j]], i)
            for i in range(max(0, j - 32), j)
            if part[i:j] in lexicon.costs
        ]
        if part[j - 1] not in lexicon.costs:
            options.append((best[j - 1] + lexicon.unknown, j - 1))
        least, i = min(options)
        best.append(least)
        cut.append([*cut[i], j])
    return cut[-1]


@lru_cache(1 << 14)
def look_up(token: str, lexicon: Lexicon) -> str | None:
    """Return the word for a token, or None if it is unknown."""
    candidates = _candidates(token, lexicon.writing)
    found = [typed_as(candidate, lexicon.ids, lexicon.policy) for candidate in candidates]
    return next((lexicon.words[word_id] for word_id in found if word_id is not None), None)


def _candidates(token: str, writing: Mapping[str, Any]) -> list[str]:
    t = normalize(token, writing)
    if len(t) > 256:
        return [t]
    u = t.strip("'")
    candidates = [t, u, *(u.replace(a, b) for a, b in writing["rewritten"] if a in u)]
    spellings = writing["spellings"]
    for form in _forms(u, writing["longest_run"]):
        candidates.append(form)
        r = form
        for _ in range(8):
            left = [r[: -len(ending)] for ending in writing["endings"] if r.endswith(ending)]
            left = [rest for rest in left if len(rest) >= writing["shortest_stem"]]
            left.sort(key=len)
            if r in spellings:
                return [*filter(None, candidates), spellings[r]]
            if not left:
                break
            candidates += left
            r = left[0]
    masked = "".join("0" if character in "0123456789" else character for character in u)
    candidates.append(spellings.get(masked, ""))
    return [candidate for candidate in candidates if candidate]


def _forms(u: str, longest: int) -> list[str]:
    runs = ["".join(equal) for _, equal in groupby(u)]

    def is_long(run: str) -> bool:
        return len(run) > longest and run[0] not in "0123456789"

    def cut_to(size: int) -> str:
        return "".join(run[:size] if is_long(run) else run for run in runs)

    return list(dict.fromkeys((u, cut_to(longest), cut_to(1)))) if longest else [u]
