from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from brr_toolchain.codes import nearest
from brr_toolchain.codes.nearest import nearest_words


def directions(words: int, dimensions: int = 24) -> NDArray[np.float32]:
    """Return unit vectors in groups, as a partition into cells likes and needs."""
    generator = np.random.default_rng(4)
    centres = generator.standard_normal((words // 20 + 1, dimensions)).repeat(20, axis=0)[:words]
    vectors = centres + 0.5 * generator.standard_normal((words, dimensions))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def by_sorting(vectors: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    return np.argsort(-cosines, axis=1)[:, :k]


def found(near: NDArray[np.int32], expected: NDArray[np.intp]) -> float:
    rows = zip(near, expected, strict=True)
    return float(np.mean([len(np.intersect1d(*row)) / len(row[1]) for row in rows]))


def test_few_words_are_compared_with_all() -> None:
    vectors = directions(900)
    near = nearest_words(vectors, 15, progress=False)
    assert near.dtype == np.int32
    np.testing.assert_array_equal(near, by_sorting(vectors, 15))


def test_many_words_are_compared_with_those_of_some_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_EXACT_UP_TO", 1_000)
    monkeypatch.setattr(nearest, "_BLOCK", 700)  # the last block is smaller
    vectors = directions(5_000)
    near = nearest_words(vectors, 10, progress=False)
    assert found(near, by_sorting(vectors, 10)) > 0.98
    assert (near != np.arange(len(near))[:, None]).all()


def test_words_with_the_same_direction_have_each_other() -> None:
    vectors = directions(300)
    vectors[100:130] = vectors[100]  # more than the neighbours asked for
    near = nearest_words(vectors, 8, progress=False)
    twins = near[100:130]
    assert ((twins >= 100) & (twins < 130)).all()
    assert (twins != np.arange(100, 130)[:, None]).all()


def test_a_word_with_too_few_others_in_its_cells_fills_its_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nearest, "_EXACT_UP_TO", 10)
    monkeypatch.setattr(nearest, "_PROBES", 1)
    near = nearest_words(directions(2_000), 60, progress=False)
    itself = near == np.arange(len(near))[:, None]
    assert itself.any()
    assert (near >= 0).all()
