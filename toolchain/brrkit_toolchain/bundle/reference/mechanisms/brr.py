"""Section "brr" of the specification."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
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
)
from brrkit_toolchain.bundle.reference.numbers import Read, distances, flip, flip_threshold

_LAST_BEFORE_THRESHOLD_FALLS = 0.9217476330502254


def brr(
    contents: Contents, code: bytes, epsilon: float, read: Read, _before: int | None
) -> GoldenRelease:
    """BRR, Algorithm 3: randomized response, then the nearest code, ties to the lower rank."""
    threshold = flip_threshold(epsilon)
    noised = flip(code, read(32 * len(code)), threshold)
    to_all = distances(contents.codes, noised)
    nearest = int(to_all.argmin())
    return GoldenRelease(
        nearest,
        {"threshold": threshold, "noised": noised.hex(), "distance": int(to_all[nearest])},
    )


def setting(epsilon: float, _parameters: Mapping[str, Any], _contents: Contents) -> bytes:
    """Return the threshold."""
    return struct.pack("<q", flip_threshold(epsilon))


def _variants(_contents: Contents, _to_all: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
    yield {}


def _edges(shown: Shown) -> Iterator[Edge]:
    threshold = flip_threshold(_LAST_BEFORE_THRESHOLD_FALLS)
    for number in (threshold, threshold - 1):  # no bit flips; every bit flips
        numbers = np.full(shown.bits, number - 2**31, "<i4")
        yield Edge(_LAST_BEFORE_THRESHOLD_FALLS, BytesIO(numbers.tobytes()).read)


MECHANISM = Specified(brr, setting, _variants, _edges, flips=True)
