from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit_toolchain.codes import nearest
from brrkit_toolchain.codes.nearest import nearest_words
from brrkit_toolchain.codes.vectors import integer_directions


def integers(words: int, dimensions: int = 24) -> NDArray[np.float32]:
    rows = np.random.default_rng(4).standard_normal((words, dimensions))
    return integer_directions(rows.astype(np.float32))


def by_sorting(rows: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    products = rows.astype(np.int64) @ rows.T.astype(np.int64)
    np.fill_diagonal(products, -(2**40))
    return np.argsort(-products, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize(("words", "k"), [(2, 1), (30, 29), (900, 15), (1_500, 300)])
def test_all_words_are_compared(words: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_COLUMNS", 400)  # the last are fewer
    rows = integers(words)
    near = nearest_words(rows, k, progress=False)
    assert near.dtype == np.int32
    np.testing.assert_array_equal(near, by_sorting(rows, k))


def test_of_equally_near_words_the_first_come_first() -> None:
    rows = integers(700, dimensions=3)
    rows[:] = np.round(rows / 1_000) * 1_000  # few directions, many words in each
    np.testing.assert_array_equal(nearest_words(rows, 8, progress=False), by_sorting(rows, 8))
