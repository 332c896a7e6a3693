"""The parts of the method `neighborhood`; test_codes.py tests what it makes."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from scipy.stats import spearmanr

from brr_toolchain.codes import neighborhood
from brr_toolchain.codes.divergence import (
    Distances,
    Scale,
    hamming,
    running_mean,
    temperature_of,
)
from brr_toolchain.codes.neighborhood import _ahead, _Codes, _Source, encode
from brr_toolchain.codes.packing import pack

Matrix = NDArray[np.float32]


def vectors(words: int, dimensions: int = 20) -> Matrix:
    generator = np.random.default_rng(6)
    found = generator.standard_normal((words, dimensions)) + 2 * generator.standard_normal(20)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def off_diagonal(matrix: NDArray[Any]) -> NDArray[Any]:
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def cosines_of(words: int) -> Matrix:
    return _Source(vectors(words), 1).cosines(np.arange(words))[0]


def random_signs(words: int, bits: int = 64) -> Matrix:
    draws = np.random.default_rng(0).integers(2, size=(words, bits))
    return (2 * draws - 1).astype(np.float32)


def distances_of(signs: Matrix) -> Distances:
    return hamming(np.ascontiguousarray(pack(signs > 0).T))


def divergence(cosines: Matrix, gain: float, products: NDArray[np.float64]) -> float:
    """The loss of a scale with a temperature of 0.1 and a weight of 0.7, but for a constant."""
    p = softmax(cosines.astype(np.float64) / 0.1, axis=1)
    logits = np.where(np.eye(len(cosines), dtype=np.bool_), -1e4, gain * products)
    return float(0.7 * -(p * log_softmax(logits, axis=1)).sum())


def scale_at(cosines: Matrix, weight: float, temperature: float) -> tuple[Scale, float]:
    """A scale of this temperature and its gain at the start."""
    scale = Scale([cosines], perplexity=4, weight=weight)
    scale.temperature = temperature
    return scale, scale.gain


def test_a_pull_is_the_slope_of_the_divergence() -> None:
    cosines = cosines_of(30)
    scale, gain = scale_at(cosines, weight=0.7, temperature=0.1)
    signs, pull = random_signs(30), np.zeros((30, 30), np.float32)
    products = (signs @ signs.T / 64).astype(np.float64)
    targets = scale.targets(cosines.copy())
    scale.pull(targets, distances_of(signs), signs, pull)
    for i, j in [(0, 1), (5, 3), (29, 12)]:
        step = np.zeros((30, 30))
        step[i, j] = 1e-4
        slope = divergence(cosines, gain, products + step)
        slope = (slope - divergence(cosines, gain, products - step)) / 2e-4
        assert pull[i, j] == pytest.approx(slope, rel=1e-3, abs=1e-5)


def test_slope_and_curvature_say_what_a_flip_brings() -> None:
    """The second derivative to a sign, and that the two are what a flip changes the loss by."""
    cosines = cosines_of(30)
    scale, gain = scale_at(cosines, weight=0.7, temperature=0.1)
    signs = random_signs(30)
    pull = np.zeros((30, 30), np.float32)
    targets = scale.targets(cosines.copy())
    curvatures = scale.pull(targets, distances_of(signs), signs, pull)
    slopes = (pull + pull.T) @ signs / 64

    def loss(word: int, bit: int, by: float) -> float:
        moved = signs.astype(np.float64)
        moved[word, bit] += by
        return divergence(cosines, gain, moved @ moved.T / 64)

    misses, straight = [], []
    for word, bit in [(0, 0), (4, 9), (17, 63), (29, 31), (8, 2), (11, 40)]:
        here = loss(word, bit, 0)
        second = (loss(word, bit, 0.01) - 2 * here + loss(word, bit, -0.01)) / 1e-4
        assert curvatures[word, bit] == pytest.approx(second, rel=1e-2)
        sign = float(signs[word, bit])
        brought = loss(word, bit, -2 * sign) - here
        promised = -2 * sign * slopes[word, bit]
        misses.append(abs(promised + 2 * curvatures[word, bit] - brought))
        straight.append(abs(promised - brought))
    assert sum(misses) < 0.1 * sum(straight)


def test_the_gain_goes_to_where_the_divergence_is_least() -> None:
    """Cosines that are the codes' products: the distributions are equal at a gain of 1."""
    signs = random_signs(40)
    cosines = (signs @ signs.T / 64).astype(np.float32)
    np.fill_diagonal(cosines, -1e4)
    scale = Scale([cosines], perplexity=6, weight=1)
    targets, distances = scale.targets(cosines.copy()), distances_of(signs)
    for _ in range(2_000):
        scale.pull(targets, distances, signs, np.zeros((40, 40), np.float32))
    assert scale.gain * scale.temperature == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("bits", [64, 192])
def test_distances_are_hamming_s_and_a_word_is_beyond_all_from_itself(bits: int) -> None:
    signs = random_signs(20, bits)
    distances = distances_of(signs)
    expected = (bits - signs @ signs.T) / 2
    np.testing.assert_array_equal(off_diagonal(distances), off_diagonal(expected))
    assert (np.diag(distances) == 2 * bits + 1).all()


def test_batches_made_ahead_come_in_order_and_their_errors_are_raised() -> None:
    numbers = iter(range(100))
    assert list(_ahead(lambda: next(numbers), 5)) == [0, 1, 2, 3, 4]
    assert next(numbers) == 5
    with pytest.raises(ZeroDivisionError):
        list(_ahead(lambda: 1 // 0, 2))


@pytest.mark.parametrize("never", [1, 2])
def test_nobody_waits_for_the_thread_that_makes_batches(never: int) -> None:
    """It is in the midst of a batch that doesn't end, or about to begin it."""
    numbers = iter(range(100))
    block = threading.Event()
    rescue = threading.Timer(60, block.set)  # for a version that does wait
    rescue.start()

    def make() -> int:
        number = next(numbers)
        if number == never:
            block.wait()
        return number

    batches = _ahead(make, 50)
    assert [next(batches) for _ in range(never)] == list(range(never))
    batches.close()  # type: ignore[attr-defined]
    assert not block.is_set()
    rescue.cancel()
    block.set()


@pytest.mark.parametrize("perplexity", [3.0, 12.0])
def test_temperature_gives_the_perplexity(perplexity: float) -> None:
    cosines = cosines_of(60)
    p = softmax(cosines.astype(np.float64) / temperature_of([cosines], perplexity), axis=1)
    entropies = -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
    assert np.exp(entropies.mean()) == pytest.approx(perplexity, rel=0.01)


def test_far_cosines_are_those_without_the_shared_components() -> None:
    directions = vectors(50)
    near, far = _Source(directions, 2).cosines(np.arange(50))
    np.testing.assert_allclose(
        off_diagonal(near), off_diagonal(directions @ directions.T), atol=1e-5
    )
    left, sizes, right = np.linalg.svd(directions, full_matrices=False)
    rest = (left[:, 2:] * sizes[2:]) @ right[2:]
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    np.testing.assert_allclose(off_diagonal(far), off_diagonal(rest @ rest.T), atol=1e-4)


def test_a_step_moves_the_rows_of_the_batch_only() -> None:
    z = np.random.default_rng(3).uniform(-1, 1, (10, 64)).astype(np.float32)
    codes = _Codes(z.copy())
    rows = np.array([2, 5])
    codes.improve(rows, np.ones((2, 64), np.float32), 0.05)
    changed = np.flatnonzero((codes.values != np.clip(z, -1, 1)).any(axis=1))
    assert changed.tolist() == [2, 5]
    np.testing.assert_allclose(codes.values[rows], np.clip(z[rows] - 0.05, -1, 1), atol=1e-4)


def test_steps_are_in_proportion_within_a_word_and_not_between_words() -> None:
    codes = _Codes(np.zeros((2, 2), np.float32))
    slopes = np.array([[1, 2], [-100, 0]], np.float32)
    codes.improve(np.array([0, 1]), slopes.copy(), 0.01)
    sizes = np.sqrt(np.square(slopes).mean(axis=1, keepdims=True))
    np.testing.assert_allclose(codes.values, -0.01 * slopes / sizes, rtol=1e-5)
    before = codes.values.copy()
    codes.improve(np.array([0]), slopes[:1] * 3, 0.01)
    sizes[0] *= np.sqrt((1 + 9) / 2)  # the mean square of both visits
    moved = (codes.values - before)[0]
    np.testing.assert_allclose(moved, -0.01 * 3 * slopes[0] / sizes[0], rtol=1e-4)


def test_arunning_mean_is_of_all_at_first_and_forgets_later() -> None:
    mean = 0.0
    for times, new in enumerate([4.0, 2.0, 6.0], 1):
        mean = float(running_mean(mean, new, times))
    assert mean == pytest.approx(4)
    for times in range(4, 2_000):
        mean = float(running_mean(mean, 1.0, times))
    assert mean == pytest.approx(1, abs=1e-4)


def rings(*sizes: int, furthest: int = 40) -> list[NDArray[np.int32]]:
    """Levels where the neighbours of a word are the next ones around a ring."""
    ranks = np.arange(1, furthest + 1)
    return [((np.arange(size)[:, None] + ranks) % size).astype(np.int32) for size in sizes]


def test_frequent_words_are_in_batches_oftener() -> None:
    batches = neighborhood._Batches(rings(1_600, 400, 100), np.random.default_rng(1))
    counts = np.zeros(1_600)
    for _ in range(900):
        rows = batches.take()
        assert (np.diff(rows) > 0).all()
        counts[rows] += 1
    tenths = counts.reshape(10, 160).sum(axis=1)
    assert all(earlier > 0.9 * later for earlier, later in pairwise(tenths))
    assert tenths[0] > 2 * tenths[-1]


def test_a_batch_is_of_one_level_and_all_words_come_thrice_as_often() -> None:
    batches = neighborhood._Batches(rings(16_000, 400, 50), np.random.default_rng(2))
    largest = np.array([batches.take()[-1] for _ in range(2_000)])
    shares = [np.mean(largest >= 400), np.mean((largest < 400) & (largest >= 50))]
    np.testing.assert_allclose(shares, [0.6, 0.2], atol=0.04)  # 4 standard deviations


def test_every_octave_of_neighbours_comes_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a neighbour a seed the chance of rank r is log(1 + 1 / r) / log(1 + furthest)."""
    monkeypatch.setitem(neighborhood.SETTINGS, "seeds", 1)
    monkeypatch.setitem(neighborhood.SETTINGS, "neighbors", 1)
    batches = neighborhood._Batches(rings(10_000, furthest=63), np.random.default_rng(3))
    drawn = [np.diff(batches.take())[0] for _ in range(6_000)]
    ranks = np.minimum(drawn, 10_000 - np.array(drawn))  # around the ring
    octaves = np.bincount(np.log2(ranks).astype(np.int64), minlength=6) / len(ranks)
    np.testing.assert_allclose(octaves, 1 / 6, atol=0.02)  # 4 standard deviations
    assert ranks.max() == 63


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
    assert neighborhood._level_sizes(words) == sizes


def test_training_brings_neighbours_nearer() -> None:
    """Fewer steps, fewer neighbours; one step is where the rotation left them."""
    source = vectors(600)
    expected = np.argsort(-(source @ source.T), axis=1)[:, 1:11]
    overlaps = []
    for effort in (1e-9, 0.003, 0.04):
        bits, settings = encode(source, 64, 0, False, effort)
        assert settings["steps"] == max(1, round(neighborhood.SETTINGS["fewest_steps"] * effort))
        signs = np.where(bits, 1, -1)
        found = np.argsort(-(signs @ signs.T), axis=1, kind="stable")[:, :11]
        rows = zip(found, expected, strict=True)
        overlaps.append(np.mean([len(np.intersect1d(*row)) for row in rows]))
    assert overlaps[0] + 0.5 < overlaps[1] < overlaps[2] - 0.5, overlaps


def test_far_words_are_as_far_as_their_cosines_say() -> None:
    """0.84 is what comes out; with the near scale alone it is 0.34."""
    source = vectors(200)
    signs = np.where(encode(source, 64, 0, False, 0.02)[0], 1, -1)
    _, far = _Source(source, 1).cosines(np.arange(200))
    assert spearmanr(off_diagonal(signs @ signs.T), off_diagonal(far)).statistic > 0.7
