"""Indexes of float vectors that a user would pick instead of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TREES = 50
"""Of an Annoy index."""


def build_flat(vectors: NDArray[np.float32]) -> Any:
    """Return a faiss IndexFlatL2 of vectors float32[n, d]: exact search."""
    import faiss

    index = faiss.IndexFlatL2(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors))
    return index


def build_annoy(vectors: NDArray[np.float32]) -> Any:
    """Return an Annoy index of ``TREES`` trees of vectors float32[n, d], built on all cores."""
    from annoy import AnnoyIndex

    index = AnnoyIndex(vectors.shape[1], "euclidean")
    index.set_seed(1)
    for number, vector in enumerate(vectors.tolist()):
        index.add_item(number, vector)
    index.build(TREES)
    return index
