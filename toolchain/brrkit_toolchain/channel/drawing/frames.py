"""Frames: pieces of texts with a fixed number of words (``spec/reports.md``, "Frames").

A device sends a uniform sample of the pieces of a day's texts. From a corpus, with one text in each
row, one piece of each text is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit import Frames
from brrkit.randomness import RandomSource, uniform_below
from brrkit.setting import check_frames


def framed(
    texts: Sequence[NDArray[np.integer]], words: int, unknown: int, random: RandomSource
) -> NDArray[np.intp]:
    """Return a frame of each of ``texts``, to release as a text: intp[texts, words].

    Each text is cut into pieces of ``words`` ids, and one piece is drawn uniformly. The last piece,
    if it is shorter, is filled with unknown words. For a text without words, the frame has only
    unknown words.

    Args:
        texts: ids of the typed words.
        words: number of words in a frame.
        unknown: id of unknown words.
        random: source of random bytes; for experiments, a generator's ``bytes``.

    Raises:
        ParameterError: ``words`` isn't from 1 to 64.
    """
    check_frames(Frames(words, 1))
    frames = np.full((len(texts), words), unknown, np.intp)
    for frame, text in zip(frames, texts, strict=True):
        start = words * uniform_below(max(-(-len(text) // words), 1), random)
        piece = text[start : start + words]
        frame[: len(piece)] = piece
    return frames
