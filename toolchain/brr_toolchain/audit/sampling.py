"""Draws of every input, and the events between pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from brr_toolchain.audit.subjects import Draw, Output

_CHUNK = 250


@dataclass(frozen=True)
class Event:
    """An event that was chosen on some draws, with its counts in others.

    Attributes:
        description: for people.
        counts: how often it happened for the first and for the second input.
    """

    description: str
    counts: tuple[int, int]


@dataclass(frozen=True)
class Sampling:
    """How inputs are drawn.

    Attributes:
        draw: the audited code.
        inputs: the words that go in.
        samples: draws of each that test events; half as many again choose them.
        alpha: error probability of one pair's bound.
        advance: told of every few draws.
    """

    draw: Draw
    inputs: Sequence[str]
    samples: int
    alpha: float
    advance: Callable[[int], object]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All ordered pairs of inputs."""
        return list(permutations(range(len(self.inputs)), 2))

    def outputs(self, count: int) -> Iterator[tuple[int, list[Output]]]:
        """Yield (input, outputs) until each input was drawn ``count`` times, in turns."""
        for start in range(0, count, _CHUNK):
            size = min(_CHUNK, count - start)
            for number, word in enumerate(self.inputs):
                yield number, self.draw(word, size)
                self.advance(size)
