"""Integers without bias, and a test that sees the bias of the usual mistake."""

from __future__ import annotations

import io
import random
from collections.abc import Callable

import pytest

from brr_runtime.randomness import RandomSource, uniform_below


def source_of(*numbers: int) -> io.BytesIO:
    return io.BytesIO(b"".join(number.to_bytes(8, "little") for number in numbers))


@pytest.mark.parametrize("bound", [1, 2, 3, 255, 256, 257, 2**32, 2**32 + 1, 2**63 - 1, 2**63])
def test_a_draw_takes_eight_bytes(bound: int) -> None:
    source = source_of(0, 99)
    assert uniform_below(bound, source.read) == 0
    assert source.tell() == 8


def test_only_the_low_bits_count() -> None:
    assert uniform_below(1000, source_of(2**64 - 1024 + 7).read) == 7
    assert uniform_below(1, source_of(2**64 - 1).read) == 0
    assert uniform_below(2**63, source_of(2**64 - 1).read) == 2**63 - 1


def test_numbers_from_the_bound_on_are_rejected_not_folded() -> None:
    source = source_of(1000, 1023, 2**10 + 1001, 2**40 + 999, 5)
    assert uniform_below(1000, source.read) == 999
    assert source.tell() == 32


@pytest.mark.parametrize("bound", [2, 3, 5, 8, 17])
def test_every_value_is_reached(bound: int) -> None:
    draw = random.Random(bound).randbytes
    # False alarm: bound * (1 - 1 / bound)^2000 < 10^-49.
    assert {uniform_below(bound, draw) for _ in range(2000)} == set(range(bound))


def modulo(bound: int, source: RandomSource) -> int:
    """Draw as almost everybody does: some values have one preimage more than others."""
    return int.from_bytes(source(8), "little") % bound


# 2^64 is 2 2/3 times 3 * 2^61: the lower two thirds have 3 preimages each, the rest 2. Cells of a
# sixth then have probability 3/16 or 1/8 instead of 1/6: at 20,000 draws the statistic is near 400.
BIASED_BOUND = 3 * 2**61


def spread(below: Callable[[int, RandomSource], int], bound: int, cells: int) -> list[int]:
    draw = random.Random(11).randbytes
    counts = [0] * cells
    for _ in range(20_000):
        counts[below(bound, draw) * cells // bound] += 1
    return counts


@pytest.mark.parametrize("bound", [6, 7, 100, 1000, 2**20 + 1, BIASED_BOUND, 2**63 - 1, 2**63])
def test_draws_are_uniform(bound: int, chi_square: Callable[..., float]) -> None:
    cells = min(bound, 100) if bound <= 1000 else 6
    while bound % cells and bound <= 1000:
        cells -= 1
    assert chi_square(spread(uniform_below, bound, cells), [1 / cells] * cells) < 1


def test_modulo_bias_is_seen(chi_square: Callable[..., float]) -> None:
    assert chi_square(spread(modulo, BIASED_BOUND, 6), [1 / 6] * 6) > 2
