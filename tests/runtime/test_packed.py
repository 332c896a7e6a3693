"""Packed numbers: one by one, and all at once."""

from __future__ import annotations

import random

import numpy as np
import pytest

from brrkit.packed import PackedNumbers, packed_size, width_of

COUNTS = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1000, 65_536, 65_537]


@pytest.mark.parametrize(
    ("count", "width"), [(2, 1), (3, 2), (4, 2), (5, 3), (50_000, 16), (65_537, 17), (1 << 24, 24)]
)
def test_a_number_has_as_many_bits_as_the_largest_needs(count: int, width: int) -> None:
    assert width_of(count) == width


@pytest.mark.parametrize(
    ("count", "width", "size"),
    [(0, 16, 3), (1, 1, 4), (8, 1, 4), (9, 1, 5), (3, 11, 8), (7, 24, 24), (1 << 24, 24, 50331651)],
)
def test_three_bytes_follow_what_the_bits_take(count: int, width: int, size: int) -> None:
    assert packed_size(count, width) == size


@pytest.mark.parametrize("count", COUNTS)
def test_numbers_are_read_as_written(count: int) -> None:
    numbers = list(range(count))
    random.Random(count).shuffle(numbers)
    bits = "".join(f"{number:0{width_of(count)}b}" for number in reversed(numbers))
    content = int(bits, 2).to_bytes(packed_size(count, width_of(count)), "little")
    packed = PackedNumbers(memoryview(content), count, width_of(count))
    assert packed.unpack().tolist() == numbers
    assert packed.unpack().dtype == np.uint32
    assert [packed[i] for i in range(count)] == numbers
    assert type(packed[0]) is int


def test_there_may_be_none() -> None:
    packed = PackedNumbers(memoryview(bytes(3)), 0, 16)
    assert packed.unpack().tolist() == []


def test_the_widest_numbers_lie_in_four_bytes() -> None:
    numbers = [0, (1 << 24) - 1, 1 << 23, 0x5A5A5A, 1, 0xC0FFEE, 7, 0, (1 << 24) - 1]
    content = b"".join(number.to_bytes(3, "little") for number in numbers) + bytes(3)
    packed = PackedNumbers(memoryview(content), len(numbers), 24)
    assert packed.unpack().tolist() == [packed[i] for i in range(9)] == numbers
