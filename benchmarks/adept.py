"""Section 6 of the rebuttal of ADePT: pairs of latent vectors beyond the claimed sensitivity.

    python -m benchmarks.adept

Habernal (EMNLP 2021) draws latent vectors at random, clips them to an L2 norm of C, and counts the
pairs whose L1 distance is above 2C, the sensitivity that ADePT's proof claims.

    python -m benchmarks.adept --models MODEL... --data FILE --column text

does so for the encoders of trained models, and sentences that they weren't trained on.

    python -m benchmarks.adept --times MODEL --data FILE --column text

prints how long rewriting takes, on one thread.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brr_toolchain.adept.data import read_sentences
from brr_toolchain.adept.lattice import LAPLACE_L2
from brr_toolchain.adept.model import open_model
from brr_toolchain.adept.noise import discrete_gaussian, discrete_laplace
from brr_toolchain.adept.release import CODES

DIMENSIONS = tuple(1 << i for i in range(1, 11))
VECTORS = 1_000  # 499,500 pairs; the paper draws 10,000
_TIMED, _REWRITTEN = 1_600, 50


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


def of_model(path: Path, texts: Sequence[str]) -> tuple[int, float]:
    """Return n, and the share for the latent vectors of sentences."""
    model, _ = open_model(path)
    latents = model.latents(texts).astype(np.float64)
    return model.network.latent, exceeding(latents, model.clips[2])


def times(path: Path, texts: Sequence[str]) -> dict[str, float]:
    """Return milliseconds: of noise for 1,024 coordinates, of releases, and of whole sentences."""
    model, _ = open_model(path)
    latents = model.latents(texts)
    codes = model.release(CODES, 100)
    laplace = model.release(LAPLACE_L2, 100)
    found = {
        "Laplace noise, 1,024 coordinates": _each(
            lambda: discrete_laplace()(1024, os.urandom), 200
        ),
        "Gaussian noise, 1,024 coordinates": _each(
            lambda: discrete_gaussian()(1024, os.urandom), 200
        ),
        "codes at epsilon 100, a sentence": _each(lambda: codes(latents[:1], os.urandom), 200),
        f"codes at epsilon 100, {len(texts):,} sentences": _each(
            lambda: codes(latents, os.urandom), 5
        ),
        "dividing epsilon 100": _each(lambda: model.release(CODES, 100), 3),
    }
    for name, release in (("codes", codes), ("laplace-l2", laplace)):
        for beam in (1, 4):
            found[f"rewriting a sentence, {name}, beam {beam}"] = (
                _each(
                    lambda release=release, beam=beam: [  # type: ignore[misc]
                        model.rewrite([text], release, beam=beam) for text in texts[:_REWRITTEN]
                    ],
                    1,
                )
                / len(texts[:_REWRITTEN])
            )
    return found


def _each(run: Callable[[], object], times: int) -> float:
    """Return milliseconds of this process's own time for each of some runs, after a first one."""
    run()
    start = time.process_time()
    for _ in range(times):
        run()
    return 1_000 * (time.process_time() - start) / times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--column", default="text")
    parser.add_argument("--models", type=Path, nargs="+", default=[])
    parser.add_argument("--times", type=Path, metavar="MODEL")
    arguments = parser.parse_args()
    if arguments.data is None:
        print(table())
        return
    sentences = read_sentences(arguments.data, arguments.column, None)
    if arguments.times:
        for name, milliseconds in times(arguments.times, sentences.texts[:_TIMED]).items():
            print(f"| {name} | {milliseconds:.2f} ms |")
        return
    for path in arguments.models:
        dimensions, share = of_model(path, sentences.texts[:VECTORS])
        print(f"| {dimensions} | {share:.1%} |")


if __name__ == "__main__":
    main()
