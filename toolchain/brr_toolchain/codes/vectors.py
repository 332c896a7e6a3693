"""What every method does to the vectors before it encodes them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def centred_directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Scale each row to unit length (a null row stays null) and subtract the mean row.

    Neighbours are those by cosine, so only directions count; without the common mean, a
    hyperplane through the origin splits the words evenly.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / np.where(lengths > 0, lengths, 1)
    centred: npt.NDArray[np.float32] = directions - directions.mean(axis=0)
    return centred.astype(np.float32, copy=False)
