"""The words nearest to each by cosine, all pairs compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit
from threadpoolctl import threadpool_limits

from .scans import over_rows

_COLUMNS = 4_096  # words compared with at a time
_ROOM = 4  # times k: candidates between two sortings


def nearest_words(
    integers: npt.NDArray[np.float32], k: int, progress: bool
) -> npt.NDArray[np.int32]:
    """Return the ids int32[n, k] of the words nearest to each by cosine, the nearest first.

    Of equal ones the first comes first.

    Args:
        integers: float32[n, d], what ``integer_directions`` returns.
        k: neighbours of a word, less than n. A word isn't its own neighbour.
        progress: whether to show a progress bar where standard error is a terminal.
    """
    words = len(integers)
    near = np.empty((words, k), np.int32)

    def search(start: int, stop: int) -> None:
        best = np.empty((stop - start, min(_ROOM * k, words)), np.int64)
        filled = np.zeros(stop - start, np.int64)
        least = np.full(stop - start, -np.inf, np.float32)
        for first in range(0, words, _COLUMNS):
            products = integers[start:stop] @ integers[first : first + _COLUMNS].T
            _keep(products, start, first, k, best, filled, least)
        best[np.arange(best.shape[1]) >= filled[:, None]] = np.iinfo(np.int64).min
        near[start:stop] = -np.sort(best, axis=1)[:, : -k - 1 : -1] % 2**32

    with threadpool_limits(1, "blas"):
        over_rows(search, words, description="neighbours", progress=progress)
    return near


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _keep(
    products: npt.NDArray[np.float32],
    start: int,
    first: int,
    k: int,
    best: npt.NDArray[np.int64],
    filled: npt.NDArray[np.int64],
    least: npt.NDArray[np.float32],
) -> None:
    """Add the columns that may be among a row's k best, as product * 2^32 - id."""
    rows, columns = products.shape
    for i in range(rows):
        limit, count = least[i], filled[i]
        for j in range(columns):
            if products[i, j] > limit and first + j != start + i:
                if count == best.shape[1]:
                    _bring_last(best[i], k)
                    best[i, :k] = best[i, count - k :]
                    count = k
                    # A later word with the same product comes after all k of these.
                    limit = np.float32(-(-best[i, 0] // 2**32))
                    if products[i, j] <= limit:
                        continue
                best[i, count] = np.int64(products[i, j]) * 2**32 - (first + j)
                count += 1
        least[i], filled[i] = limit, count


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _bring_last(keys: npt.NDArray[np.int64], k: int) -> None:
    """Bring the k largest to the end, the least of them first (Hoare's selection).

    ``np.partition`` does, too, and takes seconds to compile.
    """
    place, low, high = len(keys) - k, 0, len(keys) - 1
    while low < high:
        pivot, i, j = keys[(low + high) // 2], low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i, j = i + 1, j - 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return
