"""The integers that decide every outcome, against 120-digit decimals."""

from __future__ import annotations

import math
import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest

from brrkit import ParameterError
from brrkit.exact import (
    CAP_MAX,
    CAP_MIN,
    EPSILON_MAX,
    EPSILON_MIN,
    check_epsilon,
    decay,
    exp_bounds,
    flip_threshold,
    log_up,
    threshold_epsilon,
    weight_table,
    weights_epsilon,
)

DIGITS = 120


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def expected_threshold(epsilon: float) -> int:
    with localcontext() as context:
        context.prec = DIGITS
        quotient = Decimal(2**32) / (1 + Decimal(epsilon).exp())
        return int(quotient.to_integral_value(rounding=ROUND_CEILING))


def log_uniform(generator: random.Random, low: float, high: float) -> float:
    value = math.exp(generator.uniform(math.log(low), math.log(high)))
    return min(max(value, low), high)


def hard_epsilons() -> list[float]:
    """Doubles at which 2^32 / (1 + e^epsilon) is as near to an integer as doubles come."""
    generator = random.Random(2)
    thresholds = [2, 3, 4, 5, 2**31 - 1, 2**31 - 2, 2**31 - 3, 2**30, 2**16, 2**16 + 1]
    thresholds += [round(log_uniform(generator, 2, 2**31 - 1)) for _ in range(500)]
    epsilons = []
    with localcontext() as context:
        context.prec = 60
        for threshold in thresholds:
            nearest = float((Decimal(2**32 - threshold) / threshold).ln())
            epsilons += [math.nextafter(nearest, 0), nearest, math.nextafter(nearest, 99)]
    return [epsilon for epsilon in epsilons if EPSILON_MIN <= epsilon <= EPSILON_MAX]


def many_epsilons(count: int) -> list[float]:
    generator = random.Random(3)
    ends = [EPSILON_MIN, math.nextafter(EPSILON_MIN, 1), math.nextafter(EPSILON_MAX, 0)]
    common = [EPSILON_MAX, 0.1, 0.25, 0.5, math.log(2), math.log(3), 1.0, 2.0, 5.0, 10.0]
    drawn = [log_uniform(generator, EPSILON_MIN, EPSILON_MAX) for _ in range(count)]
    return ends + common + drawn


def test_threshold_is_the_correctly_rounded_integer() -> None:
    for epsilon in many_epsilons(3000):
        assert flip_threshold(epsilon) == expected_threshold(epsilon), epsilon


def test_threshold_is_right_where_rounding_is_hardest() -> None:
    epsilons = hard_epsilons()
    assert len(epsilons) > 1400
    for epsilon in epsilons:
        assert flip_threshold(epsilon) == expected_threshold(epsilon), epsilon


def test_hard_epsilons_are_hard() -> None:
    """A threshold from the C library's exp, in doubles, is wrong for some of them."""

    def in_doubles(epsilon: float) -> int:
        return math.ceil(2**32 / (1 + math.exp(epsilon)))

    assert any(in_doubles(epsilon) != flip_threshold(epsilon) for epsilon in hard_epsilons())


def test_effective_epsilon_is_at_most_the_requested_one() -> None:
    """(2^32 - T) / T <= e^epsilon, and one flip fewer in 2^32 would break that: T is tight."""
    with localcontext() as context:
        context.prec = DIGITS
        for epsilon in many_epsilons(1000) + hard_epsilons():
            threshold = flip_threshold(epsilon)
            growth = Decimal(epsilon).exp()
            assert 1 <= threshold <= 2**31
            assert Decimal(2**32 - threshold) <= growth * threshold
            assert Decimal(2**32 - threshold + 1) > growth * (threshold - 1)


def rounded_up(value: float, ratio: Fraction) -> bool:
    """Tell whether ``value`` is the smallest double that isn't below ln(ratio)."""
    with localcontext() as context:
        context.prec = DIGITS
        exact = decimal(ratio).ln()
        return Decimal(math.nextafter(value, -1)) < exact <= Decimal(value)


def effective_epsilons() -> list[tuple[float, list[int]]]:
    """Return 300 random epsilons and some that are hard, each with a table of weights."""
    generator = random.Random(6)
    epsilons = many_epsilons(300) + generator.sample(hard_epsilons(), 100)
    sizes = [2, 3, 2000, 50_000, 2**24]
    return [
        (epsilon, weight_table(epsilon, generator.choice([64, 256]), generator.choice(sizes)))
        for epsilon in epsilons
    ]


def test_effective_epsilons_are_rounded_up() -> None:
    for epsilon, weights in effective_epsilons():
        threshold = flip_threshold(epsilon)
        effective = threshold_epsilon(threshold)
        assert rounded_up(effective, Fraction(2**32 - threshold, threshold)), epsilon
        assert 0 < effective <= epsilon
        steepest = max(Fraction(near, far) for near, far in pairwise(weights))
        effective = weights_epsilon(weights)
        assert rounded_up(effective / 2, steepest), epsilon  # halving a double is exact
        assert 0 < effective <= epsilon


def test_to_the_nearest_they_would_often_be_below() -> None:
    below = [0, 0]
    with localcontext() as context:
        context.prec = DIGITS
        for epsilon, weights in effective_epsilons()[13:313]:
            threshold = flip_threshold(epsilon)
            steepest = max(Fraction(near, far) for near, far in pairwise(weights))
            for kind, ratio in enumerate((Fraction(2**32 - threshold, threshold), steepest)):
                exact = decimal(ratio).ln()
                below[kind] += Decimal(float(exact)) < exact
    assert min(below) > 100, below


@pytest.mark.parametrize(
    "ratio", [(1, 1), (7, 7), (2**63, 2**63 - 1), (2**32 - 1, 1), (2**63, 1), (10**30 + 1, 10**30)]
)
def test_logarithms_are_rounded_up_at_the_ends(ratio: tuple[int, int]) -> None:
    assert (
        log_up(*ratio) == 0
        if ratio[0] == ratio[1]
        else rounded_up(log_up(*ratio), Fraction(*ratio))
    )


def test_a_logarithm_is_rounded_up_wherever_the_search_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The platform's log1p only says where to begin."""
    expected = log_up(5, 3)
    for error in (-5, -1, 0, 1, 5):
        start = expected + error * math.ulp(expected)
        monkeypatch.setattr(math, "log1p", lambda x, start=start: start)
        assert log_up(5, 3) == expected


@pytest.mark.parametrize("precision", [16, 17, 64, 100, 128, 512])
def test_exponential_is_enclosed(precision: int) -> None:
    generator = random.Random(4)
    exponents = [Fraction(0), Fraction(1), Fraction(23), Fraction(1, 3), Fraction(5e-324)]
    exponents += [Fraction(log_uniform(generator, 1e-12, 23)) for _ in range(200)]
    exponents += [Fraction(generator.randrange(1, 500), generator.randrange(1, 60))]
    with localcontext() as context:
        context.prec = 400
        for x in exponents:
            low, high = exp_bounds(x, precision)
            exact = decimal(x).exp() * 2**precision
            assert low <= exact <= high, x
            width = Decimal(2) ** (24 - precision) * exact  # 24 bits are lost on the way, at most
            assert high - low <= width + 2, x


@pytest.mark.parametrize("x", [Fraction(5e-324), Fraction(1e-30), Fraction(1, 3), Fraction(22)])
def test_decay_is_the_floor(x: Fraction) -> None:
    with localcontext() as context:
        context.prec = 400
        exact = int((2**32 * (-decimal(x)).exp()).to_integral_value(rounding=ROUND_FLOOR))
    assert decay(x) == exact


def test_decay_at_random_is_the_floor() -> None:
    generator = random.Random(5)
    with localcontext() as context:
        context.prec = DIGITS
        for _ in range(2000):
            x = Fraction(generator.uniform(0, 25)) * generator.randrange(1, 4)
            exact = 2**32 * (-decimal(x)).exp()
            assert decay(x) == int(exact.to_integral_value(rounding=ROUND_FLOOR)), x


def test_decay_at_the_ends() -> None:
    assert decay(Fraction(0)) == 2**32
    assert decay(Fraction(22)) == 1
    assert decay(Fraction(23)) == decay(Fraction(10**9)) == 0
    with localcontext() as context:
        context.prec = 60
        edge = Fraction(Decimal(2**32).ln())
    assert [decay(edge - Fraction(1, 10**50)), decay(edge + Fraction(1, 10**50))] == [1, 0]


@pytest.mark.parametrize("cap", [CAP_MIN, 0.5, 9.25, 17.0, 80.0, CAP_MAX])
@pytest.mark.parametrize(("epsilon", "radius"), [(0.1, 64), (1.0, 8), (22.18, 0)])
def test_a_cap_is_a_floor_of_the_weights(cap: float, epsilon: float, radius: int) -> None:
    """F as specified, from 120 digits; W[0] is at most e^(cap / 2) times any weight, exactly."""
    total = 123_456_789
    free = weight_table(epsilon, 64, total, radius)
    capped = weight_table(epsilon, 64, total, radius, cap)
    with localcontext() as context:
        context.prec = DIGITS
        growth = (Decimal(cap) / 2).exp()
        rounded = int((growth * 2**64).to_integral_value(rounding=ROUND_FLOOR))
        floor = math.ceil(Fraction(free[0] * 2**64, rounded))
        assert all(Decimal(capped[0]) <= growth * weight for weight in capped)
    assert capped == [max(weight, floor) for weight in free]


def test_a_large_cap_changes_no_weight() -> None:
    for size in (2, 2**47):
        assert weight_table(22.18, 512, size, 0, CAP_MAX) == weight_table(22.18, 512, size)


BAD_EPSILONS = [
    0,
    0.0,
    -0.0,
    -1.0,
    math.nan,
    math.inf,
    -math.inf,
    math.nextafter(EPSILON_MIN, 0),
    math.nextafter(EPSILON_MAX, 99),
    5e-324,
    1e300,
    "x",
    "",
    None,
    [],
    [0.5],
    1j,
    pytest.param(10**400, id="10**400"),
    pytest.param(10**5000, id="10**5000"),  # too long for Python to print
]


@pytest.mark.parametrize("epsilon", BAD_EPSILONS)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    for use in (check_epsilon, flip_threshold, lambda e: weight_table(e, 64, 2)):
        with pytest.raises(ParameterError, match=r"epsilon must be a number from 1e-09 to 22\.18"):
            use(epsilon)  # type: ignore[operator]


@pytest.mark.parametrize("epsilon", [EPSILON_MIN, EPSILON_MAX, 1, 0.5, Fraction(1, 2)])
def test_good_epsilon_is_a_float(epsilon: float) -> None:
    assert check_epsilon(epsilon) == epsilon
    assert type(check_epsilon(epsilon)) is float


TABLES = [
    (epsilon, bits, size)
    for epsilon in (EPSILON_MIN, 1e-3, 0.1, 0.5, 1.0, 2 * math.log(2), 7.3, EPSILON_MAX)
    for bits, size in ((64, 2), (256, 50_000), (512, 2**24), (128, 3), (64, 2**47), (64, 7))
]  # 7 divides 2^63 - 1


@pytest.mark.parametrize(("epsilon", "bits", "size"), TABLES)
def test_weight_table_satisfies_the_theorem(epsilon: float, bits: int, size: int) -> None:
    weights = weight_table(epsilon, bits, size)

    assert len(weights) == bits + 1
    assert all(type(weight) is int and weight >= 1 for weight in weights)
    assert size * weights[0] < 2**63 <= size * (weights[0] + 1)
    with localcontext() as context:
        context.prec = DIGITS
        step = (Decimal(epsilon) / 2).exp()
        for near, far in pairwise(weights):
            assert far <= near
            assert near <= step * far
            if far > 1:  # as steep as it may be, up to what G and the ceiling round away
                assert near > step * (1 - Decimal(2) ** -64) * (far - 1)


@pytest.mark.parametrize(("epsilon", "bits", "size"), TABLES)
def test_weight_table_is_the_specified_one(epsilon: float, bits: int, size: int) -> None:
    with localcontext() as context:
        context.prec = DIGITS
        beyond, within = (
            int(((Decimal(epsilon) / part).exp() * 2**64).to_integral_value(rounding=ROUND_FLOOR))
            for part in (2, 16)
        )
    for radius in (0, 1, bits // 8, bits - 1, bits):
        expected = [(2**63 - 1) // size]
        for distance in range(bits):
            growth = within if distance < radius else beyond
            expected.append(math.ceil(expected[-1] * Fraction(2**64, growth)))
        assert weight_table(epsilon, bits, size, radius) == expected


def test_weight_table_ends_in_a_constant() -> None:
    weights = weight_table(5.0, 512, 1000)
    assert weights[0] > 10**15
    assert set(weights[-400:]) == {1}
    gentle = weight_table(0.1, 512, 2**24)  # stays where a step would be less than one
    assert len(set(gentle[-10:])) == 1
    assert gentle[-1] > 1
