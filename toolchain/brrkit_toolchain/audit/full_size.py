"""Factories of the full-size mechanisms, to audit them with ``--metric euclidean``.

``brr audit BUNDLE --metric euclidean --embeddings SRC --factory
brrkit_toolchain.audit.full_size:laplace``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel import BatchedMechanism
from brrkit_toolchain.channel.drawing.full_size import Laplace, VectorVickrey

Release = Callable[[str], str]


def laplace(words: Sequence[str], vectors: NDArray[np.float32], epsilon: float) -> Release:
    """Multivariate Laplace noise, then the nearest word (Madlib; BRR, Algorithm 1)."""
    return _one_by_one(words, Laplace(vectors, epsilon, np.random.default_rng()))


def vickrey(words: Sequence[str], vectors: NDArray[np.float32], epsilon: float) -> Release:
    """Multivariate Laplace noise, then one of the two nearest words (Vickrey, Alg. 1), t = 1/2."""
    return _one_by_one(words, VectorVickrey(vectors, epsilon, np.random.default_rng(), 0.5))


def _one_by_one(words: Sequence[str], mechanism: BatchedMechanism) -> Release:
    ids = {word: np.array([i]) for i, word in enumerate(words)}
    return lambda word: words[int(mechanism(ids[word])[0])]
