"""Inference error (Vickrey, equation 4): exact, and from draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import ParameterError
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.language.word_sample import sample_words
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from research.papers.inference_error import (
    error_of,
    exact_inference_error,
    inference_error,
    utility_loss,
)
from research.papers.labels import mismatch


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def ids(*values: int) -> NDArray[np.intp]:
    return np.array(values, np.intp)


F = [[Fraction(n, 10) for n in row] for row in ([5, 2, 2, 1, 0], [1, 6, 1, 2, 0], [0, 2, 3, 5, 0])]
PRIOR = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
SECRETS = ids(1, 3, 4)  # of five words


def brute_force() -> tuple[Fraction, Fraction]:
    """Equations 4 and 2, term by term, with Bayes' rule for equation 3; a wrong word costs 1."""
    error, cost = Fraction(0), Fraction(0)
    for i, w in enumerate(SECRETS.tolist()):
        for y in range(5):
            cost += PRIOR[i] * F[i][y] * (w != y)
            total = sum(PRIOR[k] * F[k][y] for k in range(3))
            for j, guess in enumerate(SECRETS.tolist()):
                if total:
                    error += PRIOR[i] * F[i][y] * (PRIOR[j] * F[j][y] / total) * (w != guess)
    return error, cost


class TestExactInference:
    f = np.array(F, np.float64)
    prior = np.array(PRIOR, np.float64)

    @pytest.mark.parametrize("block", [1, 2, 100])
    def test_against_fractions(self, block: int) -> None:
        error, _ = brute_force()
        columns = [self.f[:, start : start + block] for start in range(0, 5, block)]
        found = exact_inference_error(self.prior, columns)
        assert found == pytest.approx(float(error), rel=1e-12)


class TestSampledInference:
    def test_by_hand(self) -> None:
        # Output 5 came from 0, 0 and 1: the draws' losses to the others are 1/2, 1/2 and 1; output
        # 6 came from 1 and 2.
        found = inference_error(ids(0, 0, 1, 1, 2), ids(5, 5, 5, 6, 6))
        assert found.estimate.value == pytest.approx((3 * 2 / 3 + 2) / 5)
        assert found.single == 0

    def test_outputs_that_came_once(self) -> None:
        # Inputs are 0 to 3. Output 3 is one of them and came once: it counts like output 1, which
        # came twice, from 0 and 1 (loss 1). Outputs 9 and 8 are none: they count like 7, from 2
        # and 2 (loss 0).
        found = inference_error(ids(0, 1, 3, 2, 2, 0, 1), ids(1, 1, 3, 7, 7, 9, 8))
        assert found.estimate.value == pytest.approx((2 + 1) / 7)
        assert found.single == pytest.approx(3 / 7)

    def test_no_two_equal_outputs(self) -> None:
        with pytest.raises(ParameterError, match="no two draws had the same output"):
            inference_error(ids(0, 1, 2), ids(3, 4, 5))

    @pytest.mark.parametrize("draws", [40, 1_000])
    def test_intervals_hold_the_truth(self, draws: int) -> None:
        # 95% each; fewer than 175 of 200 has probability below 10^-5.
        f, prior, generator = np.array(F, np.float64), np.array(PRIOR, np.float64), rng(3)
        truth, cost = exact_inference_error(prior, [f]), float(brute_force()[1])
        held, estimates, costs = 0, [], 0
        for _ in range(200):
            rows = generator.choice(3, draws, p=prior)
            outputs = (generator.random((draws, 1)) >= f[rows].cumsum(axis=1)).sum(axis=1)
            found = inference_error(SECRETS[rows], outputs).estimate
            held += found.low <= truth <= found.high
            estimates.append(found.value)
            lost = utility_loss(SECRETS[rows], outputs, mismatch)
            costs += lost.low <= cost <= lost.high
        assert held >= 175
        assert costs >= 175
        # No bias: the mean of 200 estimates is within four of its standard errors.
        assert abs(np.mean(estimates) - truth) < 4 * np.std(estimates) / 200**0.5


class Unknown(Channel):
    """A channel of which nothing is known but what is drawn."""

    @property
    def weighted(self) -> None:
        return None


class Drawn(MechanismEvaluator):
    """An experiment that knows of no mechanism but what it draws."""

    def channel(self, setting: Setting) -> Channel:
        return Unknown(self.bundle, setting)


CODES = bundle_of(rng(4).integers(0, 2**64, (200, 1), np.uint64))
SAMPLE = sample_words(np.arange(200), 300, 6)


@pytest.mark.parametrize(("epsilon", "radius"), [(0.1, 0), (0.3, 0), (0.6, 24)])
def test_draws_agree_with_the_distribution(epsilon: float, radius: int) -> None:
    setting = Setting(epsilon, parameters={"radius": radius})
    error = error_of(MechanismEvaluator(CODES, SAMPLE, draws=20), setting)
    drawn = Drawn(CODES, SAMPLE, draws=20, seed=1)
    estimate = error_of(drawn, setting).estimate
    # Twice the half-width on each side: four standard errors.
    assert 2 * estimate.low - estimate.value <= error.estimate.value
    assert error.estimate.value <= 2 * estimate.high - estimate.value
    assert error.single == 0
    assert error_of(drawn, setting) == error_of(Drawn(CODES, SAMPLE, draws=20, seed=1), setting)


def test_the_prior_is_the_sample_s() -> None:
    # At no noise every word is found; at hardly any signal the prior is all there is.
    exact = MechanismEvaluator(CODES, SAMPLE, loss=mismatch)
    assert error_of(exact, Setting(20.0)).estimate.value == pytest.approx(0, abs=1e-6)
    known = 1 - (SAMPLE.prior**2).sum()
    assert error_of(exact, Setting(1e-9)).estimate.value == pytest.approx(known, abs=1e-6)
