"""Distance statistics against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from bundle_tools import brute_force_distances
from numpy.typing import NDArray

from brrkit_toolchain.channel.privacy_loss import distances
from brrkit_toolchain.channel.privacy_loss.distances import (
    euclidean_distances,
    measure_distances,
)

Floats = NDArray[np.float32]
Codes = NDArray[np.uint64]


def random_set(words: int, seed: int, bits: int = 128, dimensions: int = 7) -> tuple[Floats, Codes]:
    """Return vectors and codes of which some come several times."""
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((words, dimensions)).astype(np.float32) + 3
    codes = generator.integers(0, 2**64, (words, bits // 64), np.uint64)
    twice = generator.integers(0, words, (2, words // 3))
    vectors[twice[0]] = vectors[twice[1]]
    codes[twice[0]] = codes[twice[1]]
    return vectors, codes


def euclidean_pairs(vectors: Floats) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    return np.linalg.norm(wide[:, None] - wide[None], axis=2)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("words", "bits"), [(2, 64), (3, 512), (61, 128), (200, 256)])
def test_equals_brute_force(words: int, bits: int, seed: int) -> None:
    vectors, codes = random_set(words, seed, bits)
    measured = measure_distances(vectors, codes, progress=False)
    hamming, euclidean = brute_force_distances(codes), euclidean_pairs(vectors)
    # Equations 6 and 7: over all ordered pairs, a word with itself among them.
    assert measured.hamming.average == pytest.approx(hamming.sum() / words**2, rel=1e-12)
    assert measured.hamming.maximum == hamming.max()
    assert measured.euclidean.average == pytest.approx(euclidean.sum() / words**2, rel=1e-4)
    assert measured.euclidean.maximum == pytest.approx(euclidean.max(), rel=1e-4)
    for statistics in (measured.hamming, measured.euclidean):
        assert statistics.exact
        assert statistics.average_error == 0


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, _ = random_set(200, 1)
    whole = euclidean_distances(vectors)
    monkeypatch.setattr(distances, "_ROWS_AT_A_TIME", 33)
    monkeypatch.setattr(distances, "_COLUMNS_AT_A_TIME", 64)
    parts = euclidean_distances(vectors)
    assert parts.average == pytest.approx(whole.average, rel=1e-6)
    assert parts.maximum == pytest.approx(whole.maximum, rel=1e-6)


def test_far_from_the_origin() -> None:
    vectors, codes = random_set(100, 2)
    vectors += 1000  # squared norms of a million would drown squared distances near one
    measured = measure_distances(vectors, codes, progress=False)
    expected = euclidean_pairs(vectors)
    assert measured.euclidean.average == pytest.approx(expected.mean(), rel=1e-3)
    assert measured.euclidean.maximum == pytest.approx(expected.max(), rel=1e-3)


@pytest.mark.parametrize("dimensions", [1, 3, 100])
def test_vectors_of_very_different_lengths(dimensions: int) -> None:
    """Whatever the longest is, the others' distances are right; some directions are the same."""
    generator = np.random.default_rng(3)
    vectors = generator.normal(size=(702, dimensions)) * 10 ** generator.uniform(-3, 0, (702, 1))
    vectors[0], vectors[1] = 1e4, -1e4
    for some in (vectors, vectors[2:]):
        measured = euclidean_distances(some.astype(np.float32))
        expected = euclidean_pairs(some.astype(np.float32))
        assert measured.average == pytest.approx(expected.mean(), rel=1e-4)
        assert measured.maximum == pytest.approx(expected.max(), rel=1e-4)


def directions(words: int, dimensions: int) -> NDArray[np.float64]:
    drawn = np.random.default_rng(5).standard_normal((words, dimensions))
    found: NDArray[np.float64] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


class TestFarthest:
    @pytest.fixture(autouse=True)
    def small_tiles(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(distances, "_COLUMNS_AT_A_TIME", 20)
        monkeypatch.setattr(distances, "_MOST_PAIRS", 20_000)

    def test_lengths_rule_out_most_pairs(self) -> None:
        lengths = np.random.default_rng(6).lognormal(size=(1_000, 1))
        vectors = (directions(1_000, 30) * lengths).astype(np.float32)
        measured = euclidean_distances(vectors)
        assert measured.exact
        assert measured.maximum == pytest.approx(euclidean_pairs(vectors).max(), rel=1e-5)

    def test_of_equal_lengths_it_is_the_largest_seen(self) -> None:
        vectors = directions(1_000, 30).astype(np.float32)
        measured, truth = euclidean_distances(vectors), euclidean_pairs(vectors).max()
        assert not measured.exact
        assert 0.9 * truth < measured.maximum <= truth * (1 + 1e-5)


class TestSampled:
    @pytest.fixture(autouse=True)
    def small_limits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(distances, "EXACT_UP_TO", 500)
        monkeypatch.setattr(distances, "_SAMPLED_CODES", 100)
        monkeypatch.setattr(distances, "_AVERAGED_UP_TO", 500)
        monkeypatch.setattr(distances, "_AVERAGED_WORDS", 100)

    def test_up_to_the_limit_all_pairs_are_visited(self) -> None:
        measured = measure_distances(*random_set(500, 0), progress=False)
        assert measured.hamming.exact
        assert measured.euclidean.average_error == 0

    def test_hamming_average_is_exact_all_the_same(self) -> None:
        vectors, codes = random_set(600, 0)
        measured = measure_distances(vectors, codes, progress=False)
        expected = brute_force_distances(codes)
        assert not measured.hamming.exact
        assert measured.hamming.average == pytest.approx(expected.mean(), rel=1e-12)
        assert measured.hamming.average_error == 0
        assert measured.hamming.maximum <= expected.max()

    def test_maximum_is_the_largest_seen_from_the_sample(self) -> None:
        vectors, codes = random_set(600, 0)
        rows = np.sort(np.random.default_rng(4).choice(600, 100, replace=False))
        measured = measure_distances(vectors, codes, seed=4, progress=False)
        assert measured.hamming.maximum == brute_force_distances(codes)[rows].max()

    def test_error_bars_cover_the_truth_and_are_no_wider_than_needed(self) -> None:
        # At 95% each, fewer than 270 of 300 samples covering has a probability below 1e-3.
        vectors, _ = random_set(600, 7)
        truth = euclidean_pairs(vectors).mean()
        measured = [euclidean_distances(vectors, seed=seed) for seed in range(300)]
        averages = np.array([statistics.average for statistics in measured])
        errors = np.array([statistics.average_error for statistics in measured])
        assert (abs(averages - truth) <= errors).sum() >= 270
        assert 0.8 < errors.mean() / (1.96 * averages.std(ddof=1)) < 1.25
        # Unbiased: the mean of 300 lies within 4 standard errors (probability 6e-5 otherwise).
        assert abs(averages.mean() - truth) < 4 * averages.std(ddof=1) / np.sqrt(300)

    def test_lengths_leave_little_to_estimate(self) -> None:
        lengths = np.random.default_rng(8).lognormal(sigma=0.5, size=(600, 1))
        vectors = (directions(600, 30) * lengths).astype(np.float32)
        plain = euclidean_pairs(vectors).mean(axis=1).std() * 1.96 / np.sqrt(100)
        assert euclidean_distances(vectors).average_error < plain / 5

    def test_same_seed_same_sample(self) -> None:
        vectors, codes = random_set(600, 7)
        first, again = (measure_distances(vectors, codes, seed=9, progress=False) for _ in "12")
        other = measure_distances(vectors, codes, seed=10, progress=False)
        assert first == again
        assert first.euclidean.average != other.euclidean.average
