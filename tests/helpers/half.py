"""A mechanism that isn't there: BRR, half of the time; else any word. It shows what one needs.

Half of the time is what a coin gives; it can have more sides, one of which is for any word.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.parameter import Parameter
from brrkit.randomness import RandomSource, uniform_below
from brrkit_toolchain.bundle import reference


class Half:
    """As it would be in ``runtime/brrkit/mechanisms``."""

    parameters = (Parameter("sides", int, "of the coin. Default: 2."),)

    def __init__(self, bundle: WordBundle, epsilon: float, sides: int = 2) -> None:
        if not 2 <= sides <= 100:
            raise ParameterError(f"sides must be from 2 to 100, not {sides}")
        self._brr, self._size, self._sides = BRR(bundle, epsilon), len(bundle), sides
        self.epsilon, self.effective_epsilon = self._brr.epsilon, self._brr.effective_epsilon
        self.setting = (b"half", self._brr.setting[1] + bytes([sides]))

    def __call__(
        self, codes: NDArray[np.uint64], random: RandomSource, before: int | None = None
    ) -> NDArray[np.intp]:
        nearest = self._brr(codes, random)
        for i in range(len(codes)):
            if uniform_below(self._sides, random) == 0:
                nearest[i] = uniform_below(self._size, random)
        return nearest


def _release(
    contents: reference.Contents,
    code: bytes,
    epsilon: float,
    read: reference.Read,
    before: int | None,
    sides: int = 2,
) -> reference.GoldenRelease:
    """As it would be in ``bundle/reference``, written independently."""
    result = reference.MECHANISMS["brr"].release(contents, code, epsilon, read, before)
    coin = reference.uniform_below(sides, read)
    if coin > 0:
        return reference.GoldenRelease(result.word_id, {"coin": coin})
    return reference.GoldenRelease(reference.uniform_below(len(contents.codes), read), {"coin": 0})


def _setting(epsilon: float, parameters: Mapping[str, Any], _contents: reference.Contents) -> bytes:
    return struct.pack("<qB", reference.flip_threshold(epsilon), parameters.get("sides", 2))


def _variants(_contents: reference.Contents, _to_all: Sequence[int]) -> Iterator[dict[str, Any]]:
    yield {}
    yield {"sides": 3}


def _edges(shown: reference.Shown) -> Iterator[reference.Edge]:
    for coin in (0, 1):
        random = shown.noise + coin.to_bytes(8, "little") + bytes(8)
        yield reference.Edge(1.0, BytesIO(random).read)


SPECIFIED = reference.Specified(_release, _setting, _variants, _edges, flips=True)


class Wrong(Half):
    """Takes the coin the other way round."""

    def __call__(
        self, codes: NDArray[np.uint64], random: RandomSource, before: int | None = None
    ) -> NDArray[np.intp]:
        def read(size: int) -> bytes:
            drawn = random(size)
            return bytes([drawn[0] ^ 1]) + drawn[1:] if size == 8 else drawn

        return super().__call__(codes, read)
