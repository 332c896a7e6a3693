"""Section "Marks" of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brrkit_toolchain.bundle.reference.policy import head_of
from brrkit_toolchain.bundle.reference.tokenizer import Lexicon, normalize, separates


def cut_marks(
    text: str, marks: Sequence[Sequence[Any]], lexicon: Lexicon
) -> list[tuple[int, int, str | None]]:
    """Return start, end and list of each mark, widened and without overlap.

    Args:
        text: the text.
        marks: start, end and, for some, the name of a list.
        lexicon: the vocabulary.
    """
    inner = [is_inner(character, lexicon) for character in text]
    ends = [
        place
        for place in range(len(text) + 1)
        if not all(0 <= i < len(text) and inner[i] for i in (place - 1, place))
    ]
    cut: list[tuple[int, int, str | None]] = []
    for start, end, *name in sorted(marks, key=lambda mark: tuple(mark[:2])):
        first = max(place for place in ends if place <= start)
        last = min(place for place in ends if place >= end)
        if cut and first < cut[-1][1]:
            before = cut.pop()
            cut.append((before[0], max(last, before[1]), before[2]))
        else:
            cut.append((first, last, name[0] if name else None))
    return cut


def pieces(
    text: str, marks: Sequence[Sequence[Any]], lexicon: Lexicon
) -> list[tuple[str, bool, int | None]]:
    """Return the parts of a text, each with whether it is a mark, and the word for the mark."""
    found: list[tuple[str, bool, int | None]] = []
    place = 0
    for start, end, name in cut_marks(text, marks, lexicon):
        found.append((text[place:start], False, None))
        found.append((text[start:end], True, head_of(name, lexicon.policy)))
        place = end
    return [*found, (text[place:], False, None)]


def is_inner(character: str, lexicon: Lexicon) -> bool:
    """Return whether no end of a mark is between two such code points."""
    if any(first <= ord(character) <= last for first, last in lexicon.writing["unspaced"]):
        return False
    return not separates(normalize(character, lexicon.writing), lexicon.writing)
