"""Texts cut into frames: a fixed number of words each, whatever was typed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit.randomness import RandomSource
from brrkit_toolchain.channel.drawing.random_numbers import uniform_below


def framed(
    texts: Sequence[NDArray[np.integer]], words: int, unknown: int, random: RandomSource
) -> list[NDArray[np.int32]]:
    """Return one frame of each of ``texts``: one of its pieces, drawn uniformly, and filled.

    A text is cut into pieces of ``words``; only its last one may be shorter. The words that fill a
    frame are unknown ones. Proof: ``docs/explanation/proofs.md``, "Frames".

    Args:
        texts: ids [t] of each one's words; ``unknown`` for those outside the vocabulary.
        words: of a frame; 1 or more.
        unknown: the vocabulary's size.
        random: draws the pieces; for experiments a generator's ``bytes``.

    Returns:
        int32[words] for each text, in their order. A text without words is all ``unknown``.
    """
    pieces = np.array([max(1, -(-len(text) // words)) for text in texts], np.int64)
    frames = np.full((len(texts), words), unknown, np.int32)
    for frame, text, place in zip(frames, texts, uniform_below(pieces, random), strict=True):
        piece = text[int(place) * words :][:words]
        frame[: len(piece)] = piece
    return list(frames)
