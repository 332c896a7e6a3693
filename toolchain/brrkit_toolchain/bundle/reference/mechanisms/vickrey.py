"""Section "vickrey" of the specification."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.bundle.reference.mechanisms.mechanism import (
    Contents,
    Edge,
    GoldenRelease,
    Shown,
    Specified,
    boundaries,
)
from brrkit_toolchain.bundle.reference.numbers import (
    Read,
    distances,
    flip,
    flip_threshold,
    floor_exp,
    pick,
    uniform_below,
)

DEFAULT_T = 0.5


def vickrey(
    contents: Contents,
    code: bytes,
    epsilon: float,
    read: Read,
    _before: int | None,
    t: float | Sequence[float] = DEFAULT_T,
) -> GoldenRelease:
    """Vickrey, Algorithm 1 (a number t) or 3 (a list), with every word a candidate."""
    threshold = flip_threshold(epsilon)
    noised = flip(code, read(32 * len(code)), threshold)
    to_all = distances(contents.codes, noised)
    # NumPy sorts numbers of 16 bits by their digits, faster than by comparisons.
    by_distance = np.argsort(to_all.astype(np.uint16), kind="stable")
    candidates = by_distance[: len(t) if isinstance(t, Sequence) else 2]
    weights = vickrey_weights(to_all[candidates].tolist(), t)
    chosen = pick(weights, uniform_below(sum(weights), read))
    word_id = int(candidates[chosen])
    return GoldenRelease(
        word_id,
        {
            "threshold": threshold,
            "noised": noised.hex(),
            "rank": chosen,
            "distance": int(to_all[word_id]),
        },
    )


def vickrey_weights(distances: Sequence[int], t: float | Sequence[float]) -> list[int]:
    """Return w_1 ... w_k for the nearest words, at the distances d_1 ... d_k from a noised code."""
    if isinstance(t, Sequence):
        exponents = [Fraction(rate) * d for rate, d in zip(t, distances, strict=True)]
        return [floor_exp(2**32, min(exponents) - exponent) for exponent in exponents]
    second = round(t * 2**32)
    weights = [(2**32 - second) * distances[1], second * distances[0]]
    return weights if any(weights) else [2**32 - second, second]


def setting(epsilon: float, parameters: Mapping[str, Any], _contents: Contents) -> bytes:
    """Return the threshold and t."""
    threshold, t = struct.pack("<q", flip_threshold(epsilon)), parameters.get("t", DEFAULT_T)
    if isinstance(t, list):
        return threshold + b"\1" + b"".join(struct.pack("<d", rate) for rate in t)
    return threshold + b"\0" + struct.pack("<q", round(t * 2**32))


def _variants(contents: Contents, _to_all: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
    for t in (0.5, 0.0, 1.0, 0.1):
        yield {"t": t}
    if len(contents.codes) >= 3:
        yield {"t": [0.0, 0.05, 0.3]}


def _edges(shown: Shown) -> Iterator[Edge]:
    for parameters in _variants(shown.contents, shown.to_all):
        t = parameters["t"]
        nearest = sorted(shown.from_noised.tolist())[: len(t) if isinstance(t, list) else 2]
        for integers in boundaries(vickrey_weights(nearest, t)):
            yield Edge(1.0, BytesIO(shown.noise + integers).read, parameters)


MECHANISM = Specified(vickrey, setting, _variants, _edges, flips=True)
