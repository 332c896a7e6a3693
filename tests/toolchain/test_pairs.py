"""All pairs of codes: the compiled histograms against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from bundle_tools import brute_force_distances

from brrkit_toolchain.codes.pairs import histograms, over_rows


@pytest.mark.parametrize("bits", [64, 192, 512])
@pytest.mark.parametrize("words", [2, 1_300])
def test_histograms_are_those_of_the_distances(bits: int, words: int) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2**64, (words, bits // 64), np.uint64)
    codes[1] = ~codes[0]  # every bit differs: the last column

    found = histograms(codes, progress=False)

    distances = brute_force_distances(codes)
    expected = [np.bincount(row, minlength=bits + 1) for row in distances]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_row_is_visited_once(threads: int) -> None:
    visits = np.zeros(2_000, np.int64)

    def kernel(start: int, stop: int) -> None:
        visits[start:stop] += 1

    over_rows(kernel, len(visits), description="", progress=False, threads=threads)
    assert (visits == 1).all()


def test_an_error_in_a_kernel_is_not_lost() -> None:
    def kernel(start: int, stop: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        over_rows(kernel, 10, description="", progress=False)
