"""Indexes of float vectors, a user's alternative to codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TREES = 50
"""Number of an Annoy index's trees."""


def build_flat(vectors: NDArray[np.float32]) -> Any:
    """Return a faiss IndexFlatL2 of vectors float32[n, d]: exact search."""
    import faiss

    index = faiss.IndexFlatL2(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors))
    return index


def build_annoy(vectors: NDArray[np.float32]) -> Any:
    """Return an Annoy index of vectors float32[n, d] with ``TREES`` trees, built on all cores."""
    from annoy import AnnoyIndex

    index = AnnoyIndex(vectors.shape[1], "euclidean")
    index.set_seed(1)
    for number, vector in enumerate(vectors.tolist()):
        index.add_item(number, vector)
    index.build(TREES)
    return index
