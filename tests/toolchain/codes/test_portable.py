"""Arithmetic that is the same everywhere: that it is right, and that it is the same."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit_toolchain.codes import make_codes
from brrkit_toolchain.codes.portable import (
    Draws,
    exact_gram,
    exponential,
    leading_axes,
    logarithm,
    mean_square,
    orthonormal,
)
from brrkit_toolchain.codes.vectors import LENGTH, integer_directions, integer_products


@pytest.mark.parametrize("x", [-40.0, -3.4, -1e-9, 0.0, 0.7, 5.0, 40.0])
def test_exponential(x: float) -> None:
    assert exponential(x) == pytest.approx(math.exp(x), rel=1e-8)


@pytest.mark.parametrize("x", [1e-300, 0.3, 0.999, 1.0, 2.0, 301.0, 1e18])
def test_logarithm(x: float) -> None:
    assert logarithm(x) == pytest.approx(math.log(x), rel=1e-14, abs=1e-15)


class TestDraws:
    def test_stream_is_the_bit_generators(self) -> None:
        """What NumPy promises to keep; so the numbers stand here."""
        draws = Draws(7)
        assert draws.below(10**6, 3).tolist() == [625095, 897213, 775685]
        assert draws.shares(2, 1).tolist() == [[0.22520718999059186], [0.30016628491122543]]

    def test_integers_are_uniform(self) -> None:
        """Seeded: the verdict is the same in every run."""
        counts = np.bincount(Draws(1).below(7, 70_000), minlength=7)
        assert np.abs(counts - 10_000).max() < 500

    def test_shares_fill_the_interval(self) -> None:
        found = Draws(2).shares(100, 100)
        assert 0 <= found.min() < 1e-3
        assert 1 - 1e-3 < found.max() < 1
        assert found.mean() == pytest.approx(0.5, abs=0.02)


def test_orthonormal_rows_span_the_same_and_dependent_ones_vanish() -> None:
    rows = np.random.default_rng(0).standard_normal((4, 6))
    rows[2] = 2 * rows[0] - rows[1]
    found = rows.copy()
    orthonormal(found)
    assert (found[2] == 0).all()
    rest = found[[0, 1, 3]]
    np.testing.assert_allclose(rest @ rest.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(rows @ rest.T @ rest, rows, atol=1e-12)


def test_leading_axes_are_the_leading_eigenvectors() -> None:
    generator = np.random.default_rng(1)
    turn = np.linalg.qr(generator.standard_normal((20, 20)))[0]
    matrix = (turn * np.geomspace(1e6, 1, 20)) @ turn.T
    found = leading_axes(matrix, generator.standard_normal((3, 20)), 60)
    np.testing.assert_allclose(np.abs(found @ turn[:, :3]), np.eye(3), atol=1e-6)


def rows_of(words: int, dimensions: int) -> NDArray[np.float32]:
    return np.random.default_rng(3).standard_normal((words, dimensions)).astype(np.float32)


@pytest.mark.parametrize("dimensions", [1, 2, 300, 5_000])
def test_integer_directions_keep_directions_and_lengths(dimensions: int) -> None:
    vectors = rows_of(50, dimensions)
    vectors[3] = 0
    vectors[4] *= np.float32(1e-30)
    found = integer_directions(vectors).astype(np.float64)
    assert (found == np.rint(found)).all()
    assert (found[3] == 0).all()
    lengths = np.linalg.norm(np.delete(found, 3, axis=0), axis=1)
    assert lengths.max() <= LENGTH
    assert lengths.min() >= LENGTH - math.sqrt(dimensions)
    exact = vectors.astype(np.float64)
    exact /= np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(found @ found.T / LENGTH**2, exact @ exact.T, atol=0.05)


def test_products_of_integer_directions_are_exact() -> None:
    integers = integer_directions(rows_of(300, 700))
    integers[0] = integers[1]  # as large as products become
    exact = integers.astype(np.int64) @ integers.T.astype(np.int64)
    columns = integers.T.astype(np.float32)
    np.testing.assert_array_equal(integer_products(integers, columns), exact)
    np.testing.assert_array_equal(
        exact_gram(integers), integers.T.astype(np.int64) @ integers.astype(np.int64)
    )


def test_mean_square() -> None:
    rows = rows_of(40, 30)
    assert mean_square(rows) == pytest.approx(np.square(rows.astype(np.float64)).mean(), rel=1e-12)


CODES = {
    64: "1d4b5033402fa579712d3de448b5b9239d15f77b984f1b32145cdb7b51cd7d30",
    128: "d3e6f52e712893155776bd34432f4dbac022fe269cc40c9cebde08db26c40534",
}


@pytest.mark.parametrize("bits", CODES)
def test_codes_are_the_same_on_every_machine(bits: int) -> None:
    """Here as on whatever machine made these; ``tests/personalities.sh`` acts as others."""
    generator = np.random.default_rng(5)
    near = generator.standard_normal((100, 70)).repeat(9, axis=0)
    vectors = (near + 0.7 * generator.standard_normal((900, 70)) + 1).astype(np.float32)
    codes = make_codes(vectors, bits=bits, effort="low", seed=3, progress=False).packed
    assert hashlib.sha256(codes.tobytes()).hexdigest() == CODES[bits]
