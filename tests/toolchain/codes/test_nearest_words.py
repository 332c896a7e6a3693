from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit_toolchain.codes.neighborhood import nearest
from brrkit_toolchain.codes.neighborhood.nearest import nearest_words, sketches
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.codes.vectors import integer_directions

Integers = NDArray[np.int16]


def integers(words: int, dimensions: int = 24) -> Integers:
    rows = np.random.default_rng(4).standard_normal((words, dimensions))
    return integer_directions(rows.astype(np.float32))


def found(rows: Integers, k: int) -> NDArray[np.int32]:
    near = np.full((len(rows), k), -1, np.int32)
    nearest_words(rows, sketches(rows, Draws(2)), near, progress=False)
    return near


def products_of(rows: Integers, some: int) -> NDArray[np.int64]:
    """Return the products of the first words with all; their own are the least."""
    products: NDArray[np.int64] = rows[:some].astype(np.int64) @ rows.T.astype(np.int64)
    np.fill_diagonal(products, -(2**40))
    return products


def by_sorting(products: NDArray[np.int64], k: int) -> NDArray[np.intp]:
    return np.argsort(-products, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize(("words", "k"), [(2, 1), (30, 29), (33, 25), (900, 700)])
def test_of_few_words_all_are_compared(words: int, k: int) -> None:
    rows = integers(words)
    np.testing.assert_array_equal(found(rows, k), by_sorting(products_of(rows, words), k))


@pytest.mark.parametrize("words", [1_500, 9_000])  # of the more a part says how far candidates are
def test_the_nearest_are_nearly_always_found_and_in_order(words: int) -> None:
    rows = integers(words)
    near, products = found(rows, 100)[:300], products_of(rows, 300)
    in_order = np.take_along_axis(products, near.astype(np.intp), axis=1)
    assert (np.diff(in_order, axis=1) <= 0).all()
    assert all(len(np.unique(row)) == 100 for row in near)
    assert (near != np.arange(300)[:, None]).all()
    exact = by_sorting(products, 10)
    kept = [len(np.intersect1d(*pair)) / 10 for pair in zip(near, exact, strict=True)]
    assert np.mean(kept) > 0.97


def test_of_equally_near_words_the_first_come_first() -> None:
    rows = integers(700, dimensions=3)
    rows[:] = np.round(rows / 1_000) * 1_000  # few directions, many words in each
    near, products = found(rows, 8), products_of(rows, 700)
    for word, others in enumerate(near):
        order = list(zip(-products[word, others], others, strict=True))
        assert order == sorted(order)


def test_many_words_with_one_sketch_leave_room() -> None:
    """More than there is room for: the first are candidates."""
    rows = np.repeat(integers(2), 3_000, axis=0)
    near = found(rows, 5)
    assert near[:3_000].max() < 3_000
    assert near[3_000:].min() >= 3_000
    assert near[10].tolist() == [0, 1, 2, 3, 4]


def test_a_sketch_has_half_of_its_bits_set() -> None:
    planes = sketches(integers(4_000), Draws(3))
    assert planes.shape == (nearest.SKETCH // 64, 4_000)
    bits = np.unpackbits(planes.view(np.uint8))
    assert bits.mean() == pytest.approx(0.5, abs=0.01)
