"""Writing rules of a bundle's language: the tokenizer's data, which differ by language.

``spec/bundle-format.md``, "Writing", is the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

from brrkit.characters import is_separator

Pairs = tuple[tuple[str, str], ...]

_SURROGATES = ((0xD800, 0xDFFF),)  # no text has one of these code points


@dataclass(frozen=True)
class Writing:
    """Writing rules of a language. Strings are in the vocabulary's normal form.

    Attributes:
        language: its name, for people.
        replaced: pairs of a code point and its replacement in a vocabulary.
        joiners: separators that join two word characters if they stand between them.
        before: words that are cut off the beginning of another word, such as l' in l'homme.
        endings: endings that are removed from an unknown word.
        shortest_stem: smallest number of code points that the removal of an ending leaves.
        spellings: pairs of a token that the vocabulary lacks and its word.
        rewritten: pairs of a string in an unknown word and its replacement.
        longest_run: largest number of equal code points in a row in a word; 0: no limit.
        unspaced: first and last code points of scripts without spaces; no joiner is in them.
        links: strings that may join the two parts of a compound; empty: no compounds.
        shortest_part: smallest number of code points in a part of a compound.
    """

    language: str
    replaced: Pairs
    joiners: tuple[str, ...]
    before: tuple[str, ...]
    endings: tuple[str, ...]
    shortest_stem: int
    spellings: Pairs
    rewritten: Pairs
    longest_run: int
    unspaced: tuple[tuple[int, int], ...]
    links: tuple[str, ...]
    shortest_part: int

    @cached_property
    def word_of(self) -> dict[str, str]:
        """``spellings`` as a dictionary for look-ups."""
        return dict(self.spellings)

    def is_unspaced(self, character: str) -> bool:
        """Return whether ``character`` belongs to a script without spaces."""
        return _is_in(self.unspaced, ord(character))

    def to_json(self) -> dict[str, Any]:
        """Return the rules in the form of a manifest."""
        held: dict[str, Any] = asdict(self)
        lists = {name: _listed(value) for name, value in held.items()}
        return lists | {"replaced": dict(self.replaced), "spellings": self.word_of.copy()}


def _listed(value: Any) -> Any:
    return list(map(_listed, value)) if isinstance(value, tuple) else value


ENGLISH = Writing(
    language="en",
    replaced=(),
    joiners=(),
    before=(),
    endings=("n't", "'s", "'re", "'ve", "'ll", "'d", "'m"),
    shortest_stem=1,
    spellings=(("can't", "can"), ("won't", "will"), ("shan't", "shall")),
    rewritten=(),
    longest_run=2,
    unspaced=(),
    links=(),
    shortest_part=4,
)
"""The writing rules of English, for a bundle without a field ``writing``."""


def read_writing(value: object) -> Writing | None:
    """Parse a manifest's object; return None if its rules aren't valid."""
    names = [field.name for field in fields(Writing)]
    if not isinstance(value, dict) or sorted(value) != sorted(names):
        return None
    try:
        writing = Writing(**{name: _READERS[name](value[name]) for name in names})
        _expect(not any(_is_in(writing.unspaced, ord(joiner)) for joiner in writing.joiners))
    except ValueError:
        return None
    return writing


def _expect(valid: bool) -> None:
    if not valid:
        raise ValueError


def _name(value: Any) -> str:
    _expect(isinstance(value, str) and 1 <= len(value) <= 64)
    _expect(all(" " <= character <= "~" for character in value))
    return str(value)


def _count(value: Any, least: int = 1) -> int:
    _expect(type(value) is int and least <= value <= 64)
    return int(value)


def _string(value: Any, least: int = 1, most: int = 64) -> str:
    _expect(isinstance(value, str) and least <= len(value) <= most)
    return str(value)


def _list(value: Any, most: int) -> list[Any]:
    _expect(isinstance(value, list) and len(value) <= most)
    return list(value)


def _unique(values: Iterable[Any]) -> tuple[Any, ...]:
    held = tuple(values)
    _expect(len(set(held)) == len(held))
    return held


def _strings(most: int, least: int = 1, longest: int = 64) -> Callable[[Any], tuple[str, ...]]:
    return lambda value: _unique(_string(each, least, longest) for each in _list(value, most))


def _mapping(most: int, longest_key: int, values: tuple[int, int]) -> Callable[[Any], Pairs]:
    def read(value: Any) -> Pairs:
        _expect(isinstance(value, dict) and len(value) <= most)
        return tuple((_string(key, 1, longest_key), _string(value[key], *values)) for key in value)

    return read


def _joiners(value: Any) -> tuple[str, ...]:
    joiners = _strings(16, 1, 1)(value)
    _expect(all(is_separator(joiner) for joiner in joiners))
    return joiners


def _rewritten(value: Any) -> Pairs:
    pairs = [_list(pair, 2) for pair in _list(value, 64)]
    _expect(all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs))
    return _unique((_string(pair[0]), _string(pair[1], 0)) for pair in pairs)


def _unspaced(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = [_list(pair, 2) for pair in _list(value, 64)]
    _expect(all(len(pair) == 2 and all(type(end) is int for end in pair) for pair in pairs))
    _expect(all(0 <= first <= last <= 0x10FFFF for first, last in pairs))
    _expect(not any(_is_in(_SURROGATES, end) for pair in pairs for end in pair))
    _expect(all(one[1] < other[0] for one, other in pairwise(pairs)))
    return tuple((first, last) for first, last in pairs)


def _is_in(ranges: tuple[tuple[int, int], ...], code_point: int) -> bool:
    return any(first <= code_point <= last for first, last in ranges)


_READERS: dict[str, Callable[[Any], Any]] = {
    "language": _name,
    "replaced": _mapping(256, 1, (0, 4)),
    "joiners": _joiners,
    "before": _strings(64),
    "endings": _strings(256),
    "shortest_stem": _count,
    "spellings": _mapping(4096, 64, (1, 64)),
    "rewritten": _rewritten,
    "longest_run": lambda value: _count(value, 0),
    "unspaced": _unspaced,
    "links": _strings(8, 0, 4),
    "shortest_part": _count,
}
