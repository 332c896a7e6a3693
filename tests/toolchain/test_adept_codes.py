"""Sentence codes: the quantizer, the randomized response, and how epsilon is divided."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from brrkit import BrrError, ParameterError
from brrkit.exact import exp_bounds
from brrkit.randomness import RandomSource
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.quantizer import MOST_STAGES, SIZES, Quantizer, fit_quantizers
from brrkit_adept.sentence_codes import (
    CodeRelease,
    Response,
    make_code_release,
    respond,
    response,
)

DRAWS = 200_000
LEAST_P = 1e-9  # the statistic's own tail is within a factor of 4 of it


def latents(rows: int, seed: int, dimensions: int = 12) -> NDArray[np.float32]:
    """Four clusters, with noise that is the smaller the later the coordinate."""
    generator = np.random.default_rng(seed)
    centers = np.random.default_rng(99).standard_normal((4, dimensions))
    noise = generator.standard_normal((rows, dimensions)) / (1 + np.arange(dimensions))
    return (0.3 * (centers[generator.integers(0, 4, rows)] + noise)).astype(np.float32)


@pytest.fixture(scope="module")
def quantizers() -> tuple[Quantizer, ...]:
    return fit_quantizers(latents(3_000, 0), 2, 0, progress=False)


def weights(each: Response) -> NDArray[np.float64]:
    """P(released - symbol mod K)."""
    return np.array([each.same] + [each.other] * (each.size - 1)) / 2.0**64


def p_value(moves: NDArray[np.int64], each: Response) -> float:
    observed = np.bincount(moves, minlength=each.size)
    return float(stats.chisquare(observed, weights(each) * len(moves)).pvalue)


# --- randomized response


@pytest.mark.parametrize("size", [2, 3, 16, 255, 256])
@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 64_000), Fraction(1, 3), Fraction(5), Fraction(20)]
)
def test_weights_are_exact_and_rounded_toward_privacy(size: int, epsilon: Fraction) -> None:
    each = response(size, epsilon)
    low, high = exp_bounds(epsilon, 400)
    assert each.same + (size - 1) * each.other == 1 << 64
    assert each.other <= each.same
    assert each.same << 400 <= low * each.other  # S / T <= e^epsilon
    less = Response(size, each.other - 1)
    assert less.same << 400 > high * less.other  # T is the least such integer


@pytest.mark.parametrize(("size", "epsilon"), [(2, 1), (5, 2), (16, 4), (256, 5)])
def test_symbols_have_their_probabilities(size: int, epsilon: int) -> None:
    """For every symbol: the moves of different ones are of one distribution."""
    each = response(size, Fraction(epsilon))
    for symbol in (0, size - 1):
        released = respond(np.full((DRAWS, 1), symbol), [each], os.urandom)[:, 0]
        assert released.min() >= 0
        assert released.max() < size
        assert p_value((released - symbol) % size, each) > LEAST_P


def test_stages_are_drawn_independently() -> None:
    each = [response(4, Fraction(1)), response(4, Fraction(2))]
    released = respond(np.tile([1, 3], (DRAWS, 1)), each, os.urandom)
    joint = np.bincount(released @ [4, 1], minlength=16)
    one, other = np.roll(weights(each[0]), 1), np.roll(weights(each[1]), 3)
    expected = np.outer(one, other).ravel() * DRAWS
    assert stats.chisquare(joint, expected).pvalue > LEAST_P


def uniform(numbers: list[int]) -> RandomSource:
    content = b"".join(number.to_bytes(8, "little") for number in numbers)

    def source(size: int) -> bytes:
        assert size == len(content)  # 8 bytes a symbol, whatever they are
        return content

    return source


def test_no_uniform_number_is_off_by_one() -> None:
    """The intervals of the moves, at both ends, where 64-bit numbers and doubles differ."""
    each = response(256, Fraction(3))
    t = each.other
    numbers = [0, t - 1, t, 2 * t - 1, 254 * t, 255 * t - 1, 255 * t, 2**64 - 1]
    released = respond(np.full((8, 1), 7), [each], uniform(numbers))[:, 0]
    assert released.tolist() == [8, 8, 9, 9, 6, 6, 7, 7]
    assert float(255 * t) == float(255 * t - 1)  # a comparison of doubles can't tell them apart


def biased(number: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> RandomSource:
    return lambda size: number(np.frombuffer(os.urandom(size), np.uint64)).tobytes()


@pytest.mark.parametrize(
    ("draw", "random"),
    [
        # Another symbol 1% too seldom.
        (response(16, Fraction("2.2")), os.urandom),
        # The true symbol is never drawn among the others, but counted as one of them.
        (Response(16, 2**64 // (7 + 16)), os.urandom),
        # A byte of randomness in place of eight.
        (response(16, Fraction(2)), biased(lambda x: x & np.uint64(0xFF << 56))),
        # Signed numbers.
        (response(16, Fraction(2)), biased(lambda x: x >> np.uint64(1))),
    ],
    ids=["epsilon", "normalizer", "few bits", "signed"],
)
def test_broken_responses_are_noticed(draw: Response, random: RandomSource) -> None:
    released = respond(np.zeros((DRAWS, 1), np.int64), [draw], random)[:, 0]
    assert p_value(released, response(16, Fraction(2))) < LEAST_P


def test_a_short_source_is_refused() -> None:
    with pytest.raises(BrrError, match="the random source returned 8 bytes instead of 16"):
        respond(np.zeros((2, 1), np.int64), [response(4, Fraction(1))], lambda _: bytes(8))


# --- the quantizer


def test_symbols_are_the_nearest_codewords(quantizers: tuple[Quantizer, ...]) -> None:
    quantizer, vectors = quantizers[3], latents(50, 1)
    left = vectors.astype(np.float64) - quantizer.mean
    symbols = quantizer.symbols(vectors)
    for stage, column in enumerate(symbols.T):
        words = quantizer.words[stage] @ quantizer.bases[stage].T
        distances = np.square(left[:, None] - words).sum(axis=2)
        assert np.allclose(distances.min(axis=1), distances[np.arange(50), column], atol=1e-5)
        left -= words[column]
    assert (quantizer.symbols(vectors, 1) == symbols[:, :1]).all()
    assert (quantizer.symbols(vectors[7:8]) == symbols[7:8]).all()


def test_sizes_and_stages(quantizers: tuple[Quantizer, ...]) -> None:
    assert tuple(each.words.shape[1] for each in quantizers) == SIZES
    largest = quantizers[-1]
    assert 4 <= len(largest.words) < MOST_STAGES  # what is left is negligible
    vectors = vectors_clipped(latents(500, 2), 2).astype(np.float32)
    symbols = largest.symbols(vectors)
    exact = largest.expected(symbols, [1e9] * symbols.shape[1])
    variance = np.square(vectors - largest.mean).sum()
    assert np.square(vectors - exact).sum() < 0.03 * variance
    assert np.allclose(largest.shares.sum(axis=1), 1)
    few = fit_quantizers(latents(5, 0), 2, 0, progress=False)
    assert [each.words.shape[1] for each in few] == [2, 4]


def test_equal_codes_have_equal_means_to_the_last_bit(quantizers: tuple[Quantizer, ...]) -> None:
    """Whatever rows are beside them, and whatever the CPU: the sum's order is part of it."""
    quantizer = quantizers[-1]
    symbols = quantizer.symbols(latents(300, 4))
    ratios = np.linspace(2, 50, symbols.shape[1]).tolist()
    means = quantizer.expected(symbols, ratios)
    for rows in (1, 2, 3, 7, 16, 255):
        assert quantizer.expected(symbols[:rows], ratios).tobytes() == means[:rows].tobytes()
    for row, mean in zip(symbols[:3], means, strict=False):
        expected = quantizer.mean.copy()
        for stage, (symbol, ratio) in enumerate(zip(row, ratios, strict=True)):
            more = np.float32(ratio - 1) * quantizer.shares[stage, symbol]
            step = np.zeros_like(expected)
            for place, coordinate in enumerate(quantizer.words[stage, symbol]):
                step += more * coordinate / (more + 1) * quantizer.bases[stage, :, place]
            expected += step
        assert mean.tobytes() == expected.tobytes()


def test_latents_that_are_all_the_same() -> None:
    quantizers = fit_quantizers(np.full((9, 3), 0.25, np.float32), 2, 0, progress=False)
    release = make_code_release(1.0, 2, quantizers)
    released = release(np.zeros((2, 3), np.float32), os.urandom)
    assert np.allclose(released, 0.25)
    assert release.effective_epsilon <= 1


# --- the release


EPSILONS = [1e-3, 0.3, 1.0, 2.7, 8.0, 30.0, 101.3, 1e4]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_losses_add_up_to_epsilon_at_most(
    quantizers: tuple[Quantizer, ...], epsilon: float
) -> None:
    """The loss of the worst two codes, in integers: the product of S / T over the stages."""
    release = make_code_release(epsilon, 2, quantizers)
    same = math.prod(each.same for each in release.responses)
    other = math.prod(each.other for each in release.responses)
    low, _ = exp_bounds(Fraction(epsilon), 512)
    assert same << 512 <= low * other
    assert same << 512 <= exp_bounds(release.effective_epsilon, 512)[0] * other
    assert release.effective_epsilon <= Fraction(epsilon)
    most = 20 * len(quantizers[-1].words)
    assert release.effective_epsilon >= Fraction(min(epsilon, most)) * Fraction("0.999")


def divided_over_no_stages(release: CodeRelease) -> CodeRelease:
    """Each stage is given the whole epsilon."""
    responses = tuple(response(each.size, Fraction(release.epsilon)) for each in release.responses)
    return CodeRelease(release.epsilon, 2, release.quantizer, responses)


def weight_rounded_down(release: CodeRelease) -> CodeRelease:
    responses = tuple(Response(each.size, each.other - 1) for each in release.responses)
    return CodeRelease(release.epsilon, 2, release.quantizer, responses)


@pytest.mark.parametrize("change", [divided_over_no_stages, weight_rounded_down])
def test_broken_divisions_are_noticed(
    quantizers: tuple[Quantizer, ...], change: Callable[[CodeRelease], CodeRelease]
) -> None:
    release = change(make_code_release(25.0, 2, quantizers))
    assert len(release.responses) > 1
    same = math.prod(each.same for each in release.responses)
    other = math.prod(each.other for each in release.responses)
    assert same << 512 > exp_bounds(Fraction(25), 512)[1] * other


def test_the_expected_error_is_what_it_is_chosen_by(quantizers: tuple[Quantizer, ...]) -> None:
    """And what is chosen is better than other divisions."""
    vectors = vectors_clipped(latents(3_000, 0), 2).astype(np.float32)
    largest = quantizers[-1]

    source = np.random.default_rng(0).bytes

    def error(release: CodeRelease) -> float:
        released = np.stack([release(vectors, source) for _ in range(5)])
        return float(np.square(released - vectors).sum(axis=2).mean())

    for epsilon in (1.0, 6.0, 24.0):
        release = make_code_release(epsilon, 2, quantizers)
        variance = np.square(vectors - release.quantizer.mean).sum(axis=1).mean()
        gains = [
            release.quantizer.gain(stage, each.same / each.other)
            for stage, each in enumerate(release.responses)
        ]
        assert error(release) == pytest.approx(variance - sum(gains), rel=0.06)
        for stages in (1, 4, len(largest.words)):
            equal = tuple(response(256, Fraction(epsilon) / stages) for _ in range(stages))
            assert error(release) <= 1.02 * error(CodeRelease(epsilon, 2, largest, equal))


def test_whatever_the_vectors_hold(quantizers: tuple[Quantizer, ...]) -> None:
    release = make_code_release(9.0, 2, quantizers)
    wild = np.zeros((4, 12), np.float32)
    wild[0], wild[1], wild[2] = np.nan, np.inf, -3e38
    released = release(wild, os.urandom)
    assert released.shape == (4, 12)
    assert released.dtype == np.float32
    assert np.isfinite(released).all()
    assert release(wild[:0], os.urandom).shape == (0, 12)
    with pytest.raises(ParameterError, match="7 dimensions, where the release is for 12"):
        release(np.zeros((1, 7), np.float32), os.urandom)


def test_released_vectors_tell_nothing_but_the_symbols(quantizers: tuple[Quantizer, ...]) -> None:
    """All that comes out are the sums that symbols have; equal codes are equal for ever."""
    release = make_code_release(12.0, 2, quantizers)
    sizes = [each.size for each in release.responses]
    symbols = np.array(list(itertools.product(*map(range, sizes)))[:70_000])
    ratios = [each.same / each.other for each in release.responses]
    possible = {row.tobytes() for row in release.quantizer.expected(symbols, ratios)}
    released = release(latents(300, 5), os.urandom)
    assert {row.tobytes() for row in released} <= possible
    near = latents(1, 6)
    one, other = (
        release(vector, np.random.default_rng(3).bytes)
        for vector in (near, near + np.float32(1e-6))
    )
    assert (one == other).all()
