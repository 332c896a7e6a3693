"""Section 6 of the rebuttal of ADePT: pairs of latent vectors beyond the claimed sensitivity.

    python -m research.adept.rebuttal

Habernal (EMNLP 2021) draws latent vectors at random, clips them to an L2 norm of C, and counts the
pairs whose L1 distance is above 2C, the sensitivity that ADePT's proof claims.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import aligned

DIMENSIONS = tuple(1 << i for i in range(1, 11))
COLUMNS = ("n", "uniform", "normal")
VECTORS = 1_000  # 499,500 pairs; the paper draws 10,000


def exceeding(vectors: NDArray[np.float64], clip: float = 1.0) -> float:
    """Return the share of pairs of rows whose L1 distance after the L2 clip is above 2 clip."""
    from scipy.spatial.distance import pdist

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    clipped = vectors * np.minimum(1, clip / np.maximum(norms, 1e-300))
    # As far as doubles go: in one dimension, the distance is at most 2 clip.
    return float((pdist(clipped, "cityblock") > 2 * clip * (1 + 1e-12)).mean())


def simulated(dimensions: int, count: int, seed: int) -> tuple[float, float]:
    """Return the share for vectors uniform in [-1, 1]^n, and for normal ones with sigma 0.1."""
    generator = np.random.default_rng([seed, dimensions])
    shape = count, dimensions
    return (
        exceeding(generator.uniform(-1, 1, shape)),
        exceeding(generator.normal(0, 0.1, shape)),
    )


def rows(count: int = VECTORS, seed: int = 0) -> list[list[str]]:
    """Return the table's rows, one for each number of dimensions."""
    return [
        [f"{dimensions:,}", *(f"{share:.1%}" for share in simulated(dimensions, count, seed))]
        for dimensions in DIMENSIONS
    ]


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print("\n".join(aligned([list(COLUMNS), *rows()])))


if __name__ == "__main__":
    main()
