"""The certified loss against 100-digit arithmetic, and against what a vocabulary really loses."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.exact import weight_table
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel, certify
from brrkit_toolchain.channel.privacy_loss.certificates import (
    loss_between_any,
    loss_per_bit,
    steepest_pairs,
)
from brrkit_toolchain.channel.surroundings import Surroundings


def _code(*bits: int) -> int:
    return sum(1 << bit for bit in bits)


def _codes(*codes: int) -> NDArray[np.uint64]:
    return np.array(codes, np.uint64)[:, None]


def _random(words: int, planes: int, bits: int = 64) -> NDArray[np.uint64]:
    return np.random.default_rng(17).integers(0, 2**bits, (words, planes), np.uint64)


_STAR = _codes(0, *(_code(i) for i in range(0, 64, 4)))
"""A word in the middle, and all others a bit from it: its N is far larger."""

_CLUSTER = _codes(*(_code(i, j) for i, j in itertools.combinations(range(7), 2)))

VOCABULARIES = {
    "two words": _codes(0, 1),
    "equal codes": _codes(5, 5, 5, 9, 9, 1 << 60),
    "one code": _codes(7, 7, 7),
    "star": _STAR,
    "one far word": np.concatenate([_CLUSTER, _codes(2**64 - 1)]),
    "opposite": _codes(0, 2**64 - 1, 1),
    "path": _codes(*((1 << i) - 1 for i in range(0, 65, 3))),
    "uneven": np.concatenate([np.repeat(_codes(0), 20, axis=0), _codes(1, 3, 1 << 40, 2**50 - 1)]),
    "random": _random(24, 1),
    "128 bits": _random(16, 2),
}


def _table(
    codes: NDArray[np.uint64],
    epsilon: float,
    radius: int,
    measure: NDArray[np.int64] | None = None,
    cap: float | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return W and N."""
    near = Surroundings(codes, np.arange(len(codes)), measure)  # type: ignore[arg-type]
    total = int(near.measure.sum())
    weights = np.array(weight_table(epsilon, near.bits, total, radius, cap), np.int64)
    return weights, near.totals(weights)


def _lost(codes: NDArray[np.uint64], *setting: Any) -> float:
    return loss_per_bit(codes, *_table(codes, *setting))


def _distances(codes: NDArray[np.uint64]) -> list[list[int]]:
    differ = np.unpackbits((codes[:, None] ^ codes[None]).view(np.uint8), axis=2)
    found: list[list[int]] = differ.sum(axis=2).tolist()
    return found


def _ln(ratio: Fraction) -> Decimal:
    return Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()


def _bound(codes: NDArray[np.uint64], epsilon: float, radius: int) -> Decimal:
    """Return the certified loss as its definition has it, to 90 digits and more."""
    distances = _distances(codes)
    weights = weight_table(epsilon, 64 * codes.shape[1], len(codes), radius)
    totals = [sum(weights[d] for d in row) for row in distances]
    worst = Decimal(0)
    steepest: dict[int, Fraction] = {}
    for x, x_ in itertools.permutations(range(len(codes)), 2):
        d = distances[x][x_]
        steepest[d] = max(steepest.get(d, Fraction(0)), Fraction(totals[x], totals[x_]))
    for d in steepest.keys() - {0}:
        fall = max(Fraction(weights[i], weights[i + d]) for i in range(len(weights) - d))
        worst = max(worst, _ln(fall * steepest[d]) / d)
    return worst


def _true_loss(codes: NDArray[np.uint64], epsilon: float, radius: int) -> Decimal:
    """Return the loss by the definition of privacy: over all pairs of words and all outputs."""
    distances = _distances(codes)
    weights = weight_table(epsilon, 64 * codes.shape[1], len(codes), radius)
    steepest: dict[int, Fraction] = {}
    for x, x_ in itertools.permutations(distances, 2):
        d = min(a + b for a, b in zip(x, x_, strict=True))  # at x and at x_ themselves
        pairs = set(zip(x, x_, strict=True))
        fall = max(Fraction(weights[a], weights[b]) for a, b in pairs)
        ratio = fall * Fraction(sum(weights[b] for b in x_), sum(weights[a] for a in x))
        steepest[d] = max(steepest.get(d, Fraction(0)), ratio)
    assert steepest.pop(0, 1) == 1
    return max((_ln(ratio) / d for d, ratio in steepest.items()), default=Decimal(0))


def _check(codes: NDArray[np.uint64], epsilon: float, radius: int) -> float:
    """Compare with both, and return the certified epsilon."""
    certified = _lost(codes, epsilon, radius)
    with localcontext() as context:
        context.prec = 100
        bound = _bound(codes, epsilon, radius)
        assert Decimal(certified) >= bound - Decimal("1e-90")
        if certified > 0:
            assert Decimal(math.nextafter(certified, 0)) < bound
        assert _true_loss(codes, epsilon, radius) <= Decimal(certified) + Decimal("1e-90")
    assert certified <= epsilon
    return certified


@pytest.mark.parametrize("radius", [0, 10])
@pytest.mark.parametrize("epsilon", [2e-6, 0.5, 3.4, 22.0])  # at 22 the integers run out
@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_loss_is_right_to_the_last_bit(name: str, epsilon: float, radius: int) -> None:
    _check(VOCABULARIES[name], epsilon, radius)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_little_is_lost_within_the_radius(name: str) -> None:
    codes = VOCABULARIES[name]
    within = _lost(codes, 2.0, 64 * codes.shape[1])
    assert within == _lost(codes, 1 / 4, 0)


@pytest.mark.parametrize("cap", [None, 3.0])
def test_a_base_measure_and_a_cap(cap: float | None) -> None:
    """Against the definition over all pairs and outputs; the measure is known to everybody."""
    codes = _random(12, 3, bits=16)
    measure = np.array([2**i for i in range(12)])
    distances = np.array(_distances(codes))
    weights = weight_table(0.8, 64, int(measure.sum()), 4, cap)
    totals = [sum(int(measure[y]) * weights[row[y]] for y in range(12)) for row in distances]
    losses = []
    for x, x_ in itertools.permutations(range(12), 2):
        for y in range(12):
            own = Fraction(weights[distances[x][y]], totals[x])
            other = Fraction(weights[distances[x_][y]], totals[x_])
            losses.append((math.log(own / other), int(distances[x][x_])))
    certified = _lost(codes, 0.8, 4, measure, cap)
    assert max(loss / d for loss, d in losses) <= certified <= 0.8
    assert certified != _lost(codes, 0.8, 4, None, cap)
    between = loss_between_any(*_table(codes, 0.8, 4, measure, cap))
    assert max(loss for loss, _ in losses) <= between
    assert cap is None or between <= cap


@settings(max_examples=40, deadline=None)
@given(data=st.data(), epsilon=st.floats(1e-9, 22.18), radius=st.integers(0, 64))
def test_random_vocabularies(data: st.DataObject, epsilon: float, radius: int) -> None:
    few_bits = st.integers(0, 255)  # near each other, and often equal
    codes = data.draw(st.lists(few_bits | st.integers(0, 2**64 - 1), min_size=2, max_size=12))
    _check(_codes(*codes), epsilon, radius)


def test_a_star_loses_nearly_what_is_certified() -> None:
    """All are near the middle: N falls by e^(epsilon / 2) with the first bit, and so does W."""
    certified = _lost(_STAR, 1.4, 0)
    with localcontext() as context:
        context.prec = 100
        true = _true_loss(_STAR, 1.4, 0)
    assert 0.75 * 1.4 < float(true) <= certified
    assert float(true) > 0.999 * certified


def test_a_larger_vocabulary_needs_several_ranges_of_rows() -> None:
    codes = _random(1_500, 1, bits=16)
    distances = np.array(_distances(codes))
    weights = weight_table(0.8, 64, len(codes), 4)
    totals = np.array(weights, np.int64)[distances].sum(axis=1)

    certified = _lost(codes, 0.8, 4)

    logarithms = np.log(totals.astype(float))
    losses = np.abs(logarithms[:, None] - logarithms)[distances > 0] / distances[distances > 0]
    assert certified == pytest.approx(0.4 + losses.max(), rel=1e-12)


def test_pairs_in_the_last_range_of_rows_count() -> None:
    """Rows are in the order of N: two words far from all others are last, 19 bits apart."""
    crowd = np.random.default_rng(7).integers(0, 2**16, (1_500, 1), np.uint64)
    lonely = np.array([[(1 << 50) - (1 << 20)], [(1 << 64) - (1 << 25)]], np.uint64)
    codes = np.concatenate([crowd, lonely])
    pairs = steepest_pairs(codes, _table(codes, 0.8, 4)[1])
    assert set(pairs[19]) == {1_500, 1_501}


def test_no_pair_is_steeper_at_its_distance() -> None:
    """Most blocks of pairs are left out, but none with a steeper pair."""
    codes = _random(1_500, 2, bits=32)
    totals = np.random.default_rng(3).integers(2**40, 2**42, len(codes))
    distances, ratios = np.array(_distances(codes)), totals[:, None] / totals
    pairs = steepest_pairs(codes, totals)
    assert set(pairs) == {*np.unique(distances).tolist()} - {0}
    for bits, pair in pairs.items():
        assert distances[pair] == bits
        assert ratios[pair] == ratios[distances == bits].max()


def test_a_certificate_is_rounded_up_to_few_digits(sample_bundle: Path) -> None:
    """From half of epsilon to epsilon, whatever is lost."""
    few = WordBundle.open(sample_bundle)
    settings = ((0.9101, 0), (0.12345678, 3), (math.nextafter(0.5, 0), 64), (3.0, 3))
    for epsilon, radius in settings:
        setting = Setting(epsilon, parameters={"radius": radius, "base": "uniform"})
        lost = Channel(few, setting).loss
        assert lost == _lost(few.codes, epsilon, radius)
        certificate = certify(few, setting)
        assert certificate is not None
        assert certificate.index == few.digest
        stated = certificate.certified_epsilon
        assert lost <= stated
        assert epsilon / 2 <= stated <= epsilon
        least = max(lost, epsilon / 2)
        assert stated == epsilon or (
            f"{stated:.4g}" == repr(stated) and stated - least < 1e-3 * stated
        )


def test_bad_parameters(sample_bundle: Path) -> None:
    few = WordBundle.open(sample_bundle)
    with pytest.raises(ParameterError, match="epsilon must be a number from"):
        certify(few, Setting(0.0))
    with pytest.raises(ParameterError, match="radius must be"):
        certify(few, Setting(0.5, parameters={"radius": 65}))
    with pytest.raises(ParameterError, match="only the mechanism 'exponential' has"):
        certify(few, Setting(0.5, "brr"))
