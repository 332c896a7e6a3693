"""Draws of every input, and the events between pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from brrkit_toolchain.audit.audited_code.processes import CHUNK
from brrkit_toolchain.audit.audited_code.subject import Output

Input = tuple[str, ...]
"""An input: a word, a text, or a sequence of words."""

Outcome = tuple[Output, ...]
"""The output for an ``Input``: a word or vector for each of its words, or a text's words."""

Draw = Callable[[Iterable[Sequence[str]]], Iterator[list[Output]]]
"""Function that returns the outputs for each of several lists of words or texts."""


@dataclass(frozen=True)
class Event:
    """An event that was chosen on some draws, with its counts in others.

    Attributes:
        description: description for people.
        counts: number of draws in the event for the first and for the second input.
    """

    description: str
    counts: tuple[int, int]


@dataclass(frozen=True)
class Sampling:
    """Parameters of the draws.

    Attributes:
        draw: the audited code.
        inputs: the inputs, all of one length.
        samples: number of draws of each that test events; half as many further draws choose them.
        alpha: error probability of one pair's bound.
        texts: whether the inputs are texts.
        delta: delta of the claim.
    """

    draw: Draw
    inputs: Sequence[Input]
    samples: int
    alpha: float
    texts: bool = False
    delta: float = 0.0

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All ordered pairs of inputs."""
        return list(permutations(range(len(self.inputs)), 2))

    def outcomes(self, count: int) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield (input, outcomes) until each input was drawn ``count`` times, in turns."""
        length = len(self.inputs[0])
        size = CHUNK // length
        plan = [
            (number, min(size, count - start))
            for start in range(0, count, size)
            for number in range(len(self.inputs))
        ]
        lists = self.draw(list(self.inputs[number]) * times for number, times in plan)
        for (number, _), outputs in zip(plan, lists, strict=True):
            if self.texts:
                yield number, [tuple(str(text).split(" ")) for text in outputs]
            else:
                rows = range(0, len(outputs), length)
                yield number, [tuple(outputs[row : row + length]) for row in rows]
