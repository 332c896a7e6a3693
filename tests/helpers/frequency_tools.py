"""Small channels and reports with a known truth."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from brrkit.exact import weight_table
from brrkit_toolchain.channel.linear import Linear, linear_map

Array = NDArray[np.float64]


def toy_channel(words: int = 120, epsilon: float = 0.7, radius: int = 6, seed: int = 0) -> Linear:
    """Words in clusters: each has neighbors that it is hard to tell from."""
    generator = np.random.default_rng(seed)
    centers = generator.integers(0, 2**64, (max(words // 6, 1), 1), np.uint64)
    codes = centers[generator.integers(len(centers), size=words)]
    for _ in range(7):
        codes = codes ^ (np.uint64(1) << generator.integers(0, 64, codes.shape, np.uint64))
    weights = np.array(weight_table(epsilon, 64, words, radius), np.int64)
    return linear_map(codes, weights, np.ones(words, np.int64), alike(words))


def alike(words: int) -> Array:
    """How often each word takes an unknown word's place, where all have the same mass."""
    return np.full(words, 1 / words)


def matrix(channel: Linear) -> Array:
    """K, float64[n, n + 1], written down from its definition. Not to be changed."""
    return _matrix(
        channel.planes.tobytes(),
        channel.planes.shape,
        channel.weights.tobytes(),
        channel.measure.tobytes(),
        channel.stand_ins.tobytes(),
    )


@cache
def _matrix(
    planes: bytes, shape: tuple[int, int], weights: bytes, measure: bytes, stand_ins: bytes
) -> Array:
    codes = np.ascontiguousarray(np.frombuffer(planes, np.uint64).reshape(shape).T)
    apart = np.unpackbits((codes[:, None] ^ codes[None]).view(np.uint8), axis=2).sum(axis=2)
    known = np.frombuffer(measure)[:, None] * np.frombuffer(weights)[apart]
    known = known / known.sum(axis=0)
    result = np.column_stack([known, known @ np.frombuffer(stand_ins)])
    result.setflags(write=False)
    return result


def zipf(words: int, unknown: float = 0.05) -> Array:
    shares = 1 / (np.arange(words) + 2.7)
    return np.append(shares / shares.sum() * (1 - unknown), unknown)


def draw(
    channel: Linear, shares: Array, reports: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Reports of that many typed words, counted."""
    typed = generator.multinomial(reports, shares)
    columns = matrix(channel)
    counts = [generator.multinomial(k, columns[:, x]) for x, k in enumerate(typed) if k]
    return np.asarray(np.sum(counts, axis=0), np.int64)
