"""Exact nearest neighbours in batches, on all cores, by faiss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_BATCH = 4_096
_ROWS = 256  # whose distances to all words are held at once


def in_batches(
    ids: NDArray[np.intp], release: Callable[[NDArray[np.intp]], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return ``release`` of all ``ids``, called with a few thousand at a time to bound memory."""
    released = np.empty(len(ids), np.int64)
    for start in range(0, len(ids), _BATCH):
        released[start : start + _BATCH] = release(ids[start : start + _BATCH])
    return released


def most_probable(
    noised: NDArray[np.float32],
    vectors: NDArray[np.float32],
    epsilon: float,
    prior: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the most probable input [m], given each of ``noised`` float32[m, d].

    The noise has a density proportional to exp(-epsilon * ||z||_2); of equals, the first word.

    Args:
        noised: vectors with noise on them.
        vectors: float32[n, d] without.
        epsilon: of the noise.
        prior: [n].
    """
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    squares = (vectors.astype(np.float64) ** 2).sum(axis=1)
    named = np.empty(len(noised), np.int64)
    for start in range(0, len(noised), _ROWS):
        part = noised[start : start + _ROWS]
        own = (part.astype(np.float64) ** 2).sum(axis=1)[:, None]
        distances = np.sqrt(np.maximum(own + squares - 2 * (part @ vectors.T), 0))
        named[start : start + _ROWS] = (log_prior - epsilon * distances).argmax(axis=1)
    return named


class VectorSearch:
    """Float vectors, searched by L2 distance."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        """Index ``vectors`` float32[n, d] with IndexFlatL2."""
        import faiss

        self.vectors = np.ascontiguousarray(vectors, np.float32)
        self._index = faiss.IndexFlatL2(vectors.shape[1])
        self._index.add(self.vectors)

    def nearest(
        self, queries: NDArray[np.float32], k: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return ids and distances [m, k] of the k vectors nearest to ``queries`` float32[m, d]."""
        squares, ids = self._index.search(queries, k)
        return ids, np.sqrt(np.maximum(squares, 0))


class CodeSearch:
    """Codes, searched by Hamming distance; ties go to the lower rank, as on the device."""

    def __init__(self, codes: NDArray[np.uint64]) -> None:
        """Index ``codes`` uint64[n, bits / 64] with IndexBinaryFlat."""
        import faiss

        self.codes = np.ascontiguousarray(codes)
        self._index = faiss.IndexBinaryFlat(codes.shape[1] * 64)
        self._index.add(self.codes.view(np.uint8))
        # With the default of 32, threads wait for each other most of the time on a busy machine.
        self._index.query_batch_size = _BATCH  # type: ignore[attr-defined]

    def nearest(
        self, queries: NDArray[np.uint64], k: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return ids and distances [m, k] of the k codes nearest to ``queries`` uint64[m, ...]."""
        distances, ids = self._index.search(np.ascontiguousarray(queries).view(np.uint8), k)
        return ids, distances.astype(np.int64)
