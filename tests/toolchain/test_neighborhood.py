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

from brrkit_toolchain.codes import neighborhood
from brrkit_toolchain.codes.divergence import Batch, Scale, cosines, slopes, targets, temperature_of
from brrkit_toolchain.codes.neighborhood import _ahead, _Codes, _Source, encode
from brrkit_toolchain.codes.packing import pack
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.codes.vectors import LENGTH, integer_directions

Matrix = NDArray[np.float32]


def vectors(words: int, dimensions: int = 20) -> Matrix:
    generator = np.random.default_rng(6)
    found = generator.standard_normal((words, dimensions)) + 2 * generator.standard_normal(20)
    return found.astype(np.float32)


def off_diagonal(matrix: NDArray[Any]) -> NDArray[Any]:
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def source_of(words: int, shared: int) -> _Source:
    return _Source(integer_directions(vectors(words)), shared, Draws(1))


def batch_of(words: int) -> Batch:
    return source_of(words, 1).batch(np.arange(words))


def scales_of(batch: Batch) -> tuple[Scale, Scale]:
    """Scales with temperatures of 0.1 and 0.2, and a weight of 0.7 for far cosines."""
    near, far = cosines(batch)
    scales = Scale([near], perplexity=4, weight=1), Scale([far], perplexity=4, weight=0.7)
    scales[0].temperature, scales[1].temperature = 0.1, 0.2
    return scales


def random_signs(words: int, bits: int = 64) -> Matrix:
    draws = np.random.default_rng(0).integers(2, size=(words, bits))
    return (2 * draws - 1).astype(np.float32)


def packed(signs: Matrix) -> NDArray[np.uint64]:
    return np.ascontiguousarray(pack(signs > 0).T)


def shares(logits: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the softmax of each row and its logarithm, of all but the word itself."""
    others = np.where(np.eye(len(logits), dtype=np.bool_), -1e9, logits)
    return softmax(others, axis=1), log_softmax(others, axis=1)


def divergence(batch: Batch, gains: list[float], signs: NDArray[np.float64]) -> float:
    """The loss of both scales, but for a constant."""
    products = signs @ signs.T / signs.shape[1]
    total = 0.0
    for each, gain, temperature, weight in zip(
        cosines(batch), gains, (0.1, 0.2), (1, 0.7), strict=True
    ):
        p, _ = shares(each.astype(np.float64) / temperature)
        _, log_q = shares(gain * products)
        total -= weight * np.where(p > 0, p * log_q, 0).sum()
    return float(total)


def slopes_of(batch: Batch, signs: Matrix, judged: float) -> tuple[Matrix, list[float]]:
    """Return the slopes, and the gains that they are at."""
    scales = scales_of(batch)
    gains = [scale.gain for scale in scales]
    return slopes(packed(signs), signs, targets(batch, *scales), scales, judged), gains


@pytest.mark.parametrize("bits", [64, 192])
def test_slopes_and_curvatures_are_the_derivatives_of_the_divergence(bits: int) -> None:
    batch, signs = batch_of(30), random_signs(30, bits)
    first, gains = slopes_of(batch, signs, 0)
    judged, _ = slopes_of(batch, signs, 1)
    curvatures = (first - judged) * signs

    def loss(word: int, bit: int, by: float) -> float:
        moved = signs.astype(np.float64)
        moved[word, bit] += by
        return divergence(batch, gains, moved)

    misses, straight = [], []
    for word, bit in [(0, 0), (4, 9), (17, 63), (29, 31), (8, 2), (11, 40)]:
        here, up, down = (loss(word, bit, by) for by in (0, 0.01, -0.01))
        assert first[word, bit] == pytest.approx((up - down) / 0.02, rel=1e-3, abs=1e-4)
        second = (up - 2 * here + down) / 1e-4
        assert curvatures[word, bit] == pytest.approx(second, rel=1e-2)
        # What a flip changes the loss by, to second order and to first.
        sign = float(signs[word, bit])
        brought = loss(word, bit, -2 * sign) - here
        misses.append(abs(-2 * sign * judged[word, bit] - brought))
        straight.append(abs(-2 * sign * first[word, bit] - brought))
    assert sum(misses) < 0.1 * sum(straight)


def test_the_gain_goes_to_where_the_divergence_is_least() -> None:
    """Cosines that are the codes' products: the distributions are equal at a gain of 1."""
    signs = random_signs(40)
    products = (signs @ signs.T * (LENGTH**2 // 64)).astype(np.float32)
    batch = Batch(products, np.zeros((1, 40), np.float32), np.ones(40, np.float32))
    scales = (
        Scale([cosines(batch)[0]], perplexity=6, weight=1),
        Scale([cosines(batch)[1]], perplexity=9, weight=1),
    )
    wanted = targets(batch, *scales)
    for _ in range(2_000):
        slopes(packed(signs), signs, wanted, scales, 0)
    for scale in scales:
        assert scale.gain * scale.temperature == pytest.approx(1, rel=0.02)


def test_targets_are_the_softmax_of_cosines_over_the_temperature() -> None:
    batch = batch_of(50)
    scales = scales_of(batch)
    for found, each, scale in zip(targets(batch, *scales), cosines(batch), scales, strict=True):
        expected, _ = shares(each.astype(np.float64) / scale.temperature)
        np.testing.assert_allclose(found, expected, atol=2e-5)
        assert (np.diag(found) == 0).all()


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
    near, _ = cosines(batch_of(60))
    p, log_p = shares(near.astype(np.float64) / temperature_of([near], perplexity))
    entropies = -np.where(p > 0, p * log_p, 0).sum(axis=1)
    assert np.exp(entropies.mean()) == pytest.approx(perplexity, rel=0.01)


def test_far_cosines_are_those_without_the_shared_components() -> None:
    near, far = cosines(source_of(50, 2).batch(np.arange(50)))
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
    source = _Source(integer_directions((rows + 3).astype(np.float32)), 1, Draws(1))
    start = source.start(bits, Draws(2))
    assert start.std() == pytest.approx(neighborhood.SETTINGS["spread"], rel=1e-3)
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-3)
    spreads = start.std(axis=0)
    assert spreads.max() < 4 * spreads.min()
    _, far = cosines(source.batch(np.arange(400)))
    lengths = np.linalg.norm(start, axis=1)
    products = start @ start.T / np.outer(lengths, lengths)
    assert spearmanr(off_diagonal(products), off_diagonal(far)).statistic > 0.99


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
    codes.improve(np.array([0, 1]), slopes, 0.01)
    sizes = np.sqrt(np.square(slopes).mean(axis=1, keepdims=True))
    np.testing.assert_allclose(codes.values, -0.01 * slopes / sizes, rtol=1e-5)
    before = codes.values.copy()
    codes.improve(np.array([0]), slopes[:1] * 3, 0.01)
    sizes[0] *= np.sqrt((1 + 9) / 2)  # the mean square of both visits
    moved = (codes.values - before)[0]
    np.testing.assert_allclose(moved, -0.01 * 3 * slopes[0] / sizes[0], rtol=1e-4)


def test_a_words_scale_forgets_old_slopes() -> None:
    codes = _Codes(np.zeros((1, 2), np.float32))
    large, small = np.full((1, 2), 100, np.float32), np.full((1, 2), 1e-3, np.float32)
    codes.improve(np.array([0]), large, 0)
    for _ in range(3_000):
        codes.improve(np.array([0]), small, 0)
    codes.improve(np.array([0]), small, 0.25)
    np.testing.assert_allclose(codes.values, -0.25, rtol=1e-2)


def rings(*sizes: int, furthest: int = 40) -> list[NDArray[np.int32]]:
    """Levels where the neighbours of a word are the next ones around a ring."""
    ranks = np.arange(1, furthest + 1)
    return [((np.arange(size)[:, None] + ranks) % size).astype(np.int32) for size in sizes]


def test_frequent_words_are_in_batches_oftener() -> None:
    batches = neighborhood._Batches(rings(1_600, 400, 100), Draws(1))
    counts = np.zeros(1_600)
    for _ in range(900):
        rows = batches.take()
        assert (np.diff(rows) > 0).all()
        counts[rows] += 1
    tenths = counts.reshape(10, 160).sum(axis=1)
    assert all(earlier > 0.9 * later for earlier, later in pairwise(tenths))
    assert tenths[0] > 2 * tenths[-1]


def test_a_batch_is_of_one_level_and_all_words_come_thrice_as_often() -> None:
    batches = neighborhood._Batches(rings(16_000, 400, 50), Draws(2))
    largest = np.array([batches.take()[-1] for _ in range(2_000)])
    shares = [np.mean(largest >= 400), np.mean((largest < 400) & (largest >= 50))]
    np.testing.assert_allclose(shares, [0.6, 0.2], atol=0.04)  # 4 standard deviations


def test_every_octave_of_neighbours_comes_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a neighbour a seed the chance of rank r is log(1 + 1 / r) / log(1 + furthest)."""
    monkeypatch.setitem(neighborhood.SETTINGS, "seeds", 1)
    monkeypatch.setitem(neighborhood.SETTINGS, "neighbors", 1)
    batches = neighborhood._Batches(rings(10_000, furthest=63), Draws(3))
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
    rows = vectors(600)
    source = rows / np.linalg.norm(rows, axis=1, keepdims=True)
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
    signs = np.where(encode(vectors(200), 64, 0, False, 0.02)[0], 1, -1)
    _, far = cosines(batch_of(200))
    assert spearmanr(off_diagonal(signs @ signs.T), off_diagonal(far)).statistic > 0.7
