"""Releases from given random bytes, which reveal an output's dependencies.

Chance decides no outcome: code that follows the bundle's policy never fails, at any false alarm
rate. Factories take no part, since their random bytes can't be given.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from brrkit import Counts, CountsSetting, Mark, Memory, Privatizer, Setting, WordBundle
from brrkit_toolchain.audit.inputs import unknown_words
from brrkit_toolchain.audit.result import Part

TAPES = 4
"""Number of releases of each word, each from different bytes."""

TAPE_BYTES = 1 << 12
"""Number of bytes; more than one word takes."""

# Epsilons for counts: with _KEPT, a symbol is nearly always kept; with _KEYED, another key of a
# memory gives another symbol.
_KEPT, _KEYED = 20.0, 1.0
_SHOWN = 5  # problems in a part's detail

_T = TypeVar("_T")

Outcome = tuple[str, int]
"""The released words, and the number of random bytes taken."""


class Tape:
    """A source of given bytes, followed by zeros.

    Attributes:
        taken: number of bytes taken.
    """

    def __init__(self) -> None:
        """Start with zeros only."""
        self.rewind(b"")

    def rewind(self, content: bytes) -> None:
        """Start again, with ``content``."""
        self._content, self.taken = content, 0

    def __call__(self, size: int) -> bytes:
        """Return the next bytes."""
        part = self._content[self.taken : self.taken + size]
        self.taken += size
        return part.ljust(size, b"\0")


@dataclass(frozen=True)
class Replayed:
    """The audited code, and the source of its random bytes.

    Attributes:
        bundle: a bundle with a policy.
        tape: the source for ``privatizer`` and ``counts``.
        privatizer: the code that releases text.
        counts: the code that releases words for counts.
    """

    bundle: WordBundle
    tape: Tape
    privatizer: Privatizer
    counts: Counts

    @classmethod
    def of(cls, bundle: WordBundle, setting: Setting, memory: Memory | None = None) -> Replayed:
        """Create the runtime's own code."""
        tape = Tape()
        if memory is None:
            counts = Counts(bundle, CountsSetting(_KEPT), random=tape)
        else:
            counts = Counts(
                bundle, CountsSetting(_KEYED), memory=memory, second_cap=_KEPT, random=tape
            )
        return cls(bundle, tape, Privatizer(bundle, setting, memory=memory, random=tape), counts)

    def words(self, words: Sequence[str], content: bytes) -> Outcome:
        """Release ``words`` from the bytes ``content``."""
        self.tape.rewind(content)
        return " ".join(self.privatizer.words(words)), self.tape.taken

    def marked(self, text: str, mark: Mark, content: bytes) -> Outcome:
        """Release a text."""
        self.tape.rewind(content)
        return self.privatizer.text(text, [mark]), self.tape.taken

    def counted(self, words: Sequence[str], content: bytes) -> Outcome:
        """Release ``words`` for counts."""
        self.tape.rewind(content)
        return " ".join(self.counts.words(words)), self.tape.taken

    def typed(self, word_ids: Iterable[int]) -> list[str]:
        """Return the words with these ids, without words that can't be typed."""
        words, normalize = self.bundle.vocabulary, self.bundle.tokenizer.normalize
        return [word for word in map(words.word, word_ids) if normalize(word) == word]

    def unknown(self) -> list[str]:
        """Return words outside the vocabulary, and outside all lists."""
        look_up, words = self.bundle.tokenizer.look_up, list(self.bundle.vocabulary)
        return [word for word in unknown_words(words) if look_up(word) is None]

    def part(self, name: str, problems: Sequence[str], detail: str, start: float) -> Part:
        """Return the part that began at ``start``, with the first problems, or ``detail``."""
        different = list(dict.fromkeys(problems))
        if different:
            detail = "; ".join(different[:_SHOWN])
        if len(different) > _SHOWN:
            detail += f"; and {len(different) - _SHOWN:,} more"
        seconds = time.perf_counter() - start
        return Part(name, self.privatizer.epsilon, (), not different, detail, seconds)


def some(values: Sequence[_T], most: int) -> list[_T]:
    """Return ``values``; of more than ``most``, the first and a random sample of the others."""
    if len(values) <= most:
        return list(values)
    return [values[0], *random.SystemRandom().sample(values[1:], most - 1)]
