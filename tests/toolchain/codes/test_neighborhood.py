"""The parts of the method `neighborhood`; test_codes.py tests what it makes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from scipy.stats import spearmanr

from brrkit_toolchain.codes.neighborhood import groups, train
from brrkit_toolchain.codes.neighborhood.divergence import Slopes, find_slopes, no_slopes
from brrkit_toolchain.codes.neighborhood.scale import Scale
from brrkit_toolchain.codes.neighborhood.targets import (
    AXES_AT_ONCE,
    Source,
    cosines,
    likelihood,
    temperature_of,
)
from brrkit_toolchain.codes.neighborhood.train import _Codes, _split, _start, encode
from brrkit_toolchain.codes.portable import Draws, exact_gram
from brrkit_toolchain.codes.vectors import LENGTH, integer_directions
from brrkit_toolchain.io.compiled import compiled

Matrix = NDArray[np.float32]


def vectors(words: int, dimensions: int = 20) -> Matrix:
    generator = np.random.default_rng(6)
    found = generator.standard_normal((words, dimensions)) + 2 * generator.standard_normal(20)
    return found.astype(np.float32)


def directions(words: int) -> Matrix:
    rows = vectors(words)
    return np.divide(rows, np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def off_diagonal(matrix: NDArray[Any]) -> NDArray[Any]:
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def source_of(words: int, shared: int = 1) -> Source:
    integers = integer_directions(vectors(words))
    return _split(integers, axes_of(integers, shared))


def axes_of(integers: NDArray[np.int16], shared: int) -> NDArray[np.float64]:
    """Return what is shared, as NumPy finds it."""
    _, axes = np.linalg.eigh(exact_gram(integers))
    leading: NDArray[np.float64] = axes.T[-shared:]
    return leading


def all_cosines(source: Source) -> tuple[Matrix, Matrix]:
    return cosines(source, np.arange(len(source.integers)))


def scales_of(source: Source) -> tuple[Scale, Scale]:
    """Scales with temperatures of 0.1 and 0.2, gains of 5 and 2.5, and a weight of 0.7 for far."""
    near, far = all_cosines(source)
    scales = Scale([near], perplexity=4, weight=1), Scale([far], perplexity=4, weight=0.7)
    for scale, temperature in zip(scales, (0.1, 0.2), strict=True):
        scale.temperature, scale.gain = temperature, 0.5 / temperature
    return scales


def random_signs(words: int, bits: int = 64) -> Matrix:
    draws = np.random.default_rng(0).integers(2, size=(words, bits))
    return (2 * draws - 1).astype(np.float32)


def shares(logits: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the softmax of each row and its logarithm, of all but the word itself."""
    others = np.where(np.eye(len(logits), dtype=np.bool_), -1e9, logits)
    return softmax(others, axis=1), log_softmax(others, axis=1)


def divergence(source: Source, gains: list[float], signs: NDArray[np.float64]) -> float:
    """The loss of both scales, but for a constant."""
    products = signs @ signs.T / signs.shape[1]
    total = 0.0
    for each, gain, temperature, weight in zip(
        all_cosines(source), gains, (0.1, 0.2), (1, 0.7), strict=True
    ):
        p, _ = shares(each.astype(np.float64) / temperature)
        _, log_q = shares(gain * products)
        total -= weight * np.where(p > 0, p * log_q, 0).sum()
    return float(total)


def slopes_at(source: Source, signs: Matrix, scales: tuple[Scale, Scale], judged: float) -> Slopes:
    """Return the slopes of one group, of all words."""
    found = no_slopes(1, *signs.shape)
    find_slopes(np.arange(len(signs))[None], source, signs, scales, judged, found)
    return found


def expected_curvatures(gains: list[float], signs: Matrix) -> NDArray[np.float64]:
    """Return each word's curvature if the others' signs were independent, float64[m]."""
    words, bits = signs.shape
    found = np.zeros(words)
    for gain, weight in zip(gains, (1, 0.7), strict=True):
        q, _ = shares(gain / bits * (signs @ signs.T).astype(np.float64))
        own_row, other_rows = 1 - (q**2).sum(axis=1), (q * (1 - q)).sum(axis=0)
        found += weight * (gain / bits) ** 2 * (own_row + other_rows)
    return found


@pytest.mark.parametrize("bits", [64, 192])
def test_slopes_and_curvatures_are_the_derivatives_of_the_divergence(bits: int) -> None:
    source, signs = source_of(30), random_signs(30, bits)
    scales = scales_of(source)
    gains = [scale.gain for scale in scales]
    first, judged = (slopes_at(source, signs, scales, share).slopes[0] for share in (0, 1))
    curvatures = (first - judged) * signs
    expected = np.tile(expected_curvatures(gains, signs)[:, None], bits)
    np.testing.assert_allclose(curvatures, expected, rtol=1e-3)

    def loss(word: int, bit: int, by: float) -> float:
        moved = signs.astype(np.float64)
        moved[word, bit] += by
        return divergence(source, gains, moved)

    misses, straight, seconds, found = [], [], [], []
    for word, bit in [(0, 0), (4, 9), (17, 63), (29, 31), (8, 2), (11, 40)]:
        here, up, down = (loss(word, bit, by) for by in (0, 0.01, -0.01))
        assert first[word, bit] == pytest.approx((up - down) / 0.02, rel=1e-3, abs=1e-4)
        seconds.append((up - 2 * here + down) / 1e-4)
        found.append(curvatures[word, bit])
        # What a flip changes the loss by, to second order and to first.
        sign = float(signs[word, bit])
        brought = loss(word, bit, -2 * sign) - here
        misses.append(abs(-2 * sign * judged[word, bit] - brought))
        straight.append(abs(-2 * sign * first[word, bit] - brought))
    assert sum(found) == pytest.approx(sum(seconds), rel=0.05)
    assert sum(misses) < 0.1 * sum(straight)


def test_the_gain_goes_to_where_the_divergence_is_least() -> None:
    """Cosines that are the codes' products: the distributions are equal at a gain of 1."""
    signs = random_signs(40)
    integers = (signs * (LENGTH / 8)).astype(np.int16)
    source = Source(integers, np.zeros((40, AXES_AT_ONCE), np.float32), np.ones(40, np.float32))
    near, far = all_cosines(source)
    scales = Scale([near], perplexity=6, weight=1), Scale([far], perplexity=9, weight=1)
    for _ in range(2_000):
        excess = slopes_at(source, signs, scales, 0).excess[0]
        for scale, each in zip(scales, excess, strict=True):
            scale.improve_gain(float(each), 40, 64)
    for scale in scales:
        assert scale.gain * scale.temperature == pytest.approx(1, rel=0.02)


def test_a_group_is_compared_by_itself() -> None:
    """Whichever groups are with it, and whichever thread it is in."""
    source, signs = source_of(60), random_signs(60)
    groups = np.random.default_rng(1).permuted(np.tile(np.arange(60), (3, 1)), axis=1)[:, :20]
    together = no_slopes(3, 20, 64)
    find_slopes(groups, source, signs, scales_of(source), 0.3, together)
    for number in range(3):
        alone = no_slopes(1, 20, 64)
        part = slice(number, number + 1)
        find_slopes(groups[part], source, signs, scales_of(source), 0.3, alone)
        np.testing.assert_array_equal(alone.slopes, together.part(part).slopes)
        np.testing.assert_array_equal(alone.excess, together.part(part).excess)


@compiled
def likelihoods(exponents: Matrix, found: Matrix) -> None:
    """Write e^x for all ``exponents`` x."""
    for i in range(len(exponents)):
        found[i] = likelihood(exponents[i])


def test_a_likelihood_is_an_exponential() -> None:
    """Within 1% where it counts; below, it falls as far as it may, and never to 0."""
    exponents = np.linspace(-1_000, 0, 20_001, dtype=np.float32)
    found = np.empty_like(exponents)
    likelihoods(exponents, found)
    near = exponents >= -9
    np.testing.assert_allclose(found[near], np.exp(exponents[near]), rtol=0.01)
    assert (np.diff(found) >= 0).all()
    assert (found[exponents < -20] < 1e-8).all()
    assert found[0] == pytest.approx(0.625**128, rel=1e-3)


@pytest.mark.parametrize("perplexity", [3.0, 12.0])
def test_temperature_gives_the_perplexity(perplexity: float) -> None:
    near, _ = all_cosines(source_of(60))
    p, log_p = shares(near.astype(np.float64) / temperature_of([near], perplexity))
    entropies = -np.where(p > 0, p * log_p, 0).sum(axis=1)
    assert np.exp(entropies.mean()) == pytest.approx(perplexity, rel=0.01)


def test_far_cosines_are_those_without_the_shared_components() -> None:
    near, far = all_cosines(source_of(50, 2))
    rows = vectors(50)
    directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(near, directions @ directions.T, atol=2e-3)
    left, sizes, right = np.linalg.svd(directions, full_matrices=False)
    rest = (left[:, 2:] * sizes[2:]) @ right[2:]
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    np.testing.assert_allclose(off_diagonal(far), off_diagonal(rest @ rest.T), atol=4e-3)


@pytest.mark.parametrize("bits", [64, 128])
def test_training_starts_from_what_is_not_shared(bits: int) -> None:
    """Bits have like spreads and no mean; codes keep the distances of what isn't shared."""
    rows = np.random.default_rng(2).standard_normal((400, 96)) * np.geomspace(4, 0.1, 96)
    integers = integer_directions((rows + 3).astype(np.float32))
    axes = axes_of(integers, 1)
    source = _split(integers, axes)
    start = _start(integers, exact_gram(integers), axes, bits, Draws(2))
    assert start.std() == pytest.approx(train.SETTINGS["spread"], rel=1e-3)
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-3)
    spreads = start.std(axis=0)
    assert spreads.max() < 4 * spreads.min()
    _, far = all_cosines(source)
    lengths = np.linalg.norm(start, axis=1)
    products = start @ start.T / np.outer(lengths, lengths)
    assert spearmanr(off_diagonal(products), off_diagonal(far)).statistic > 0.99


def improve(codes: _Codes, rows: list[int], slopes: Matrix, rate: float) -> None:
    """Take a step against the slopes of one group."""
    squares = np.square(slopes).mean(axis=1)
    codes.improve(np.array([rows]), Slopes(slopes[None], squares[None], np.zeros((1, 2))), rate)


def test_steps_are_in_proportion_within_a_word_and_not_between_words() -> None:
    codes = _Codes(np.zeros((2, 2), np.float32))
    slopes = np.array([[1, 2], [-100, 0]], np.float32)
    improve(codes, [0, 1], slopes, 0.01)
    sizes = np.sqrt(np.square(slopes).mean(axis=1, keepdims=True))
    np.testing.assert_allclose(codes.values, -0.01 * slopes / sizes, rtol=1e-5)
    before = codes.values.copy()
    improve(codes, [0], slopes[:1] * 3, 0.01)
    sizes[0] *= np.sqrt((1 + 9) / 2)  # the mean square of both visits
    moved = (codes.values - before)[0]
    np.testing.assert_allclose(moved, -0.01 * 3 * slopes[0] / sizes[0], rtol=1e-4)


def test_codes_are_the_same_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for threads in (1, 3, 64):
        monkeypatch.setattr(os, "cpu_count", lambda number=threads: number)
        made.append(encode(vectors(300), 64, 0, False, 0.004)[0])
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])


def kept_neighbors(directions: Matrix, bits: NDArray[np.bool_]) -> float:
    """Return how many of a word's 10 nearest words are among its 10 nearest codes."""
    signs = np.where(bits, 1, -1)
    found = np.argsort(-(signs @ signs.T), axis=1, kind="stable")[:, :11]
    expected = np.argsort(-(directions @ directions.T), axis=1)[:, 1:11]
    pairs = zip(found, expected, strict=True)
    return float(np.mean([len(np.intersect1d(*pair)) for pair in pairs]))


def test_training_brings_neighbors_nearer() -> None:
    """Fewer steps, fewer neighbors; one step is where the rotation left them."""
    source = directions(600)
    kept = []
    for effort in (1e-9, 0.003, 0.04):
        bits, settings = encode(source, 64, 0, False, effort)
        round_size = train.SETTINGS["groups"] * groups.SETTINGS["words"]
        visits = train.SETTINGS["fewest_visits"] * effort
        assert settings["rounds"] == max(1, round(visits / round_size))
        kept.append(kept_neighbors(source, bits))
    assert kept[0] + 0.5 < kept[1] < kept[2] - 0.5, kept


def test_cosines_near_1_are_no_obstacle() -> None:
    """They imply a p that no codes have; without a largest gain, the codes become random."""
    source = directions(600)
    assert kept_neighbors(source, encode(source, 64, 0, False, 0.2)[0]) > 5


def test_far_words_are_as_far_as_their_cosines_say() -> None:
    """About half is what comes out; with the near scale alone it is half of that."""
    signs = np.where(encode(vectors(200), 64, 0, False, 0.02)[0], 1, -1)
    _, far = all_cosines(source_of(200))
    assert spearmanr(off_diagonal(signs @ signs.T), off_diagonal(far)).statistic > 0.4
