"""Section 6 of the rebuttal of ADePT: pairs of latent vectors beyond the claimed sensitivity.

Habernal (EMNLP 2021) draws latent vectors at random, clips them to an L2 norm of C, and counts the
pairs whose L1 distance is above 2C, the sensitivity that ADePT's proof claims. Run it with
``python -m benchmarks.adept`` (--model DIR --data FILE for a trained encoder's vectors).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = tuple(1 << i for i in range(1, 11))
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


def table(count: int = VECTORS, seed: int = 0) -> str:
    """Return the table as Markdown."""
    lines = ["| n | uniform | normal |", "|---|---|---|"]
    for dimensions in DIMENSIONS:
        shares = " | ".join(f"{share:.1%}" for share in simulated(dimensions, count, seed))
        lines.append(f"| {dimensions:,} | {shares} |")
    return "\n".join(lines)


def of_model(model: Path, data: Path, column: str) -> float:
    """Return the share for the latent vectors of sentences."""
    from brr_toolchain.adept.data import read_sentences
    from brr_toolchain.adept.model import open_model

    opened, _ = open_model(model)
    texts = read_sentences(data, column, None).texts[:VECTORS]
    return exceeding(opened.latents(texts).astype(np.float64), opened.clips[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--column", default="text")
    arguments = parser.parse_args()
    print(table())
    if arguments.model and arguments.data:
        print(f"encoder: {of_model(arguments.model, arguments.data, arguments.column):.1%}")


if __name__ == "__main__":
    main()
