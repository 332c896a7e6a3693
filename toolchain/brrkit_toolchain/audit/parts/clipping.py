"""Vectors that reveal a wrong clip, or a wrong norm, if the claim is equal for all pairs.

The clip is 1, in a norm that the audit needn't know. Clipping moves a vector of length 100 to the
surface of the ball, whatever the norm, and opposite vectors to opposite points. The vectors have m
equal coordinates, and zeros elsewhere, for m = 1, 2, 4, ... For m = 1, all norms agree; for larger
m, the L1 norm exceeds the L2 norm by more. On a coarse lattice, all coordinates are rounded up for
some m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit import inputs
from brrkit_toolchain.audit.instances import QUIET, Instance
from brrkit_toolchain.audit.pairs.comparisons import Comparison

LARGEST_DELTA = 0.01

_LONG = 100.0

# Dimensions and epsilon. In a few dimensions, simple events have the loss epsilon. In many, a loss
# is a sum of small losses, whose mean grows with the square of epsilon; but ten thousand draws
# never show losses above 5.
_SIZES = ((4, 1.0), (32, 2.0))


def clipping_comparisons(delta: float, samples: int) -> list[Comparison]:
    """Return the comparisons; the last is on a quiet instance.

    Args:
        delta: delta of the claim.
        samples: the requested number of draws.
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
