"""The full-size mechanism: multivariate Laplace noise on the vectors.

Statistical tests are seeded; each threshold is the probability with which a right implementation
would fail it under a seed drawn at random.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from brr_toolchain.mechanisms.laplace import Laplace, laplace_noise

FALSE_ALARM_RATE = 1e-4


@pytest.mark.parametrize("dimensions", [1, 3, 50, 300])
@pytest.mark.parametrize("epsilon", [0.5, 10.0])
def test_radius_is_gamma_distributed(dimensions: int, epsilon: float) -> None:
    noise = laplace_noise((5_000, dimensions), epsilon, np.random.default_rng(1))
    radii = np.linalg.norm(noise.astype(np.float64), axis=1)
    test = stats.kstest(radii, stats.gamma(dimensions, scale=1 / epsilon).cdf)
    assert test.pvalue > FALSE_ALARM_RATE


@pytest.mark.parametrize("dimensions", [2, 3, 20])
def test_direction_is_uniform(dimensions: int) -> None:
    noise = laplace_noise((5_000, dimensions), 2.0, np.random.default_rng(2)).astype(np.float64)
    directions = noise / np.linalg.norm(noise, axis=1, keepdims=True)
    # The square of a coordinate of a uniform direction is Beta(1/2, (d - 1)/2); so it is along
    # any axis, and each sign is as likely.
    beta = stats.beta(0.5, (dimensions - 1) / 2)
    axes = np.linalg.qr(np.random.default_rng(3).standard_normal((dimensions, dimensions)))[0]
    for axis in np.vstack([np.eye(dimensions)[:2], axes[:2]]):
        along = directions @ axis
        assert stats.kstest(along**2, beta.cdf).pvalue > FALSE_ALARM_RATE / 4
        positive = int((along > 0).sum())
        assert stats.binomtest(positive, 5_000).pvalue > FALSE_ALARM_RATE / 4


def test_direction_and_radius_are_independent() -> None:
    noise = laplace_noise((5_000, 4), 1.0, np.random.default_rng(4)).astype(np.float64)
    radii = np.linalg.norm(noise, axis=1)
    test = stats.spearmanr(radii, np.abs(noise[:, 0]) / radii)
    assert test.pvalue > FALSE_ALARM_RATE


def test_density_falls_by_e_to_epsilon_per_unit() -> None:
    # In one dimension the density at distance r is (epsilon / 2) e^(-epsilon r): the counts of
    # two bins one unit apart have ratio e^epsilon. Conditionally on their sum the count of the
    # nearer bin is binomial.
    epsilon = 1.5
    noise = laplace_noise((200_000, 1), epsilon, np.random.default_rng(5))[:, 0]
    near = int(((noise > 0.2) & (noise < 0.4)).sum())
    far = int(((noise > 1.2) & (noise < 1.4)).sum())
    share = np.exp(epsilon) / (1 + np.exp(epsilon))
    assert far > 1_000
    assert stats.binomtest(near, near + far, share).pvalue > FALSE_ALARM_RATE


def test_rows_are_independent() -> None:
    noise = laplace_noise((5_000, 3), 1.0, np.random.default_rng(6))
    assert len(np.unique(noise, axis=0)) == 5_000
    assert stats.pearsonr(noise[:-1, 0], noise[1:, 0]).pvalue > FALSE_ALARM_RATE


class TestMechanism:
    vectors = np.random.default_rng(0).standard_normal((500, 20)).astype(np.float32)
    ids = np.arange(500)

    def run(self, epsilon: float, seed: int = 0) -> np.ndarray:
        return Laplace(self.vectors, epsilon, np.random.default_rng(seed))(self.ids)

    def test_little_noise_changes_no_word(self) -> None:
        # Noise has radius 20 / 1e4 on average; the closest two words are more than 1 apart.
        assert np.array_equal(self.run(1e4), self.ids)

    def test_much_noise_changes_nearly_every_word(self) -> None:
        # At radius 2,000 the input is forgotten; if all outputs were equally likely, each word
        # would stay with probability 1/500. More than 20 of 500: below 1e-9 even at five times.
        assert (self.run(0.01) == self.ids).sum() <= 20

    def test_more_epsilon_keeps_more_words(self) -> None:
        kept = [(self.run(epsilon) == self.ids).mean() for epsilon in (0.5, 5.0, 10.0, 50.0)]
        assert kept == sorted(kept)
        assert kept[0] < 0.1
        assert kept[-1] > 0.9

    def test_output_is_the_nearest_word_to_the_noised_vector(self) -> None:
        noise = laplace_noise(self.vectors.shape, 8.0, np.random.default_rng(3))
        away = (self.vectors + noise)[:, None].astype(np.float64) - self.vectors[None]
        expected = np.linalg.norm(away, axis=2).argmin(axis=1)
        assert np.array_equal(self.run(8.0, seed=3), expected)

    def test_seeded_draws_repeat_and_successive_draws_do_not(self) -> None:
        mechanism = Laplace(self.vectors, 5.0, np.random.default_rng(1))
        first, second = mechanism(self.ids), mechanism(self.ids)
        assert np.array_equal(first, self.run(5.0, seed=1))
        assert not np.array_equal(first, second)

    @pytest.mark.parametrize("count", [0, 1, 4_096, 4_097])
    def test_any_number_of_words(self, count: int) -> None:
        ids = np.arange(count) % 500
        released = Laplace(self.vectors, 1e4, np.random.default_rng(0))(ids)
        assert np.array_equal(released, ids)
