"""Texts cut into frames."""

from __future__ import annotations

import numpy as np
import pytest

from brrkit_toolchain.channel.drawing.frames import framed

UNKNOWN = 100


def test_a_frame_is_a_piece_of_its_text_filled_with_unknown_words() -> None:
    texts = [np.arange(7), np.arange(3), np.array([5, UNKNOWN, 6]), np.empty(0, np.int32)]
    random = np.random.default_rng(0).bytes
    seen = {tuple(map(tuple, framed(texts, 3, UNKNOWN, random))) for _ in range(60)}
    assert {each[0] for each in seen} == {(0, 1, 2), (3, 4, 5), (6, UNKNOWN, UNKNOWN)}
    assert {each[1:] for each in seen} == {((0, 1, 2), (5, UNKNOWN, 6), (UNKNOWN,) * 3)}


@pytest.mark.parametrize("words", [1, 4, 16])
def test_each_piece_is_as_likely(words: int) -> None:
    pieces, times = 5, 20_000
    text = np.arange(words * (pieces - 1) + 1)
    found = framed([text] * times, words, UNKNOWN, np.random.default_rng(1).bytes)
    counts = np.bincount([frame[0] // words for frame in found], minlength=pieces)
    share = 1 / pieces
    reach = 6.2 * np.sqrt(times * share * (1 - share))  # two-sided, below 1e-9 a piece
    assert np.abs(counts - times * share).max() < reach
    assert {len(frame) for frame in found} == {words}
