"""The full-size mechanisms, on float vectors: their noise, and what comes out of it.

Statistical tests are seeded; each threshold is the probability with which a right implementation
would fail it under a seed drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from brrkit import ParameterError
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import make_prior
from brrkit_toolchain.channel import FULL_SIZE, Channel
from brrkit_toolchain.channel.drawing.full_size import (
    Laplace,
    Mahalanobis,
    VectorSearch,
    VectorVickrey,
    _most_probable,
    choose,
    laplace_at_each,
    laplace_noise,
)
from brrkit_toolchain.channel.drawing.on_codes import bundle_of

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


def test_laplace_at_each_releases_the_nearest_under_the_same_noise() -> None:
    generator = np.random.default_rng(4)
    vectors = generator.standard_normal((2_500, 5)).astype(np.float32)
    ids, epsilons = generator.integers(0, len(vectors), 300), (0.5, 3.0, 20.0)
    noise = laplace_noise((len(ids), 5), 1.0, np.random.default_rng(5)).astype(np.float64)
    released = laplace_at_each(vectors, ids, epsilons, np.random.default_rng(5))
    for epsilon, outputs in zip(epsilons, released, strict=True):
        noised = vectors[ids] + noise / epsilon
        distances = np.linalg.norm(noised[:, None] - vectors, axis=2)
        assert (distances.argmin(axis=1) == outputs).mean() > 0.995  # the rest are nearly equal
        np.testing.assert_allclose(
            distances[np.arange(len(ids)), outputs], distances.min(axis=1), rtol=1e-4
        )


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


class TestLaplace:
    vectors = np.random.default_rng(0).standard_normal((500, 20)).astype(np.float32)
    ids = np.arange(500)

    def run(self, epsilon: float, seed: int = 0) -> np.ndarray:
        return Laplace(self.vectors, epsilon, np.random.default_rng(seed))(self.ids)

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

    @pytest.mark.parametrize("count", [0, 1, 4_097])
    def test_any_number_of_words(self, count: int) -> None:
        """Little noise changes none: its radius is 20 / 1e4, and words are more than 1 apart."""
        ids = np.arange(count) % 500
        released = Laplace(self.vectors, 1e4, np.random.default_rng(0))(ids)
        assert np.array_equal(released, ids)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestMahalanobis:
    # Columns of very different spread, rotated: a covariance that is neither diagonal nor round.
    spread = np.array([0.2, 0.5, 1.0, 2.0, 4.0, 1.5])
    vectors = (
        (rng(8).standard_normal((400, 6)) * spread)
        @ np.linalg.qr(rng(9).standard_normal((6, 6)))[0]
    ).astype(np.float32)
    ids = np.arange(5_000) % 400

    def shape(self, lambda_: float) -> NDArray[np.float64]:
        """S, from the definition."""
        covariance = np.cov(self.vectors.astype(np.float64).T)
        return lambda_ * 6 * covariance / np.trace(covariance) + (1 - lambda_) * np.eye(6)

    def test_lambda_0_is_laplace(self) -> None:
        elliptical = Mahalanobis(self.vectors, 3.0, rng(1), 0.0)
        assert np.allclose(
            elliptical.noised(self.ids),
            Laplace(self.vectors, 3.0, rng(1)).noised(self.ids),
            atol=1e-5,
        )

    @pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
    def test_noise_is_laplace_in_the_metric(self, lambda_: float) -> None:
        epsilon = 2.0
        noised = Mahalanobis(self.vectors, epsilon, rng(2), lambda_).noised(self.ids)
        noise = (noised - self.vectors[self.ids]).astype(np.float64)
        # With S = L L^T, ||L^-1 z|| is the metric's length of z, and directions are uniform there.
        whitened = np.linalg.solve(np.linalg.cholesky(self.shape(lambda_)), noise.T).T
        radii = np.linalg.norm(whitened, axis=1)
        rate = FALSE_ALARM_RATE / 7
        assert stats.kstest(radii, stats.gamma(6, scale=1 / epsilon).cdf).pvalue > rate
        for coordinate in (whitened / radii[:, None]).T:
            assert stats.kstest(coordinate**2, stats.beta(0.5, 2.5).cdf).pvalue > rate

    @pytest.mark.parametrize("lambda_", [0.0, 0.6, 1.0])
    def test_distances(self, lambda_: float) -> None:
        left, right = self.vectors[:50], self.vectors[50:100]
        away = (left - right).astype(np.float64)
        expected = np.sqrt(np.einsum("ij,jk,ik->i", away, np.linalg.inv(self.shape(lambda_)), away))
        metric = Mahalanobis(self.vectors, 1.0, rng(), lambda_)
        assert np.allclose(metric.distances(left, right), expected, rtol=1e-4)

    def test_output_is_the_nearest_word_by_euclidean_distance(self) -> None:
        ids = self.ids[:2_000]
        noised = Mahalanobis(self.vectors, 5.0, rng(4)).noised(ids)
        away = np.linalg.norm(noised[:, None] - self.vectors[None], axis=2)
        released = Mahalanobis(self.vectors, 5.0, rng(4))(ids)
        assert np.array_equal(released, away.argmin(axis=1))

    @pytest.mark.parametrize("lambda_", [-0.1, 1.1, float("nan")])
    def test_bad_lambda(self, lambda_: float) -> None:
        with pytest.raises(ParameterError, match="lambda must be a number from 0 to 1"):
            Mahalanobis(self.vectors, 1.0, rng(), lambda_)


class TestChoose:
    """Which of the nearest words; Vickrey, Algorithms 1 and 3."""

    @pytest.mark.parametrize(
        ("distances", "t", "expected"),
        [
            ((1.0, 3.0), 0.0, [1, 0]),
            ((1.0, 3.0), 1.0, [0, 1]),
            ((1.0, 3.0), 0.5, [3 / 4, 1 / 4]),  # (1 - t) d2 : t d1
            ((2.0, 3.0), 0.2, [2.4 / 2.8, 0.4 / 2.8]),
            ((0.0, 3.0), 0.5, [1, 0]),
            ((0.0, 0.0), 0.3, [0.7, 0.3]),
            ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), [1 / 3, 1 / 3, 1 / 3]),
            ((1.0, 2.0, 3.0), (1.0, 1.0, 1.0), [0.66524, 0.24473, 0.09003]),  # softmax
            ((1.0, 2.0, 3.0), (900.0, 0.0, 900.0), [0, 1, 0]),
            ((5.0,), (2.0,), [1]),
        ],
    )
    def test_probabilities(
        self, distances: Sequence[float], t: float | Sequence[float], expected: list[float]
    ) -> None:
        draws = 20_000
        ranks = choose(np.tile(distances, (draws, 1)), t, rng(5))
        counts = np.bincount(ranks, minlength=len(distances))
        for count, probability in zip(counts.tolist(), expected, strict=True):
            assert stats.binomtest(count, draws, probability).pvalue > FALSE_ALARM_RATE / 3


class TestVectorVickrey:
    vectors = rng(0).standard_normal((300, 10)).astype(np.float32)
    ids = np.arange(3_000) % 300

    def near(self, k: int) -> NDArray[np.int64]:
        noised = Laplace(self.vectors, 6.0, rng(1)).noised(self.ids)
        return VectorSearch(self.vectors).nearest(noised, k)[0]

    @pytest.mark.parametrize(("t", "rank"), [(0.0, 0), (1.0, 1), ((900.0, 900.0, 0.0), 2)])
    def test_takes_the_rank(self, t: Any, rank: int) -> None:
        released = VectorVickrey(self.vectors, 6.0, rng(1), t)(self.ids)
        assert np.array_equal(released, self.near(3)[:, rank])

    def test_the_input_is_a_candidate(self) -> None:
        # Noise of radius 1/1000: the input is nearest, and the next word more than 1 away.
        assert np.array_equal(VectorVickrey(self.vectors, 1e4, rng(), 0.5)(self.ids), self.ids)


class TestMakeBatched:
    codes = rng(0).integers(0, 2**64, (300, 2), np.uint64)
    vectors = rng(0).standard_normal((300, 10)).astype(np.float32)

    @pytest.mark.parametrize("name", [*MECHANISMS, *FULL_SIZE])
    def test_makes_every_mechanism(self, name: str) -> None:
        mechanism = Channel(bundle_of(self.codes), Setting(1.0, name), self.vectors).releaser(rng())
        assert set(mechanism(np.arange(50)).tolist()) <= set(range(300))

    @pytest.mark.parametrize(
        ("name", "parameters", "message"),
        [
            ("laplas", {}, "there is no such mechanism; choose one of: brr, "),
            ("brr", {"t": 0.5}, "'brr' has no parameter 't'; it takes none"),
            ("laplace-vickrey", {"lambda_": 1}, "has no parameter 'lambda_'; it takes t"),
            ("vickrey", {"t": float("nan")}, "t must be a number from 0 to 1"),
            ("vickrey", {"t": ()}, "t must be a number from 0 to 1"),
            ("laplace-vickrey", {"t": (1.0, -1.0)}, "or a list of k numbers >= 0"),
            ("laplace-vickrey", {"t": (0.0,) * 301}, "larger than the vocabulary"),
        ],
    )
    def test_bad_parameters(self, name: str, parameters: dict[str, Any], message: str) -> None:
        with pytest.raises(ParameterError) as caught:
            Channel(bundle_of(self.codes), Setting(1.0, name, parameters), self.vectors).releaser(
                rng()
            )
        assert message in str(caught.value)

    @pytest.mark.parametrize("name", FULL_SIZE)
    def test_full_size_needs_vectors_and_an_epsilon(self, name: str) -> None:
        with pytest.raises(ParameterError, match="works on vectors"):
            Channel(bundle_of(self.codes), Setting(1.0, name)).releaser(rng())
        for epsilon in (0.0, -1.0, float("inf"), float("nan")):
            channel = Channel(bundle_of(self.codes), Setting(epsilon, name), self.vectors)
            with pytest.raises(ParameterError, match="epsilon must be a"):
                channel.releaser(rng())(np.arange(3))


def test_most_probable() -> None:
    vectors = rng().standard_normal((300, 8)).astype(np.float32)
    noised = vectors + laplace_noise((300, 8), 3.0, rng(1))
    own = make_prior("frequencies", 300)
    d = np.linalg.norm(noised[:, None].astype(np.float64) - vectors[None], axis=2)
    expected = (np.log(own) - 3.0 * d).argmax(axis=1)
    assert (_most_probable(noised, vectors, 3.0, own) == expected).mean() > 0.99  # float32
