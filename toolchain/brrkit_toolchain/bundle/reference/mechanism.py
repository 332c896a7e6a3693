"""What the specification says of a mechanism, and what of it golden cases show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.bundle.reference.numbers import Read, distances, flip, flip_threshold


@dataclass(frozen=True)
class GoldenRelease:
    """What a mechanism did with a code.

    Attributes:
        word_id: the word that it chose.
        details: what it went through, as a golden case records it.
    """

    word_id: int
    details: dict[str, int | str]


@dataclass(frozen=True)
class Edge:
    """Random bytes at which a mechanism's choice changes, for the first word of a vocabulary.

    Attributes:
        epsilon: of the case.
        read: gives them.
        parameters: of the mechanism.
    """

    epsilon: float
    read: Read
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """The words that golden cases are made of.

    Attributes:
        codes: uint64[n, bits / 64], the whole vocabulary.
        to_all: distances [n] from the first word's code to all.
        noise: 4 * bits random bytes that flip it, at epsilon 1, into none of the vocabulary's.
        from_noised: distances [n] from there.
        random: gives random bytes.
    """

    codes: NDArray[np.uint64]
    to_all: Sequence[int]
    noise: bytes
    from_noised: Sequence[int]
    random: Read

    @property
    def bits(self) -> int:
        """Length of a code."""
        return 64 * int(self.codes.shape[1])

    @classmethod
    def of(cls, codes: NDArray[np.uint64], random: Read) -> Shown:
        """Draw the noise; a noised code that is a word's would make the nearest word certain."""
        code = codes[0].tobytes()
        noise, from_noised = b"", [0]
        while min(from_noised) == 0:
            noise = random(32 * len(code))
            from_noised = distances(codes, flip(code, noise, flip_threshold(1.0))).tolist()
        return cls(codes, distances(codes, code).tolist(), noise, from_noised, random)


@dataclass(frozen=True)
class Specified:
    """A mechanism as the specification has it.

    Attributes:
        release: (codes, code, epsilon, read, parameters) to what it does with a code.
        setting: (epsilon, parameters, bits, n) to the numbers that decide its draws, as bytes.
        variants: (n, distances from a word to all, bits) to parameters that cases show.
        edges: yields random bytes at which its choice changes.
    """

    release: Callable[..., GoldenRelease]
    setting: Callable[[float, Mapping[str, Any], int, int], bytes]
    variants: Callable[[int, Sequence[int], int], Iterator[dict[str, Any]]]
    edges: Callable[[Shown], Iterator[Edge]]


def boundaries(weights: Sequence[int]) -> list[bytes]:
    """Return random bytes for the numbers at both sides of the sum of the first, and of all.

    The last of them must be drawn again.
    """
    ends = {next(filter(None, weights)), sum(weights)}
    numbers = [number for end in sorted(ends) for number in (end - 1, end)]
    return [number.to_bytes(8, "little") + bytes(16) for number in numbers]
