"""A mechanism as specified, and its golden cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.bundle.reference.numbers import (
    Read,
    distances,
    flip,
    flip_threshold,
    mass,
    pick,
    uniform_below,
)


@dataclass(frozen=True)
class Contents:
    """The contents of an index that a mechanism uses.

    Attributes:
        codes: uint64[n, bits / 64].
        masses: m of each word, by id.
        gains: m of each bigram, by the ids of its words.
        task_bits: number of task bits, the last bits of a code.
        most: M of each base.
    """

    codes: NDArray[np.uint64]
    masses: Sequence[int]
    gains: Mapping[int, Mapping[int, int]]
    task_bits: int
    most: Mapping[str, int]

    @classmethod
    def of(
        cls,
        codes: NDArray[np.uint64],
        masses: Sequence[int],
        bigrams: Sequence[tuple[int, int, int]],
        task_bits: int = 0,
    ) -> Contents:
        """Read the bytes of masses, and (before, after, byte of the gain) of each bigram."""
        gains: dict[int, dict[int, int]] = defaultdict(dict)
        for before, after, gain in bigrams:
            gains[before][after] = mass(gain)
        of_words = [mass(byte) for byte in masses]
        most = {"uniform": len(of_words), "unigram": sum(of_words)}
        if gains:
            most["bigram"] = most["unigram"] + max(sum(each.values()) for each in gains.values())
        return cls(codes, of_words, dict(gains), task_bits, most)

    @cached_property
    def unigram(self) -> NDArray[np.int64]:
        """The masses as int64[n]."""
        return np.array(self.masses, np.int64)

    def draw(self, read: Read) -> int:
        """Draw and return the id that replaces an unknown word."""
        return pick(self.masses, uniform_below(sum(self.masses), read))


@dataclass(frozen=True)
class GoldenRelease:
    """The result of a mechanism for a code.

    Attributes:
        word_id: id of the released word.
        details: intermediate results, in the form of a golden case.
    """

    word_id: int
    details: dict[str, int | str]


@dataclass(frozen=True)
class Edge:
    """Random bytes at which a mechanism's choice changes, for the first word of a vocabulary.

    Attributes:
        epsilon: epsilon of the case.
        read: source of these bytes.
        parameters: parameters of the mechanism.
        before: id of the word released before.
    """

    epsilon: float
    read: Read
    parameters: Mapping[str, Any] = field(default_factory=dict)
    before: int | None = None


@dataclass(frozen=True)
class Shown:
    """The words of golden cases.

    Attributes:
        contents: the whole vocabulary.
        to_all: [n], distances from the first word's code to all codes.
        noise: 4 * bits random bytes, with which this code, noised at epsilon 1, is no word's.
        from_noised: [n], distances from the noised code.
        random: source of random bytes.
    """

    contents: Contents
    to_all: NDArray[np.int64]
    noise: bytes
    from_noised: NDArray[np.int64]
    random: Read

    @property
    def code(self) -> bytes:
        """The first word's code."""
        return bytes(self.contents.codes[0].tobytes())

    @property
    def bits(self) -> int:
        """Length of a code."""
        return 64 * int(self.contents.codes.shape[1])

    @classmethod
    def of(cls, contents: Contents, random: Read) -> Shown:
        """Draw the noise again if the noised code is a word's, whose nearest word is certain."""
        codes = contents.codes
        code = codes[0].tobytes()
        noise, from_noised = b"", np.zeros(1, np.int64)
        while from_noised.min() == 0:
            noise = random(32 * len(code))
            from_noised = distances(codes, flip(code, noise, flip_threshold(1.0)))
        return cls(contents, distances(codes, code), noise, from_noised, random)


@dataclass(frozen=True)
class Specified:
    """A mechanism as specified.

    Attributes:
        release: function of (contents, code, epsilon, read, before, parameters); returns the
            release.
        setting: function of (epsilon, parameters, contents); returns the numbers that decide the
            draws, as bytes.
        variants: function of (contents, distances from a word to all); returns parameters for
            cases.
        edges: function that yields random bytes at which the mechanism's choice changes.
        flips: whether it begins with the randomizer, which takes 4 * bits bytes.
    """

    release: Callable[..., GoldenRelease]
    setting: Callable[[float, Mapping[str, Any], Contents], bytes]
    variants: Callable[[Contents, NDArray[np.int64]], Iterator[dict[str, Any]]]
    edges: Callable[[Shown], Iterator[Edge]]
    flips: bool


def boundaries(weights: Sequence[int]) -> list[bytes]:
    """Return random bytes for the numbers at both sides of the first weight, and of the sum.

    A mechanism must draw again after the last of them.
    """
    ends = {next(filter(None, weights)), sum(weights)}
    numbers = [number for end in sorted(ends) for number in (end - 1, end)]
    return [number.to_bytes(8, "little") + bytes(16) for number in numbers]
