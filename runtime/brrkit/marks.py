"""Marks: parts of a text that an app declares secret. ``spec/bundle-format.md``, "Marks"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from brrkit.errors import ParameterError
from brrkit.policy import Policy
from brrkit.tokenizer import Tokenizer


@dataclass(frozen=True)
class Mark:
    """A part of a text that counts as one token, whatever it contains.

    Its release reveals only ``list``, or nothing if ``list`` is None.

    Attributes:
        start: index of its first code point in the text.
        end: index after its last code point.
        list: name of a list of the policy; None: it counts as an unknown word.
    """

    start: int
    end: int
    list: str | None = None


def cut_marks(text: str, marks: Sequence[Mark], tokenizer: Tokenizer) -> list[Mark]:
    """Return the ``marks`` of ``text`` in order, widened to whole tokens and without overlap.

    Raises:
        ParameterError: a mark is empty or outside the text, or names a list that the policy lacks.
    """
    if not isinstance(marks, Sequence) or not all(isinstance(mark, Mark) for mark in marks):
        raise ParameterError('marks takes a list of marks: [Mark(10, 25, "names")]')
    for number, mark in enumerate(marks, start=1):
        _check(number, mark, len(text), tokenizer.policy)
    cut: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        start, end = mark.start, mark.end
        while tokenizer.is_inner(text[start - 1 : start]) and tokenizer.is_inner(text[start]):
            start -= 1
        while tokenizer.is_inner(text[end - 1]) and tokenizer.is_inner(text[end : end + 1]):
            end += 1
        if cut and start < cut[-1].end:
            cut[-1] = replace(cut[-1], end=max(end, cut[-1].end))
        else:
            cut.append(Mark(start, end, mark.list))
    return cut


def around(text: str, marks: Sequence[Mark]) -> list[str]:
    """Return the parts of ``text`` before, between and after ``marks`` from ``cut_marks``."""
    starts, ends = [0, *(mark.end for mark in marks)], [*(mark.start for mark in marks), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def filled(text: str, marks: Sequence[Mark], words: Iterable[str]) -> str:
    """Return ``text`` with each of ``marks`` replaced by the next of ``words``."""
    first, *others = around(text, marks)
    for word, behind in zip(words, others, strict=True):
        first += word + behind
    return first


def _check(number: int, mark: Mark, size: int, policy: Policy) -> None:
    if not all(type(end) is int for end in (mark.start, mark.end)):
        raise ParameterError(f"mark {number}: start and end must be integers")
    if not 0 <= mark.start < mark.end <= size:
        raise ParameterError(
            f"mark {number}: must satisfy 0 <= start < end <= length of the text (code points)"
        )
    if mark.list is not None and policy.head_of(mark.list) is None:
        names = ", ".join(each.name for each in policy.lists) or "none"
        raise ParameterError(
            f"mark {number}: the bundle's policy has no such list; its lists: {names}"
        )
