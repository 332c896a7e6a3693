"""Section "exponential" of the specification."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
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
    pick,
    uniform_below,
    weight_table,
)

_EPSILONS = (1e-9, 1.2360679774997898e-09, 0.5, 0.8, 3.2974425414002564, 22.18)


def exponential(
    contents: Contents,
    code: bytes,
    epsilon: float,
    read: Read,
    before: int | None,
    **parameters: Any,
) -> GoldenRelease:
    """The exponential mechanism: draws a distance by its total weight, then a word at it."""
    to_all = _distances(contents, code, parameters)
    measure = base_measure(contents, parameters, before)
    totals = exponential_weights(contents, to_all, epsilon, parameters, before)
    distance = pick(totals, uniform_below(sum(totals), read))
    there = np.flatnonzero(to_all == distance).tolist()
    masses = measure[there].tolist()
    return GoldenRelease(
        there[pick(masses, uniform_below(sum(masses), read))], {"distance": distance}
    )


def base_measure(
    contents: Contents, parameters: Mapping[str, Any], before: int | None
) -> NDArray[np.int64]:
    """Return mu of each word, by id."""
    base = _base(contents, parameters)
    if base == "uniform":
        return np.ones(len(contents.masses), np.int64)
    measure = contents.unigram
    if base == "bigram" and before is not None and before in contents.gains:
        measure = measure.copy()
        for after, gain in contents.gains[before].items():
            measure[after] += gain
    return measure


def exponential_weights(
    contents: Contents,
    to_all: NDArray[np.int64],
    epsilon: float,
    parameters: Mapping[str, Any],
    before: int | None = None,
) -> list[int]:
    """Return h[d] * W[d] for d = 0 ... bits, for the distances of all words from a code."""
    weights = _weights(contents, epsilon, parameters)
    masses = np.zeros(len(weights), np.int64)  # a sum is below 2^47
    np.add.at(masses, to_all, base_measure(contents, parameters, before))
    return [weight * mass for weight, mass in zip(weights, masses.tolist(), strict=True)]


def setting(epsilon: float, parameters: Mapping[str, Any], contents: Contents) -> bytes:
    """Return the digest of the table, and whether all words count equally."""
    weights = _weights(contents, epsilon, parameters)
    digest = hashlib.sha256(struct.pack(f"<{len(weights)}q", *weights)).digest()
    return digest + (b"\0" if _base(contents, parameters) == "uniform" else b"\1")


def _distances(contents: Contents, code: bytes, parameters: Mapping[str, Any]) -> NDArray[np.int64]:
    weight = parameters.get("task_weight", 1)
    return distances(contents.codes, code, contents.task_bits, weight)


def _base(contents: Contents, parameters: Mapping[str, Any]) -> str:
    return str(parameters.get("base", "bigram" if contents.gains else "unigram"))


def _weights(contents: Contents, epsilon: float, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    own = 64 * contents.codes.shape[1] - contents.task_bits
    largest = own + parameters.get("task_weight", 1) * contents.task_bits
    most = contents.most[_base(contents, parameters)]
    cap = Fraction(parameters["cap"]) if "cap" in parameters else None
    radius = parameters.get("radius", own // 8)
    return weight_table(Fraction(epsilon), largest, most, radius, cap)


def _variants(contents: Contents, to_all: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
    """Yield radii that just contain and just exclude the nearest neighbor, bases and caps."""
    bits = 64 * contents.codes.shape[1] - contents.task_bits
    yield {}
    nearest = int(min(to_all[to_all > 0], default=1))
    for radius in sorted(
        {0, *(min(near, bits) for near in (nearest - 1, nearest)), bits // 8, bits}
    ):
        yield {"radius": radius}
    yield {"base": "uniform"}
    yield {"base": "unigram", "cap": 9.25}
    if contents.task_bits:
        yield from ({"task_weight": weight} for weight in (0, 3, 16))
        yield {"task_weight": 2, "radius": bits // 4, "base": "uniform", "cap": 12.5}
    if contents.gains:
        yield {"radius": bits // 4, "base": "bigram", "cap": 17.0}


def _edges(shown: Shown) -> Iterator[Edge]:
    contents = shown.contents
    likely = max(contents.gains, key=lambda before: len(contents.gains[before]), default=None)
    for before in {None, likely}:
        for parameters in _variants(contents, shown.to_all):
            to_all = _distances(contents, shown.code, parameters)
            weights = exponential_weights(contents, to_all, 1.0, parameters, before)
            for integers in boundaries(weights):
                yield Edge(1.0, BytesIO(integers).read, parameters, before)
    for epsilon in _EPSILONS:
        for radius in (0, (shown.bits - contents.task_bits) // 8):
            parameters = {"radius": radius}
            weights = exponential_weights(contents, shown.to_all, epsilon, parameters)
            sources: list[Read] = [shown.random]
            sources += (BytesIO(each).read for each in boundaries(weights))
            for source in sources:
                yield Edge(epsilon, source, parameters)


MECHANISM = Specified(exponential, setting, _variants, _edges, flips=False)
