"""Residual vector quantization: a vector as a few symbols (Juang and Gray, ICASSP 1982).

Stage by stage, the nearest of K codewords is taken, and what it leaves goes on to the next stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.clip import vectors_clipped
from brrkit_adept.network import Array
from brrkit_toolchain.io.progress import Progress

SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
"""Codewords of a stage: a model has a quantizer of each. Fewer take less epsilon."""

LARGEST_SIZE = SIZES[-1]
MOST_STAGES = 64

_STAGES_OF_SMALL = 2
"""Of smaller sizes: they are for so little epsilon that it buys no more."""

_STAGE_DIRECTIONS = 8
"""In all that a vector has, 256 codewords would be learned by heart."""

_NEGLIGIBLE_VARIANCE = 1e-3
"""A share of it, that no further stage is for."""

_KMEANS_STEPS = 10


@dataclass(frozen=True, eq=False)
class Quantizer:
    """A code's stages, from public sentences.

    Attributes:
        mean: float32[n], of the vectors.
        bases: float32[m, n, d], orthonormal directions that a stage looks at.
        words: float32[m, K, d], its codewords.
        shares: float32[m, K], of the sentences that are nearest to each.
    """

    mean: Array
    bases: Array
    words: Array
    shares: Array

    def symbols(self, vectors: Array, stages: int | None = None) -> NDArray[np.int64]:
        """Return the codes int64[rows, m] of vectors float32[rows, n], or their first stages."""
        left = vectors - self.mean
        result = np.empty((len(vectors), len(self.words[:stages])), np.int64)
        for column, basis, words in zip(result.T, self.bases, self.words, strict=False):
            inside = left @ basis
            column[:] = _nearest(inside, words)
            left -= words[column] @ basis.T
        return result

    def expected(self, symbols: NDArray[np.int64], ratios: Sequence[float]) -> Array:
        """Return the mean float32[rows, n] of public vectors, given what was released of a code.

        Equal codes have equal means, to the last bit: a row is a sum in a fixed order, whatever
        rows are beside it and whatever the CPU.

        Args:
            symbols: as released, int64[rows, j].
            ratios: for each stage, how much likelier the true symbol comes out than each other.
        """
        result = np.tile(self.mean, (len(symbols), 1))
        for stage, (column, ratio) in enumerate(zip(symbols.T, ratios, strict=True)):
            used, places = np.unique(column, return_inverse=True)
            inside = self._means(stage, ratio)[used]
            means = np.zeros((len(used), len(self.mean)), np.float32)
            for coordinate, direction in zip(inside.T, self.bases[stage].T, strict=True):
                means += coordinate[:, None] * direction  # a product of matrices has no fixed order
            result += means[places]
        return result

    def gain(self, stage: int, ratio: float) -> float:
        """Return by how much a stage lowers the mean squared error, released with a ratio."""
        chances = ((ratio - 1) * self.shares[stage] + 1) / (ratio + self.words.shape[1] - 1)
        return float(chances @ np.square(self._means(stage, ratio)).sum(axis=1))

    def _means(self, stage: int, ratio: float) -> Array:
        """Return the means float32[K, d] of a stage's codewords, by the symbol released.

        By Bayes' theorem, with the shares for the prior; the mean of all codewords is 0.
        """
        more = np.float32(ratio - 1) * self.shares[stage, :, None]
        means: Array = np.asarray(more * self.words[stage] / (more + 1))
        return means


def fit_quantizers(
    latents: Array, norm: int, seed: int, *, progress: bool = False
) -> tuple[Quantizer, ...]:
    """Fit a quantizer of each size, each stage on what the stages before it have left.

    Args:
        latents: float32[rows, n], of public sentences.
        norm: 1 or 2, that they are clipped by.
        seed: of the first codewords.
        progress: show a bar on standard error.
    """
    vectors = vectors_clipped(latents, norm).astype(np.float32)
    generator = np.random.default_rng(seed)
    sizes = [size for size in SIZES if size <= max(len(vectors), SIZES[0])]
    stages = [*(_STAGES_OF_SMALL for _ in sizes[:-1]), MOST_STAGES]
    with Progress(total=sum(stages), desc="Codewords", unit=" stages", progress=progress) as bar:
        return tuple(
            _fit(vectors, size, most, generator, bar)
            for size, most in zip(sizes, stages, strict=True)
        )


def _fit(
    vectors: Array, size: int, most: int, generator: np.random.Generator, bar: Any
) -> Quantizer:
    mean = vectors.mean(axis=0)
    left = vectors - mean
    least = _NEGLIGIBLE_VARIANCE * float(np.square(left).sum())
    stages = []
    for _ in range(most):
        basis = _directions(left)
        words = _codewords(left @ basis, size, generator)
        symbols = _nearest(left @ basis, words)
        left -= words[symbols] @ basis.T
        stages.append((basis, words, np.bincount(symbols, minlength=size) / len(left)))
        bar.update()
        if float(np.square(left).sum()) <= least:
            break
    parts = zip(*stages, strict=True)
    bases, words, shares = (np.stack(part).astype(np.float32) for part in parts)
    return Quantizer(mean, bases, words, shares)


def _directions(vectors: Array) -> Array:
    """Return float32[n, d]: the directions in which vectors are longest."""
    directions: Array = np.linalg.eigh(vectors.T @ vectors)[1]
    return np.ascontiguousarray(directions[:, ::-1][:, :_STAGE_DIRECTIONS])


def _codewords(vectors: Array, size: int, generator: np.random.Generator) -> Array:
    """Return float32[size, d] by Lloyd's algorithm; a word that is nearest to none is kept."""
    chosen = generator.choice(len(vectors), size, replace=len(vectors) < size)
    words: Array = vectors[chosen]
    for _ in range(_KMEANS_STEPS):
        symbols = _nearest(vectors, words)
        counts = np.bincount(symbols, minlength=size)
        order = np.argsort(symbols, kind="stable")
        used = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[used]
        words[used] = np.add.reduceat(vectors[order], starts, axis=0) / counts[used, None]
    return words


def _nearest(vectors: Array, words: Array) -> NDArray[np.int64]:
    scores = vectors @ words.T
    scores -= np.square(words).sum(axis=1) / 2
    result: NDArray[np.int64] = scores.argmax(axis=1)
    return result
