"""The words nearest to each by cosine, at any size of vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import trange

_EXACT_UP_TO = 20_000  # words; beyond, some cells of a k-means partition are searched
_PROBES = 32  # of 2 sqrt(words) cells
_BLOCK = 4_096  # words searched at a time


def nearest_words(
    directions: npt.NDArray[np.float32], k: int, progress: bool
) -> npt.NDArray[np.int32]:
    """Return the ids int32[n, k] of the words nearest to each by cosine, nearly all of them right.

    Args:
        directions: float32[n, d], rows of unit length.
        k: neighbours of a word, less than n. A word isn't its own neighbour, unless too few others
            are found: then it fills the row.
        progress: whether to show a progress bar where standard error is a terminal.
    """
    import faiss

    words, dimensions = directions.shape
    if words <= _EXACT_UP_TO:
        index: Any = faiss.IndexFlatIP(dimensions)
    else:
        cells = int(2 * np.sqrt(words))
        quantizer = faiss.IndexFlatIP(dimensions)
        index = faiss.IndexIVFFlat(quantizer, dimensions, cells, faiss.METRIC_INNER_PRODUCT)
        index.train(directions)
        index.nprobe = _PROBES
    index.add(directions)
    near = np.empty((words, k), np.int32)
    for start in trange(0, words, _BLOCK, desc="neighbours", disable=None if progress else True):
        _, found = index.search(directions[start : start + _BLOCK], k + 1)
        # Usually a word is its own nearest; where it isn't, twins took its place. -1: a small cell.
        itself = np.arange(start, start + len(found))[:, None]
        others = np.argsort(found == itself, axis=1, kind="stable")[:, :k]
        kept = np.take_along_axis(found, others, axis=1)
        near[start : start + len(found)] = np.where(kept < 0, itself, kept)
    return near
