"""How much of the words each mechanism keeps, at equal estimated privacy loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit_toolchain.quality.distances import DistanceStatistics
from brrkit_toolchain.quality.neighbors import pair_cosines
from brrkit_toolchain.simulate import LAPLACE, ON_CODES, simulate

ESTIMATED_LOSSES = (10.0, 20.0, 30.0, 44.0, 60.0, 80.0)
"""E = epsilon * P_avg (BRR, section 5) at which mechanisms are compared."""

_WORDS = 1_000


@dataclass(frozen=True)
class Utility:
    """What a mechanism keeps of its input.

    Attributes:
        unchanged: share of words that come out as themselves.
        cosine: mean cosine of output to input, of the vectors with their mean removed.
    """

    unchanged: float
    cosine: float


def release_utility(
    vectors: NDArray[np.float32], inputs: NDArray[np.intp], outputs: NDArray[np.intp]
) -> Utility:
    """Compare released words with what went in.

    Args:
        vectors: float32[n, d], the source embeddings.
        inputs: ids of the words that went in.
        outputs: ids of the words that came out.
    """
    mean = vectors.mean(axis=0)
    before, after = vectors[inputs] - mean, vectors[outputs] - mean
    cosines = pair_cosines(before, after)
    return Utility(float((inputs == outputs).mean()), float(cosines.mean()))


@dataclass(frozen=True)
class UtilityCurves:
    """Utility of every mechanism of the device and of the full-size one, for the same words.

    Attributes:
        words: number of random words that went in.
        estimated_losses: E of each point.
        mechanisms: by name, the ``Utility`` at each E.
    """

    words: int
    estimated_losses: Sequence[float]
    mechanisms: dict[str, list[Utility]]


def measure_utility(
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    distances: DistanceStatistics,
    *,
    seed: int = 0,
    progress: bool = True,
) -> UtilityCurves:
    """Release the same random words by every mechanism, at each of ``ESTIMATED_LOSSES``.

    Args:
        vectors: float32[n, d], the source embeddings; n >= 2.
        codes: uint64[n, bits / 64].
        distances: of both, for P_avg.
        seed: of the words and of the noise.
        progress: show a bar on standard error.
    """
    generator = np.random.default_rng(seed)
    ids = generator.choice(len(vectors), min(_WORDS, len(vectors)), replace=False)
    names = (LAPLACE, *ON_CODES)
    curves: dict[str, list[Utility]] = {name: [] for name in names}
    points = [(name, estimated_loss) for name in names for estimated_loss in ESTIMATED_LOSSES]
    hide = None if progress else True
    for name, estimated_loss in tqdm(points, desc="Utility", unit=" points", disable=hide):
        curves[name].append(
            utility_at(
                estimated_loss,
                name,
                ids,
                generator,
                vectors=vectors,
                codes=codes,
                distances=distances,
            )
        )
    return UtilityCurves(len(ids), ESTIMATED_LOSSES, curves)


def utility_at(
    estimated_loss: float,
    name: str,
    ids: NDArray[np.intp],
    generator: np.random.Generator,
    *,
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    distances: DistanceStatistics,
    **parameters: Any,
) -> Utility:
    """Return what a mechanism keeps of words at an E = epsilon * P_avg.

    Args:
        estimated_loss: E.
        name: of the mechanism, on codes or ``LAPLACE``.
        ids: of the words, each of which is released once.
        generator: source of the noise.
        vectors: float32[n, d], the source embeddings.
        codes: uint64[n, bits / 64].
        distances: of both, for P_avg.
        **parameters: of the mechanism.
    """
    metric = distances.hamming if name in ON_CODES else distances.euclidean
    mechanism = simulate(
        name,
        epsilon_of_estimated_loss(estimated_loss, metric.average),
        generator,
        codes=codes,
        vectors=vectors,
        **parameters,
    )
    return release_utility(vectors, ids, mechanism(ids))


def epsilon_of_estimated_loss(estimated_loss: float, average: float) -> float:
    """Return the epsilon for which epsilon * P_avg is that loss, within the device's limits."""
    return min(max(estimated_loss / average, EPSILON_MIN), EPSILON_MAX) if average else EPSILON_MAX
