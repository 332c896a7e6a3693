"""Check that nothing depends on which word of a list was typed.

A list's members, its forms, and text marked with its name are typed as one word. For equal random
bytes they have equal outputs, and take the same number of bytes. With a memory, two of them are
like one word typed twice. The same holds for unknown words, and for text marked as unknown.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from brrkit import Mark
from brrkit_toolchain.audit.parts.replays import TAPE_BYTES, TAPES, Outcome, Replayed, some
from brrkit_toolchain.audit.result import Part

_SAMPLE = 64  # largest number of a list's members, and of its forms
_BESIDE = "7"  # the word before and after the tested word
_MARKED = ("qzxvjkwq", "zbigniew o'brien", "7")  # marked text, in addition to the list's own words

_Alike = tuple[str, list[str], str | None]
"""What the words have in common, the words, and the list's name in marks."""


def audit_list_members(replayed: Replayed) -> Part:
    """Release each list's words from equal bytes: as words, as marked text, and for counts."""
    start = time.perf_counter()
    problems, compared = [], 0
    for kind, words, name in _alike(replayed):
        inside = [*some(words, len(_MARKED)), *_MARKED]
        names = [*words, *(f"{text} (marked)" for text in inside)]
        for content in (os.urandom(TAPE_BYTES) for _ in range(TAPES)):
            released = [replayed.words([_BESIDE, word, _BESIDE], content) for word in words]
            released += [_marked(replayed, text, name, content) for text in inside]
            counted = [replayed.counted([word], content) for word in words]
            problems += _different(kind, names, released)
            problems += _different(f"{kind}, counted", words, counted)
            compared += len(released) + len(counted)
    detail = f"{compared:,} releases: equal random bytes give equal outputs"
    return replayed.part("list members", problems, detail, start)


def audit_memory_by_member(replayed: Replayed) -> Part:
    """Release pairs of each list's words, and one word twice; ``replayed`` has a memory."""
    start = time.perf_counter()
    problems, compared = [], 0
    for kind, words, _ in _alike(replayed):
        for content in (os.urandom(TAPE_BYTES) for _ in range(TAPES)):
            pairs = [[words[0], word] for word in words]
            released = [replayed.words(pair, content) for pair in pairs]
            counted = [replayed.counted(pair, content) for pair in pairs]
            problems += _different(kind, words, released)
            problems += _different(f"{kind}, counted", words, counted)
            compared += len(released) + len(counted)
    detail = f"{compared:,} pairs: two words of a list are as one that comes twice"
    return replayed.part("memory by member", problems, detail, start)


def _alike(replayed: Replayed) -> Iterator[_Alike]:
    for each in replayed.bundle.policy.lists:
        members = replayed.typed(some(each.members, _SAMPLE))
        yield f"list {each.name}", [*members, *some(each.forms, _SAMPLE)], each.name
    yield "unknown words", replayed.unknown(), None


def _marked(replayed: Replayed, inside: str, name: str | None, content: bytes) -> Outcome:
    before = f"{_BESIDE} {inside}"
    mark = Mark(len(before) - len(inside), len(before), name)
    return replayed.marked(f"{before} {_BESIDE}", mark, content)


def _different(kind: str, names: Sequence[str], outcomes: Sequence[Outcome]) -> list[str]:
    """Return a message for each outcome that differs from the first."""
    return [
        f"{kind}: {name!r} isn't as {names[0]!r}"
        for name, outcome in zip(names, outcomes, strict=True)
        if outcome != outcomes[0]
    ]
