"""What every method does to the vectors before it encodes them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Scale each row to unit length; a null row stays null."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: npt.NDArray[np.float32] = vectors / np.where(lengths > 0, lengths, np.float32(1))
    return scaled


def centred_directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the `directions` of ``vectors`` with their mean row subtracted.

    Neighbours are those by cosine, so only directions count; without the common mean, a
    hyperplane through the origin splits the words evenly.
    """
    scaled = directions(vectors)
    centred: npt.NDArray[np.float32] = scaled - scaled.mean(axis=0)
    return centred.astype(np.float32, copy=False)
