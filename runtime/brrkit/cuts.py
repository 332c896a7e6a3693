"""The most probable cut of letters without a space between them into words of a vocabulary.

``spec/bundle-format.md``, "Cost", "Scripts without spaces" and "Compounds".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS
from brrkit.vocabulary import Words
from brrkit.writing import Writing

LONGEST_WORD = 32
"""Largest number of code points in a word cut from a script without spaces."""

PART = 1024
"""Number of code points to cut at once, which bounds the memory."""

UNKNOWN = 1847
"""Additional cost of an unknown code point, compared with the rarest word: that of a factor e^5, in
1/256 bits."""


def logarithm(number: int) -> int:
    """Return about 256 times the binary logarithm of ``number``, linear between powers of two.

    The result is an integer, and the same on every device.
    """
    power = number.bit_length() - 1
    return 256 * power + (number << 8 >> power) - 256


_LEVEL_LOGARITHMS = np.array([0, *map(logarithm, LEVELS[1:].tolist())], np.int64)


Piece = tuple[str, int | None]
"""A part of a text, and the id of the word with this spelling, or None."""


@dataclass(frozen=True)
class Costs:
    """The costs of words, in 1/256 bits: less probable words have a higher cost.

    Attributes:
        ids: id of each word.
        words: cost of each word, by its id.
        unknown: cost of a code point outside words.
        longest: number of code points of the longest word.
    """

    ids: Mapping[str, int]
    words: Sequence[int]
    unknown: int
    longest: int

    @classmethod
    def of(cls, vocabulary: Words, masses: NDArray[np.uint8]) -> Costs:
        """Return the costs of a vocabulary's words, whose masses are bytes of ``LEVELS``."""
        costs = logarithm(int(LEVELS[masses].sum())) - _LEVEL_LOGARITHMS[masses]
        words = list(vocabulary)
        return cls(
            {word: word_id for word_id, word in enumerate(words)},
            costs.tolist(),
            int(costs.max()) + UNKNOWN,
            min(max(map(len, words)), LONGEST_WORD),
        )


def cut_unspaced(stretch: str, costs: Costs) -> Iterator[Piece]:
    """Yield the tokens of ``stretch``, in a script without spaces: the words with the least cost.

    Consecutive unknown code points are one token.
    """
    for start in range(0, len(stretch), PART):
        yield from _cut_part(stretch[start : start + PART], costs)


def _cut_part(part: str, costs: Costs) -> Iterator[Piece]:
    id_of, words, longest, unknown = costs.ids.get, costs.words, costs.longest, costs.unknown
    best, begins = [0], [0]
    found: list[int | None] = [None]
    for end in range(1, len(part) + 1):
        least, begin, word_id = best[-1] + unknown, end - 1, None
        for start in range(end - 1, max(end - longest, 0) - 1, -1):
            there = id_of(part[start:end])
            # At the same cost, the word that begins first.
            if there is not None and best[start] + words[there] <= least:
                least, begin, word_id = best[start] + words[there], start, there
        best.append(least)
        begins.append(begin)
        found.append(word_id)
    pieces: list[Piece] = []
    end = len(part)
    while end:
        pieces.append((part[begins[end] : end], found[end]))
        end = begins[end]
    run = ""
    for piece, word_id in reversed(pieces):
        if word_id is None:
            run += piece
            continue
        if run:
            yield run, None
        run = ""
        yield piece, word_id
    if run:
        yield run, None


def cut_compound(string: str, writing: Writing, costs: Costs) -> list[Piece]:
    """Return the two words that form ``string`` at the least cost, or nothing."""
    parts: list[Piece] = []
    least = 0
    for end in range(len(string) - writing.shortest_part, writing.shortest_part - 1, -1):
        first = costs.ids.get(string[:end])
        if first is None:
            continue
        for link in writing.links:
            rest = string[end + len(link) :]
            if not string.startswith(link, end) or len(rest) < writing.shortest_part:
                continue
            second = costs.ids.get(rest)
            if second is None:
                continue
            cost = costs.words[first] + costs.words[second]
            if not parts or cost < least:
                parts, least = [(string[:end], first), (rest, second)], cost
    return parts
