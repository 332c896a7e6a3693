"""ADePT's noise, its calibration and its lattice: exact, and what is wrong is noticed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from brrkit import ParameterError
from brrkit.randomness import RandomSource
from research.adept import noise
from research.adept.gaussian import (
    classical_mu,
    curve,
    gaussian_delta,
    gaussian_epsilon,
)
from research.adept.lattice import (
    GAUSSIAN,
    LAPLACE_L1,
    LAPLACE_L2,
    NORMS,
    LatticeRelease,
    integers_clipped,
    make_lattice_release,
)
from research.adept.noise import (
    GAUSSIAN_SIGMA,
    LAPLACE_SCALE,
    Inversion,
    discrete_gaussian,
    discrete_laplace,
)
from research.adept.variants import check_privacy

DRAWS = 200_000
LEAST_P = 1e-9  # the statistic's own tail is within a factor of 10 of it


def seeded(seed: int) -> RandomSource:
    return np.random.default_rng(seed).bytes


def fit(draws: NDArray[np.int64], weight: Callable[[int], float], reach: int) -> float:
    """Return the p-value of a chi-square test against P(x) proportional to ``weight``(x)."""
    xs = np.arange(-reach, reach + 1)
    expected = np.array([weight(int(x)) for x in xs])
    expected *= len(draws) / expected.sum()
    observed = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=len(xs))
    # Values that are seldom expected are put together, from both ends inwards.
    order = np.argsort(expected, kind="stable")
    groups = np.cumsum(expected[order]) // 20
    merged = [np.bincount(groups.astype(int), weights=w[order]) for w in (observed, expected)]
    kept = merged[1] > 0
    observed, expected = merged[0][kept], merged[1][kept]
    return float(stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


def laplace(scale: float) -> Callable[[int], float]:
    return lambda x: math.exp(-abs(x) / scale)


def gaussian(sigma: float) -> Callable[[int], float]:
    return lambda x: math.exp(-(x**2) / (2 * sigma**2))


@pytest.mark.parametrize("scale", [1, 2, 37])
def test_laplace_has_its_probabilities(scale: int) -> None:
    draws = discrete_laplace(scale)(DRAWS, os.urandom)
    assert fit(draws, laplace(scale), 40 * scale) > LEAST_P


@pytest.mark.parametrize("sigma", [1, 3, 37])
def test_gaussian_has_its_probabilities(sigma: int) -> None:
    draws = discrete_gaussian(sigma)(DRAWS, os.urandom)
    assert fit(draws, gaussian(sigma), 12 * sigma) > LEAST_P


def test_digits_of_laplace_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several digits, at the base where they are seen best."""
    monkeypatch.setattr(noise, "_BASE", 4)
    one = noise.geometric(11)
    draws = one(DRAWS, os.urandom) - one(DRAWS, os.urandom)
    assert fit(draws, laplace(11), 400) > LEAST_P


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        (lambda: discrete_laplace(37)(DRAWS, os.urandom), laplace(40)),
        (lambda: discrete_gaussian(37)(DRAWS, os.urandom), gaussian(39)),
        (lambda: np.abs(discrete_laplace(2)(DRAWS, os.urandom)), laplace(2)),
        # A sign and a magnitude that may be 0 either way: 0 comes twice as often.
        (
            lambda: (
                np.random.default_rng().choice([-1, 1], DRAWS)
                * noise.geometric(3)(DRAWS, os.urandom)
            ),
            laplace(3),
        ),
        # Rounded continuous noise.
        (
            lambda: np.rint(np.random.default_rng().laplace(0, 2, DRAWS)).astype(np.int64),
            laplace(2),
        ),
        # A generator that gives 16 bits.
        (
            lambda: discrete_gaussian(37)(
                DRAWS, lambda size: np.random.default_rng().bytes(2) * (size // 2)
            ),
            gaussian(37),
        ),
    ],
    ids=["scale", "sigma", "sign", "two zeros", "rounded", "bits"],
)
def test_broken_noise_is_noticed(
    draws: Callable[[], NDArray[np.int64]], expected: Callable[[int], float]
) -> None:
    assert fit(draws(), expected, 500) < LEAST_P


@pytest.mark.parametrize(
    ("draw", "deviation", "kurtosis"),
    [
        (discrete_laplace, LAPLACE_SCALE * math.sqrt(2), 3),
        (discrete_gaussian, GAUSSIAN_SIGMA, 0),
    ],
)
def test_the_noise_that_is_used(
    draw: Callable[[], noise.Noise], deviation: float, kurtosis: float
) -> None:
    draws = draw()(DRAWS, os.urandom).astype(float)
    # Six standard errors. One number of 21 deviations raises the kurtosis by 1; that Laplace noise
    # has one among these has a probability of 2 * 10^-8, and less of it is likelier by a little.
    assert abs(draws.mean()) < 6 * deviation / math.sqrt(DRAWS)
    assert abs(draws.std() / deviation - 1) < 6 * math.sqrt((kurtosis + 2) / (4 * DRAWS))
    assert abs(float(stats.kurtosis(draws)) - kurtosis) < 1
    assert abs(np.bincount(draws.astype(np.int64) % 2).min() / DRAWS - 0.5) < 0.01


def cumulative(sigma: int, places: int) -> list[Fraction]:
    """Return P(|X| < i) by doubles, for i = 1 ... places."""
    weights = [(1 + (m > 0)) * gaussian(sigma)(m) for m in range(40 * sigma)]
    total = math.fsum(weights)
    return [Fraction(math.fsum(weights[:i]) / total) for i in range(1, places + 1)]


def test_table_of_the_half_gaussian() -> None:
    table = noise.half_gaussian(2)._table.astype(object)
    for value, expected in zip(table, cumulative(2, 8), strict=False):
        assert abs(Fraction(int(value), 1 << 64) - expected) < 1e-14


def test_table_of_the_geometric_digits() -> None:
    low, high = (
        Inversion(lambda p, part=part: part(5_000, p))._table.astype(object)  # type: ignore[misc]
        for part in (noise._low_digit, noise._rest)
    )
    q = math.exp(-1 / 5_000)
    for i in (1, 2, 500, 1023):
        assert low[i - 1] / 2**64 == pytest.approx((1 - q**i) / (1 - q**1024), rel=1e-12)
        assert high[min(i, 100) - 1] / 2**64 == pytest.approx(1 - q ** (1024 * min(i, 100)))
    assert len(low) == 1023


@pytest.mark.parametrize("place", [0, 3, -1])
def test_equal_bits_take_more_bits(place: int) -> None:
    """The first 64 bits are those of a value of the table: the next ones decide."""
    inversion = noise.half_gaussian(2)
    value = int(inversion._table[place])
    index = place % len(inversion._table)
    exact = [low for low, _ in noise._magnitude(2, 192)][index] >> 64
    assert exact >> 64 == value
    after = exact & (1 << 64) - 1
    for following, expected in ((after - 1, index), (after + 1, index + 1)):
        blocks = iter([value, following])
        drawn = inversion(1, lambda size, blocks=blocks: next(blocks).to_bytes(size, "little"))  # type: ignore[misc]
        assert drawn.tolist() == [expected]


def test_more_bits_go_on_until_they_differ() -> None:
    """Of 128 equal bits, the next 64 decide; and what comes after the table's end is reached."""
    inversion = noise.half_gaussian(2)
    exact = [low for low, _ in noise._magnitude(2, 256)][1] >> 64
    blocks = [exact >> 128, exact >> 64 & (1 << 64) - 1, (exact & (1 << 64) - 1) + 1]
    source = iter(blocks)
    assert inversion(1, lambda size: next(source).to_bytes(size, "little")).tolist() == [2]
    source = iter([(1 << 64) - 1] * 2 + [0])
    last = inversion(1, lambda size: next(source).to_bytes(size, "little"))
    assert len(inversion._table) < last[0] < 40


# --- the privacy curve


def test_curve_against_doubles() -> None:
    for epsilon in (0.0, 0.01, 1.0, 3.0, 10.0, 50.0):
        for mu in (0.05, 0.3, 1.0, 2.0, 7.0, 12.0):
            low, high = curve(Fraction(epsilon), Fraction(mu))
            a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
            expected = stats.norm.sf(a) - math.exp(epsilon + stats.norm.logsf(b))
            assert 0 <= low <= high < low + Fraction(1, 10**30)
            assert float(high) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_curve_at_its_seams() -> None:
    """Series and continued fraction agree where one takes over from the other."""
    for a in (-4, 4):
        near = [
            curve(Fraction(a) + mu / 2 + shift, mu)[1]
            for mu in (Fraction(1),)
            for shift in (Fraction(-1, 10**25), Fraction(1, 10**25))
        ]
        assert abs(near[0] - near[1]) < Fraction(1, 10**24)
        assert near[0] > near[1]
    assert curve(Fraction(1000), Fraction(1))[1] < Fraction(1, 10**90)


def test_classical_gaussian_at_50() -> None:
    """What public rewriters claim as epsilon = 50 and 500 is 96 and 5,765.

    No sample shows it: the likeliest event with a loss above 50 has probability below e^-50 for
    the other input. The curve does: delta at 50 is above one half.
    """
    mu = classical_mu(50, 1e-5)
    assert curve(Fraction(50), Fraction(mu))[0] > Fraction(1, 2)
    assert gaussian_epsilon(mu, 1e-5) == pytest.approx(96.43, abs=0.01)
    assert gaussian_epsilon(classical_mu(500, 1e-5), 1e-5) == pytest.approx(5764.6, abs=0.1)
    assert gaussian_epsilon(classical_mu(0.9, 1e-5), 1e-5) < 0.9
    assert gaussian_delta(gaussian_epsilon(mu, 1e-5), mu) == pytest.approx(1e-5, rel=1e-5)
    assert gaussian_epsilon(1e-6, 1e-5) == 0


# --- the lattice


@pytest.mark.parametrize("variant", NORMS)
@pytest.mark.parametrize("dimensions", [1, 7, 300])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 50.0])
def test_norms_never_exceed_the_limit(variant: str, dimensions: int, epsilon: float) -> None:
    release = make_lattice_release(variant, epsilon, 1e-5, dimensions)
    generator = np.random.default_rng(3)
    vectors = generator.standard_normal((200, dimensions)) * 10.0 ** generator.integers(
        -5, 5, (200, 1)
    )
    vectors[0] = 1e308
    vectors[1] = np.inf
    vectors[2] = np.nan
    vectors[3] = -1 / math.sqrt(dimensions)
    vectors[4] = 1 / dimensions
    clipped = release.clipped(vectors)
    for row in clipped.tolist():
        length = sum(abs(x) for x in row) if release.norm == 1 else sum(x * x for x in row)
        assert length <= release.limit**release.norm
    assert clipped.any()
    assert not clipped[2].any()


@pytest.mark.parametrize("norm", [1, 2])
def test_integers_are_shortened(norm: int) -> None:
    """A norm that was right before the rounding is too long after it, and gets shortened."""
    halves = np.full((1, 64), 0.5)
    rounded = np.floor(halves + 0.5).astype(np.int64)  # 64 times 1: norms of 64, and 8
    limit = 32 if norm == 1 else 4
    assert np.linalg.norm(rounded[0], norm) > limit == np.linalg.norm(halves[0], norm)
    clipped = integers_clipped(rounded, limit, norm)
    assert np.linalg.norm(clipped[0], norm) <= limit
    kept = integers_clipped(np.array([[limit, 0], [-limit, 0], [0, 1]]), limit, norm)
    assert kept.tolist() == [[limit, 0], [-limit, 0], [0, 1]]
    long = integers_clipped(np.array([[10**9, -(10**9), 0]]), 1000, norm).tolist()[0]
    assert long == ([500, -500, 0] if norm == 1 else [706, -706, 0])


def test_limits_are_the_largest_that_are_private() -> None:
    for epsilon in (0.013, 0.7, 30.1):
        exact = Fraction(epsilon)
        one = make_lattice_release(LAPLACE_L1, epsilon, 0, 64).limit
        assert 2 * one <= exact * LAPLACE_SCALE < 2 * (one + 1)
        two = make_lattice_release(LAPLACE_L2, epsilon, 0, 65).limit
        assert 4 * 65 * two**2 <= (exact * LAPLACE_SCALE) ** 2 < 4 * 65 * (two + 1) ** 2
        for delta in (1e-9, 1e-5):
            three = make_lattice_release(GAUSSIAN, epsilon, delta, 64).limit
            for limit, private in ((three, True), (three + 1, False)):
                assert (gaussian_delta(epsilon, 2 * limit / GAUSSIAN_SIGMA) <= delta) is private


def test_effective_epsilon() -> None:
    for variant in (LAPLACE_L1, LAPLACE_L2):
        for epsilon in (0.1, 3.0, 700.0):
            effective = make_lattice_release(variant, epsilon, 0, 48).effective_epsilon
            assert 0.99 * epsilon < effective <= Fraction(epsilon)
    assert make_lattice_release(GAUSSIAN, 3.0, 1e-6, 48).effective_epsilon == 3


def test_gaussian_against_concentrated_privacy() -> None:
    """What the exact curve saves against zCDP (Canonne et al., Theorem 4 and Proposition 12)."""
    savings = {}
    for epsilon in (1.0, 10.0, 100.0):
        mu = 2 * make_lattice_release(GAUSSIAN, epsilon, 1e-5, 64).limit / GAUSSIAN_SIGMA
        savings[epsilon] = mu / _concentrated_mu(epsilon, 1e-5) - 1
    assert [round(100 * saving, 1) for saving in savings.values()] == SAVED_PERCENT


SAVED_PERCENT = [8.2, 5.9, 2.9]


def _concentrated_mu(epsilon: float, delta: float) -> float:
    """Return the largest mu whose zCDP, rho = mu^2 / 2, implies (epsilon, delta)."""
    orders = 1 + np.geomspace(1e-3, 1e4, 20_000)

    def implied(mu: float) -> float:
        exponents = (orders - 1) * (orders * mu**2 / 2 - epsilon) + orders * np.log1p(-1 / orders)
        return float(np.exp(np.minimum(exponents - np.log(orders - 1), 0)).min())

    low, high = 1e-6, 1e3
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if implied(middle) <= delta else (low, middle)
    return low


def test_release_adds_the_noise_in_the_units_of_the_clip() -> None:
    release = make_lattice_release(LAPLACE_L1, 4.0, 0, 3, 7.0)
    vectors = np.array([[0.2, -0.1, 0.0]] * 4000, np.float32) * 7
    released = release(vectors, seeded(1))
    assert released.shape == (4000, 3)
    assert released.dtype == np.float32
    spread = 2 * 7 / 4.0 * math.sqrt(2)
    assert release.scale == pytest.approx(0.5)
    assert np.allclose(released.mean(axis=0), vectors[0], atol=6 * spread / math.sqrt(4000))
    assert np.allclose(released.std(axis=0), spread, rtol=0.15)
    again = release(vectors, os.urandom)
    assert not (again == released).any(axis=1).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("laplace", 1.0, None), "no such variant; choose one of: codes, laplace-l1, laplace-l2"),
        *(((LAPLACE_L1, bad, None), "epsilon must be a") for bad in (math.nan, math.inf, 0.0, "x")),
        ((LAPLACE_L1, 1.0, 1e-5), "laplace-l1 has no delta"),
        (("codes", 1.0, 1e-5), "codes has no delta"),
        ((GAUSSIAN, 1.0, None), "gaussian needs a delta"),
        ((GAUSSIAN, 1.0, 0.5), "delta must be a number from 1e-12 to 0.01, not 0.5"),
        ((GAUSSIAN, 1.0, math.nan), "delta must be"),
    ],
)
def test_wrong_parameters(arguments: Sequence[object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_privacy(*arguments)  # type: ignore[arg-type]


def test_epsilons_that_the_lattice_is_too_coarse_for() -> None:
    with pytest.raises(ParameterError, match="too small for laplace-l2 in 65536 dimensions"):
        make_lattice_release(LAPLACE_L2, 0.001, 0, 65536)
    with pytest.raises(ParameterError, match="1 to 65,536 dimensions"):
        make_lattice_release(LAPLACE_L2, 1.0, 0, 0)


def test_a_release_is_for_its_dimensions() -> None:
    """K depends on them: the clip for 4 would be too long for 64."""
    release = make_lattice_release(LAPLACE_L2, 1.0, 0, 4)
    with pytest.raises(ParameterError, match="64 dimensions, where the release is for 4"):
        release(np.zeros((1, 64)), os.urandom)


def test_a_release_is_a_function_of_the_lattice_and_fresh_noise() -> None:
    """Two vectors with one place on the lattice have the same outputs from the same bytes."""
    release = LatticeRelease(LAPLACE_L2, 1.0, 0.0, 2, 10, 1.0)
    one, other = (np.array([x]) for x in ([0.31, 0.0], [0.39, 0.09]))
    assert (release(one, seeded(2)) == release(other, seeded(2))).all()
