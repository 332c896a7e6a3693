"""The small language model of a bundle: what its bytes stand for, and what is wrong with some."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from packing import pack

from brrkit.masses import LEVELS, MOST, Masses

Make = Callable[..., Masses]

WORDS = [40, 16, 9, 3, 77, 1, 20, 5, 255]
BIGRAMS = {(0, 1): 50, (0, 5): 90, (3, 3): 70, (7, 0): 1, (7, 6): 33, (7, 8): 255, (8, 0): 2}


def size(byte: int) -> int:
    """Return m(v) as spec/bundle-format.md has it."""
    return byte if byte < 16 else (8 + byte % 8) * 2 ** (byte // 8 - 1)


def test_a_byte_stands_for_the_x_bits_of_a_number() -> None:
    assert LEVELS.tolist() == [size(byte) for byte in range(256)]
    assert LEVELS[[0, 1, 15, 16, 17, 24, 255]].tolist() == [0, 1, 15, 16, 18, 32, 15 << 30]
    highest = {n >> max(n.bit_length() - 4, 0) << max(n.bit_length() - 4, 0) for n in range(1024)}
    assert set(LEVELS[LEVELS < 1024].tolist()) == highest


def test_what_follows_a_word_is_found(masses_of: Make) -> None:
    masses = masses_of(WORDS, BIGRAMS)
    for before in range(len(WORDS)):
        ids, gains = masses.following(before)
        expected = {after: size(gain) for (h, after), gain in BIGRAMS.items() if h == before}
        assert dict(zip(ids.tolist(), gains.tolist(), strict=True)) == expected
        assert ids.tolist() == sorted(expected)
        assert (ids.dtype, gains.dtype) == (np.intp, np.int64)  # also where there are none


def test_what_follows_any_word_of_many(masses_of: Make) -> None:
    generator = random.Random(1)
    bigrams = {
        (generator.randrange(300), generator.randrange(300)): generator.randrange(1, 256)
        for _ in range(2000)
    }
    masses = masses_of([1] * 300, bigrams)
    assert masses.bigrams == len(bigrams)
    for before in range(300):
        ids, gains = masses.following(before)
        found = zip(ids.tolist(), gains.tolist(), strict=True)
        expected = ((y, size(gain)) for (h, y), gain in sorted(bigrams.items()) if h == before)
        assert list(found) == list(expected)


def test_the_sums_of_masses(masses_of: Make) -> None:
    total = sum(map(size, WORDS))
    without, some = masses_of(WORDS, {}), masses_of(WORDS, BIGRAMS)
    assert without.total == without.most == some.total == total
    assert some.most == total + size(1) + size(33) + size(255)  # after word 7
    last = masses_of([1, 1, 1], {(0, 1): 5, (2, 0): 9, (2, 2): 9})
    assert last.most == 3 + 18
    assert len(some) == len(WORDS)


def test_what_is_right_has_no_damage(masses_of: Make) -> None:
    assert masses_of(WORDS, {}).damage() is None
    assert masses_of(WORDS, BIGRAMS).damage() is None
    assert masses_of([1], {}).damage() is None


@pytest.mark.parametrize(
    ("words", "bigrams", "damage"),
    [
        ([0, 1, 1], {}, "tensor 'masses' has a 0"),
        ([1, 1, 0], {(0, 1): 1}, "tensor 'masses' has a 0"),
        ([1, 1, 1], {(0, 1): 1, (2, 2): 0}, "tensor 'gains' has a 0"),
        ([1, 1, 1], {(3, 1): 1}, "tensor 'before' names a missing word"),
        ([1, 1, 1], {(0, 1): 1, (0, 3): 1}, "tensor 'after' names a missing word"),
    ],
)
def test_bytes_and_ids_that_stand_for_nothing(
    masses_of: Make, words: list[int], bigrams: dict[tuple[int, int], int], damage: str
) -> None:
    assert masses_of(words, bigrams).damage() == damage


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1), (0, 1)],
        [(0, 2), (0, 1)],
        [(1, 0), (0, 1)],
        [(0, 1), (1, 2), (1, 2), (2, 0)],
        [(0, 1), (2, 2), (1, 2), (2, 3)],
    ],
)
def test_pairs_that_aren_t_in_order(pairs: list[tuple[int, int]]) -> None:
    """A binary search would miss some of them, or a word would gain twice."""
    before, after = (pack(column, 2) for column in zip(*pairs, strict=True))
    masses = Masses(np.ones(4, np.uint8), before, after, np.ones(len(pairs), np.uint8))
    assert masses.damage() == "tensors 'before' and 'after' aren't in order, or have a pair twice"


@pytest.mark.parametrize(
    ("words", "bigrams", "most"),
    [
        (8738, {}, MOST - (1 << 31)),
        (8739, {}, None),
        (8738, {(0, 1): 232, (1, 0): 232, (1, 1): 1}, None),
        (8738, {(0, 1): 232, (1, 0): 232}, MOST),  # those after two words don't add up
        (8738, {(0, 1): 233}, None),
    ],
)
def test_no_sum_is_more_than_fits(
    masses_of: Make, words: int, bigrams: dict[tuple[int, int], int], most: int | None
) -> None:
    """All masses are the largest, 15 * 2^30; the byte 232 is 2^31."""
    masses = masses_of([255] * words, bigrams)
    expected = "tensors 'masses' and 'gains' sum to more than 2^47" if most is None else None
    assert masses.damage() == expected
    assert most is None or masses.most == most
