"""Texts as frames: a piece of each, of a fixed number of words (``spec/reports.md``, "Frames").

A device sends a uniform sample of the pieces of a day's texts; of a corpus, which has a text a row,
one piece of each goes on.
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
    """Return a frame of each of ``texts``, to be released as a text: intp[texts, words].

    Each text is cut into pieces of ``words`` ids, of which one is drawn uniformly, and filled by
    unknown ones if it is the last and shorter. A text without words is all unknown ones.

    Args:
        texts: ids of what was typed.
        words: of a frame.
        unknown: the id of unknown words.
        random: draws the pieces; for experiments a generator's ``bytes``.

    Raises:
        ParameterError: ``words`` aren't from 1 to 64.
    """
    check_frames(Frames(words, 1))
    frames = np.full((len(texts), words), unknown, np.intp)
    for frame, text in zip(frames, texts, strict=True):
        start = words * uniform_below(max(-(-len(text) // words), 1), random)
        piece = text[start : start + words]
        frame[: len(piece)] = piece
    return frames
