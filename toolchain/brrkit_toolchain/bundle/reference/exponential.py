"""Section "exponential" of the specification."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.bundle.reference.mechanism import (
    Edge,
    GoldenRelease,
    Shown,
    Specified,
    boundaries,
)
from brrkit_toolchain.bundle.reference.numbers import (
    Read,
    distances,
    pick,
    uniform_below,
    weight_table,
)

_EPSILONS = (1e-9, 1.2360679774997898e-09, 0.5, 0.8, 3.2974425414002564, 22.18)


def exponential(
    codes: NDArray[np.uint64],
    code: bytes,
    epsilon: float,
    read: Read,
    radius: int | None = None,
) -> GoldenRelease:
    """The exponential mechanism: a distance by its total weight, then a word at that distance."""
    to_all = distances(codes, code).tolist()
    totals = exponential_weights(to_all, epsilon, 8 * len(code), radius)
    distance = pick(totals, uniform_below(sum(totals), read))
    there = [i for i, d in enumerate(to_all) if d == distance]
    word_id = there[uniform_below(len(there), read)]
    return GoldenRelease(word_id, {"distance": distance})


def exponential_weights(
    distances: Sequence[int], epsilon: float, bits: int, radius: int | None
) -> list[int]:
    """Return h[d] * W[d] for d = 0 ... bits, for the distances of all words from a code."""
    radius = bits // 8 if radius is None else radius
    weights = weight_table(Fraction(epsilon), bits, len(distances), radius)
    counts = Counter(distances)
    return [weight * counts[d] for d, weight in enumerate(weights)]


def setting(epsilon: float, parameters: Mapping[str, Any], bits: int, size: int) -> bytes:
    """Return the digest of the table."""
    weights = weight_table(Fraction(epsilon), bits, size, parameters.get("radius", bits // 8))
    return hashlib.sha256(struct.pack(f"<{bits + 1}q", *weights)).digest()


def _variants(_size: int, to_all: Sequence[int], bits: int) -> Iterator[dict[str, Any]]:
    """Yield radii that the nearest neighbour is just in and just beyond, among others."""
    yield {}
    nearest = min((distance for distance in to_all if distance), default=1)
    for radius in sorted({0, nearest - 1, nearest, bits // 8, bits}):
        yield {"radius": radius}


def _edges(shown: Shown) -> Iterator[Edge]:
    for parameters in _variants(len(shown.codes), shown.to_all, shown.bits):
        weights = exponential_weights(shown.to_all, 1.0, shown.bits, parameters.get("radius"))
        for integers in boundaries(weights):
            yield Edge(1.0, BytesIO(integers).read, parameters)
    for epsilon in _EPSILONS:
        for radius in (0, shown.bits // 8):
            weights = exponential_weights(shown.to_all, epsilon, shown.bits, radius)
            sources: list[Read] = [shown.random]
            sources += (BytesIO(each).read for each in boundaries(weights))
            for source in sources:
                yield Edge(epsilon, source, {"radius": radius})


MECHANISM = Specified(exponential, setting, _variants, _edges)
