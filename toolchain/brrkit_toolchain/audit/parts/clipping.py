"""Vectors whose claim is the same between any two: where a clip, or its norm, is seen to be wrong.

The clip is 1, in a norm that the audit needn't know. A vector of length 100 is brought to the
surface of the ball, whatever the norm; two opposite ones to opposite points. Vectors with m equal
coordinates and zeros elsewhere, for m = 1, 2, 4, ...: with one, all norms agree; the more there
are, the longer is an L1 norm than the L2 norm; and on a coarse lattice, the coordinates of some m
are all rounded up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit import inputs
from brrkit_toolchain.audit.instances import QUIET, Instance
from brrkit_toolchain.audit.pairs.comparisons import Comparison

LARGEST_DELTA = 0.01

_LONG = 100.0

# Dimensions, and epsilon. In a few, simple events have the loss epsilon. In many, a loss is a
# sum of small ones, whose mean grows with the square of epsilon; but losses above 5 are never seen
# in ten thousand draws.
_SIZES = ((4, 1.0), (32, 2.0))


def clipping_comparisons(delta: float, samples: int) -> list[Comparison]:
    """Return what is compared; the last one is of a quiet instance.

    Args:
        delta: of the claim.
        samples: the number of draws that was asked for.
    """
    result = []
    for dimensions, epsilon in _SIZES:
        instance = _instance(f"{dimensions} dimensions", dimensions, epsilon, delta)
        words = [(word,) for word in instance.words]
        result.append(
            Comparison(
                instance.name,
                instance,
                "words",
                words,
                instance.distances,
                samples,
                instance.vectors,
                delta,
            )
        )
    quiet = _instance("quiet", _SIZES[-1][0], QUIET, delta)
    sequences = inputs.sequences(quiet.words)
    apart = np.full((len(sequences), len(sequences)), float(inputs.TOKENS))
    return [
        *result,
        Comparison(
            "successive calls",
            quiet,
            "calls",
            sequences,
            apart,
            samples // 4,
            delta=inputs.TOKENS * delta,
        ),
    ]


def _instance(name: str, dimensions: int, epsilon: float, delta: float) -> Instance:
    equal = [1 << i for i in range(dimensions.bit_length())]
    vectors: dict[str, NDArray[np.float64]] = {"0": np.zeros(dimensions)}
    for m in equal:
        for sign in (1, -1):
            vectors[f"{sign * m:+d}"] = np.where(np.arange(dimensions) < m, sign * _LONG, 0.0)
    distances = 1 - np.eye(len(vectors), dtype=np.float64)
    places = np.array(list(vectors.values()), np.float32)
    return Instance(name, tuple(vectors), distances, epsilon, 1, vectors=places, delta=delta)
