"""The closed forms of frequency oracles, against all reports that there are of a few symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import hadamard

from brrkit_toolchain.channel.linear import linear_map
from research.oracles.compared import named, needed_at_least
from research.oracles.mechanisms import (
    ORACLES,
    WITHIN,
    Floats,
    Hadamard,
    Oracle,
    Pure,
    hadamard_response,
    largest_epsilon,
    local_hashing,
    on_simplex,
    randomized_response,
    subset_selection,
    symmetric_encoding,
    transformed,
    unary_encoding,
)

K = 5
PRIOR = np.array([0.1, 0.42, 0.03, 0.3, 0.15])
TYPED = np.array([0.13, 0.35, 0.07, 0.25, 0.2])


@dataclass(frozen=True)
class Reports:
    """All reports.

    Attributes:
        channel: [k, reports], how probable each is.
        weights: [k, reports]; a symbol's share is estimated from the mean of its row.
    """

    channel: Floats
    weights: Floats


def of_response(epsilon: float) -> Reports:
    likely = np.where(np.eye(K) > 0, exp(epsilon), 1.0)
    return Reports(likely / likely.sum(axis=1, keepdims=True), np.eye(K))


def of_hashing(epsilon: float) -> Reports:
    """Every function from symbols to buckets is as likely a hash."""
    buckets = round(exp(epsilon)) + 1
    hashes = np.array(list(product(range(buckets), repeat=K)))
    supported = (hashes[:, None, :] == np.arange(buckets)[:, None]).reshape(-1, K).T
    likely = np.where(supported, exp(epsilon), 1.0)
    return Reports(likely / likely.sum(axis=1, keepdims=True), supported.astype(float))


def of_bits(p: float, q: float) -> Reports:
    bits = np.array(list(product((0, 1), repeat=K)))
    own, others = np.where(bits, p, 1 - p), np.where(bits, q, 1 - q)
    channel = [own[:, x] * np.delete(others, x, axis=1).prod(axis=1) for x in range(K)]
    return Reports(np.array(channel), bits.T.astype(float))


def of_unary(epsilon: float) -> Reports:
    return of_bits(0.5, 1 / (exp(epsilon) + 1))


def of_symmetric(epsilon: float) -> Reports:
    kept = exp(epsilon / 2) / (exp(epsilon / 2) + 1)
    return of_bits(kept, 1 - kept)


def of_subsets(size: int) -> Callable[[float], Reports]:
    def reports(epsilon: float) -> Reports:
        subsets = list(combinations(range(K), size))
        supported = np.array([[x in subset for subset in subsets] for x in range(K)])
        likely = np.where(supported, exp(epsilon), 1.0)
        return Reports(likely / likely.sum(axis=1, keepdims=True), supported.astype(float))

    return reports


def of_hadamard(epsilon: float, oracle: Hadamard) -> Reports:
    signs = np.zeros((K, oracle.blocks, oracle.size))
    for x, place in enumerate(oracle.places.tolist()):
        block, row = divmod(place, oracle.size - 1)
        signs[x, block] = hadamard(oracle.size)[row + 1]
    signs = signs.reshape(K, -1)
    likely = np.where(signs > 0, exp(epsilon), 1.0)
    return Reports(likely / likely.sum(axis=1, keepdims=True), signs)


def best_guesses(channel: Floats, prior: Floats = PRIOR) -> float:
    guesses = (prior[:, None] * channel).argmax(axis=0)
    return float((TYPED[guesses] * channel[guesses, np.arange(channel.shape[1])]).sum())


def variance(reports: Reports, symbol: int) -> float:
    """Return that of one report's unbiased estimate, made from the means alone."""
    means = reports.channel @ reports.weights[symbol]
    others = np.delete(means, symbol)
    assert np.allclose(others, others[0])
    estimates = (reports.weights[symbol] - others[0]) / (means[symbol] - others[0])
    chances = TYPED @ reports.channel
    assert chances @ estimates == pytest.approx(TYPED[symbol])
    return float(chances @ estimates**2 - (chances @ estimates) ** 2)


PURE = {
    "response": (randomized_response, of_response),
    "hashing": (local_hashing, of_hashing),
    "unary": (unary_encoding, of_unary),
    "symmetric": (symmetric_encoding, of_symmetric),
    **{
        f"subsets of {size}": (
            lambda epsilon, k, size=size: subset_selection(epsilon, k, size),
            of_subsets(size),
        )
        for size in (1, 2, 4)
    },
}


@pytest.mark.parametrize("epsilon", [0.4, 1.2, 2.0])
@pytest.mark.parametrize("name", PURE)
def test_what_is_computed_is_what_all_reports_give(name: str, epsilon: float) -> None:
    make, enumerate_reports = PURE[name]
    oracle: Pure = make(epsilon, K)
    reports = enumerate_reports(epsilon)
    assert np.allclose(reports.channel.sum(axis=1), 1)
    ratios = reports.channel.max(axis=0) / reports.channel.min(axis=0)
    assert ratios.max() == pytest.approx(exp(epsilon))
    assert oracle.success(PRIOR, TYPED) == pytest.approx(best_guesses(reports.channel))
    assert oracle.variance(TYPED[3]) == pytest.approx(variance(reports, 3))


@pytest.mark.parametrize("blocks", [None, 1])
@pytest.mark.parametrize("epsilon", [0.4, 1.2, 2.0])
def test_hadamard_response_is_what_all_outputs_give(epsilon: float, blocks: int | None) -> None:
    made = hadamard_response(epsilon, K, blocks)
    variances = []
    for places in permutations(range(K)):
        oracle = replace(made, places=np.array(places))
        reports = of_hadamard(epsilon, oracle)
        assert oracle.success(PRIOR, TYPED) == pytest.approx(best_guesses(reports.channel))
        variances.append(variance(reports, 3))
    ratios = reports.channel.max(axis=0) / reports.channel.min(axis=0)
    assert ratios.max() == pytest.approx(exp(epsilon))
    assert made.variance(TYPED[3]) == pytest.approx(np.mean(variances))


@pytest.mark.parametrize("name", ORACLES)
def test_estimates_have_the_mean_and_the_variance_that_are_stated(name: str) -> None:
    """Seeded: of 400 draws the mean squared error is within 15%, four standard deviations."""
    typed: NDArray[np.int64] = np.full(40, 100)
    oracle: Oracle = ORACLES[name](1.5, 40)
    generator = np.random.default_rng(0)
    estimates = np.array([oracle.estimate(typed, generator) for _ in range(400)])
    off = estimates - 1 / 40
    deviation = np.sqrt(oracle.variance(1 / 40) / typed.sum())
    assert abs(off.mean(axis=0)).max() < 5 * deviation / np.sqrt(400)
    # The words are given, not drawn: a little less than the variance of a report of a drawn one.
    assert (off**2).mean() / deviation**2 == pytest.approx(1, abs=0.15)


def test_of_text_unknown_words_are_one_more_word() -> None:
    codes = np.array([[0b0], [0b1], [0b1111], [0b111000]], np.uint64)
    weights = np.array([3 ** (20 - min(d, 20)) for d in range(65)])
    stand_ins = np.array([0.4, 0.3, 0.2, 0.1])
    channel = linear_map(codes, weights, np.ones(4, np.int64), stand_ins)
    known = channel.into(np.arange(4)).T
    assert np.allclose(known.sum(axis=1), 1)
    rows = np.vstack([known, stand_ins @ known])
    for prior in (PRIOR, PRIOR[::-1].copy()):  # the last one is the unknown words'
        found = named(codes, channel, prior, TYPED)
        assert found == pytest.approx(best_guesses(rows, prior))
    prior = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert named(codes, channel, prior, TYPED) == pytest.approx(TYPED[4])


def test_no_inverse_of_the_channel_needs_fewer_reports() -> None:
    """With as many outputs as words and no unknown ones, the inverse is the only unbiased one."""
    codes = np.array([[0b0], [0b1], [0b1111], [0b111000]], np.uint64)
    weights = np.array([3 ** (20 - min(d, 20)) for d in range(65)])
    channel = linear_map(codes, weights, np.ones(4, np.int64), np.full(4, 0.25))
    shares = np.array([0.1, 0.4, 0.2, 0.3, 0.0])
    inverse, outputs = np.linalg.inv(channel.into(np.arange(4))), channel.forward(shares)
    for word in range(4):
        second_moment = inverse[word] ** 2 @ outputs
        needed = 1.959964**2 * second_moment / (WITHIN * shares[word]) ** 2
        assert needed_at_least(channel, shares, word) == pytest.approx(needed)


def test_the_largest_epsilon_is_on_the_side_of_the_goal() -> None:
    found = largest_epsilon(lambda epsilon: epsilon / 10 + (epsilon >= 3), 0.25)
    assert found == pytest.approx(2.5)
    assert largest_epsilon(lambda epsilon: epsilon / 10, 0.25, most=2) == 2
    jumping = largest_epsilon(lambda epsilon: epsilon / 10 + (epsilon >= 2), 0.25)
    assert jumping == pytest.approx(2)
    assert jumping < 2
    with pytest.raises(ValueError, match="without any report"):
        largest_epsilon(lambda _: 0.5, 0.25)


def test_on_simplex_is_the_nearest_there() -> None:
    shares = np.array([0.6, 0.5, -0.3, 0.02])
    found = on_simplex(shares)
    assert found == pytest.approx(np.array([0.55, 0.45, 0, 0]))
    assert on_simplex(found) == pytest.approx(found)


def test_the_transform_is_that_of_the_matrix() -> None:
    rows = np.random.default_rng(0).normal(size=(3, 8))
    assert transformed(rows) == pytest.approx(rows @ hadamard(8))
