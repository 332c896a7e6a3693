"""A mechanism that isn't there: BRR, half of the time; else any word. It shows what one needs."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime.bundle import WordBundle
from brr_runtime.mechanisms.brr import BRR
from brr_runtime.randomness import RandomSource, uniform_below
from brr_toolchain.bundle import reference


class Half:
    """As it would be in ``runtime/brr_runtime/mechanisms``."""

    def __init__(self, bundle: WordBundle, epsilon: float) -> None:
        self._brr, self._size = BRR(bundle, epsilon), len(bundle)
        self.epsilon, self.effective_epsilon = self._brr.epsilon, self._brr.effective_epsilon
        self.setting = (b"half", self._brr.setting[1])

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.intp]:
        nearest = self._brr(codes, random)
        drawn = [uniform_below(2, random) or uniform_below(self._size, random) + 2 for _ in codes]
        return np.where(np.array(drawn) == 1, nearest, np.array(drawn) - 2)


def _release(
    codes: NDArray[np.uint64], code: bytes, epsilon: float, read: reference.Read
) -> reference.GoldenRelease:
    """As it would be in ``bundle/reference``, written independently."""
    result = reference.MECHANISMS["brr"].release(codes, code, epsilon, read)
    if reference.uniform_below(2, read) == 1:
        return reference.GoldenRelease(result.word_id, {"coin": 1})
    return reference.GoldenRelease(reference.uniform_below(len(codes), read), {"coin": 0})


def _setting(epsilon: float, _parameters: Mapping[str, Any], _bits: int, _size: int) -> bytes:
    return struct.pack("<q", reference.flip_threshold(epsilon))


def _variants(_size: int, _to_all: Sequence[int], _bits: int) -> Iterator[dict[str, Any]]:
    yield {}


def _edges(shown: reference.Shown) -> Iterator[reference.Edge]:
    for coin in (0, 1):
        random = shown.noise + coin.to_bytes(8, "little") + bytes(8)
        yield reference.Edge(1.0, BytesIO(random).read)


SPECIFIED = reference.Specified(_release, _setting, _variants, _edges)


class Wrong(Half):
    """Takes the coin the other way round."""

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.intp]:
        def read(size: int) -> bytes:
            drawn = random(size)
            return bytes([drawn[0] ^ 1]) + drawn[1:] if size == 8 else drawn

        return super().__call__(codes, read)
