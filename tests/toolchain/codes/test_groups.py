"""Groups of words, and the words nearest to each that they are drawn from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from brrkit_toolchain.codes.neighborhood import groups
from brrkit_toolchain.codes.neighborhood.groups import Groups, Levels, find_levels
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.codes.vectors import integer_directions


def rings(*sizes: int, furthest: int = 40) -> Levels:
    """Levels where the neighbors of a word are the next ones around a ring."""
    levels = Levels(sizes, furthest)
    for level, size in enumerate(sizes):
        levels.rows(level)[:] = (np.arange(size)[:, None] + np.arange(1, furthest + 1)) % size
    return levels


def test_no_word_is_twice_in_a_group() -> None:
    for words in (3_200, 90, 50):
        drawn = Groups(rings(words), Draws(1))
        assert drawn.size == min(words, groups.SETTINGS["words"])
        for group in drawn.take(200):
            assert len(np.unique(group)) == drawn.size
            assert group.min() >= 0
            assert group.max() < words


def test_frequent_words_are_in_groups_oftener() -> None:
    taken = Groups(rings(3_200, 800, 200), Draws(1)).take(3_000)
    counts = np.bincount(taken.ravel(), minlength=3_200)
    tenths = counts.reshape(10, 320).sum(axis=1)
    assert all(earlier > 0.9 * later for earlier, later in pairwise(tenths))
    assert tenths[0] > 2 * tenths[-1]


def test_a_group_is_of_one_level_and_all_words_come_thrice_as_often() -> None:
    largest = Groups(rings(64_000, 1_600, 200), Draws(2)).take(2_000).max(axis=1)
    shares = [np.mean(largest >= 1_600), np.mean((largest < 1_600) & (largest >= 200))]
    np.testing.assert_allclose(shares, [0.6, 0.2], atol=0.04)  # 4 standard deviations


def test_the_nearest_come_always_and_every_octave_of_others_as_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(groups.SETTINGS, "seeds", 1)
    monkeypatch.setitem(groups.SETTINGS, "neighbors", 20)
    taken = Groups(rings(10_000, furthest=255), Draws(3)).take(4_000)
    ranks = (taken[:, 1:] - taken[:, :1]) % 10_000
    assert ranks.shape == (4_000, 20)
    counts = np.bincount(ranks.ravel(), minlength=256)
    assert (counts[1:4] == 4_000).all()
    octaves = [counts[2**k : 2 ** (k + 1)].sum() / 4_000 for k in range(3, 8)]
    np.testing.assert_allclose(octaves, np.mean(octaves), rtol=0.05)
    assert counts[255] > 0


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        (2, [2]),
        (11_999, [11_999]),
        (12_000, [12_000, 3_000]),
        (400_000, [400_000, 100_000, 25_000, 6_250]),
    ],
)
def test_levels_are_quarters_of_quarters(words: int, sizes: list[int]) -> None:
    assert groups._level_sizes(words) == sizes


def test_each_level_has_neighbors_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(groups.SETTINGS, "fewest_words", 100)
    monkeypatch.setitem(groups.SETTINGS, "furthest", 50)
    rows = np.random.default_rng(5).standard_normal((450, 30)).astype(np.float32)
    levels = find_levels(integer_directions(rows), Draws(0), progress=False)
    assert levels.sizes.tolist() == [450, 112]
    for level, size in enumerate(levels.sizes):
        near = levels.rows(level)
        assert near.shape == (size, 50)
        assert near.max() < size
