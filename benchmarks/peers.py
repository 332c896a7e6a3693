"""A user's alternatives: float vectors, searched by faiss or Annoy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel.drawing.full_size import laplace_noise

Annoy = Any
Search = Callable[[NDArray[np.float32]], list[int]]
"""A function that returns the nearest word's id for each row."""


def flat_search(index: Any) -> Search:
    """Search with faiss."""

    def search(queries: NDArray[np.float32]) -> list[int]:
        ids: list[int] = index.search(queries, 1)[1][:, 0].tolist()
        return ids

    return search


def product_search(vectors: NDArray[np.float32]) -> Search:
    """Search exactly with NumPy alone, with one matrix product for a few queries."""
    norms = np.einsum("ij,ij->i", vectors, vectors)

    def search(queries: NDArray[np.float32]) -> list[int]:
        ids: list[int] = []
        for start in range(0, len(queries), 64):
            scores = queries[start : start + 64] @ vectors.T
            scores *= -2
            scores += norms
            ids += scores.argmin(axis=1).tolist()
        return ids

    return search


def annoy_search(index: Annoy, search_k: int) -> Search:
    """Search with Annoy, which takes one query at a time; -1 is its default ``search_k``."""
    return lambda queries: [
        index.get_nns_by_vector(query, 1, search_k)[0] for query in queries.tolist()
    ]


class FullSize:
    """The full-size mechanism in the form for an app, from words to words."""

    def __init__(
        self, words: Sequence[str], vectors: NDArray[np.float32], epsilon: float, search: Search
    ) -> None:
        self._words = words
        self._ids = {word: i for i, word in enumerate(words)}
        self._vectors = vectors
        self._epsilon = epsilon
        self._search = search
        self._generator = np.random.default_rng(0)

    def noised(self, ids: Sequence[int] | NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the vectors of words with noise."""
        vectors: NDArray[np.float32] = self._vectors[ids]
        return vectors + laplace_noise(vectors.shape, self._epsilon, self._generator)

    def word(self, word: str) -> str:
        """Return the privatized word."""
        return self.words([word])[0]

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the privatized words."""
        found = self._search(self.noised([self._ids[word] for word in words]))
        return [self._words[i] for i in found]


def write_vocabulary(words: Sequence[str], path: Path) -> None:
    """Write one word on each line."""
    path.write_text("\n".join(words) + "\n", encoding="utf-8")


def read_flat(index: Path, vocabulary: Path) -> tuple[Any, list[str]]:
    """Return the data in its files for the full-size mechanism."""
    return faiss.read_index(str(index)), vocabulary.read_text(encoding="utf-8").splitlines()


def recall(
    vectors: NDArray[np.float32], queries: NDArray[np.float32], answers: Sequence[int]
) -> float:
    """Return recall@1: the share of answers at the smallest L2 distance from their queries.

    The distances are computed here, in double precision, for every vector.
    """
    points, right = vectors.astype(np.float64), 0
    norms = np.einsum("ij,ij->i", points, points)
    for start in range(0, len(queries), 64):
        block = queries[start : start + 64].astype(np.float64)
        squares = norms - 2 * block @ points.T  # without the query's own norm
        answered = squares[np.arange(len(block)), answers[start : start + 64]]
        right += int((answered <= squares.min(axis=1) + 1e-9 * norms.max()).sum())
    return right / len(queries)
