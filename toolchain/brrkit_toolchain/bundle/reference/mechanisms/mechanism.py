"""What the specification says of a mechanism, and what of it golden cases show."""

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
    """What an index has, as far as a mechanism takes it.

    Attributes:
        codes: uint64[n, bits / 64].
        masses: m of each word, by id.
        gains: m of each bigram, by the ids of its words.
        task_bits: how many of the last bits of a code are task bits.
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
        """Return the id that stands for an unknown word."""
        return pick(self.masses, uniform_below(sum(self.masses), read))


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
        before: id of the word released before.
    """

    epsilon: float
    read: Read
    parameters: Mapping[str, Any] = field(default_factory=dict)
    before: int | None = None


@dataclass(frozen=True)
class Shown:
    """The words that golden cases are made of.

    Attributes:
        contents: the whole vocabulary.
        to_all: distances [n] from the first word's code to all.
        noise: 4 * bits random bytes that flip it, at epsilon 1, into none of the vocabulary's.
        from_noised: distances [n] from there.
        random: gives random bytes.
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
        """Draw the noise; a noised code that is a word's would make the nearest word certain."""
        codes = contents.codes
        code = codes[0].tobytes()
        noise, from_noised = b"", np.zeros(1, np.int64)
        while from_noised.min() == 0:
            noise = random(32 * len(code))
            from_noised = distances(codes, flip(code, noise, flip_threshold(1.0)))
        return cls(contents, distances(codes, code), noise, from_noised, random)


@dataclass(frozen=True)
class Specified:
    """A mechanism as the specification has it.

    Attributes:
        release: (contents, code, epsilon, read, before, parameters) to what it does with a code.
        setting: (epsilon, parameters, contents) to the numbers that decide its draws, as bytes.
        variants: (contents, distances from a word to all) to parameters that cases show.
        edges: yields random bytes at which its choice changes.
        flips: whether it begins with the randomizer, which takes 4 * bits bytes.
    """

    release: Callable[..., GoldenRelease]
    setting: Callable[[float, Mapping[str, Any], Contents], bytes]
    variants: Callable[[Contents, NDArray[np.int64]], Iterator[dict[str, Any]]]
    edges: Callable[[Shown], Iterator[Edge]]
    flips: bool


def boundaries(weights: Sequence[int]) -> list[bytes]:
    """Return random bytes for the numbers at both sides of the sum of the first, and of all.

    The last of them must be drawn again.
    """
    ends = {next(filter(None, weights)), sum(weights)}
    numbers = [number for end in sorted(ends) for number in (end - 1, end)]
    return [number.to_bytes(8, "little") + bytes(16) for number in numbers]
