"""The most probable cut of letters without a space between them into words of a vocabulary.

``docs/reference/bundle-format.md``, "Cost", "Scripts without spaces" and "Compounds".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS
from brrkit.writing import Writing

if TYPE_CHECKING:
    from brrkit.tokenizer import Words

LONGEST_WORD = 32
"""Code points of a word that a script without spaces is cut into."""

PART = 1024
"""Code points that are cut at once: it bounds the memory."""

UNKNOWN = 1847
"""What an unknown code point costs more than the rarest word: e^5 times, in 1/256 bits."""


def logarithm(number: int) -> int:
    """Return about 256 times the binary logarithm of ``number``, by straight lines between powers.

    It is an integer, and the same on every device.
    """
    power = number.bit_length() - 1
    return 256 * power + (number << 8 >> power) - 256


_LOGARITHMS = np.array([0, *map(logarithm, LEVELS[1:].tolist())], np.int64)


@dataclass(frozen=True)
class Costs:
    """What each word costs: the less probable it is, the more. In 1/256 bits.

    Attributes:
        words: by word.
        unknown: of a code point that is no word.
        longest: code points of the longest word.
    """

    words: Mapping[str, int]
    unknown: int
    longest: int

    @classmethod
    def of(cls, vocabulary: Words, masses: NDArray[np.uint8]) -> Costs:
        """Return the costs of a vocabulary's words, whose masses are bytes of ``LEVELS``."""
        costs = logarithm(int(LEVELS[masses].sum())) - _LOGARITHMS[masses]
        words = [vocabulary.word(word_id) for word_id in range(len(vocabulary))]
        longest = min(max(map(len, words)), LONGEST_WORD)
        return cls(
            dict(zip(words, costs.tolist(), strict=True)), int(costs.max()) + UNKNOWN, longest
        )


def cut_unspaced(stretch: str, costs: Costs) -> Iterator[str]:
    """Yield the tokens of ``stretch``, which is of a script without spaces: the cheapest words.

    Unknown code points that follow each other are one token.
    """
    for start in range(0, len(stretch), PART):
        yield from _cut_part(stretch[start : start + PART], costs)


def _cut_part(part: str, costs: Costs) -> Iterator[str]:
    cost_of, longest, unknown = costs.words.get, costs.longest, costs.unknown
    best, begins = [0], [0]
    for end in range(1, len(part) + 1):
        least, begin = best[-1] + unknown, end - 1
        for start in range(end - 1, max(end - longest, 0) - 1, -1):
            cost = cost_of(part[start:end])
            # Of equal ones the one that begins first.
            if cost is not None and best[start] + cost <= least:
                least, begin = best[start] + cost, start
        best.append(least)
        begins.append(begin)
    words, end = [], len(part)
    while end:
        words.append(part[begins[end] : end])
        end = begins[end]
    run = ""
    for word in reversed(words):
        if word not in costs.words:
            run += word
            continue
        if run:
            yield run
        run = ""
        yield word
    if run:
        yield run


def cut_compound(string: str, writing: Writing, costs: Costs) -> list[str] | None:
    """Return the two words that ``string`` is made of, at the least cost, or None."""
    parts, least = None, None
    for end in range(len(string) - writing.shortest_part, writing.shortest_part - 1, -1):
        first = string[:end]
        if first not in costs.words:
            continue
        for link in writing.links:
            second = string[end + len(link) :]
            if not string.startswith(link, end) or len(second) < writing.shortest_part:
                continue
            cost = costs.words.get(second)
            if cost is not None and (least is None or costs.words[first] + cost < least):
                parts, least = [first, second], costs.words[first] + cost
    return parts
