"""The guarantee itself on long runs, and the same tests on mechanisms that break it.

At shipping settings e^(epsilon d) is beyond what a sample can refute; here words are 1 to 3 bits
apart and epsilon is 1. ``violations`` runs four tests. The false-alarm rate of the whole file, for
correct mechanisms, would be below 10^-5 if the source weren't seeded: 10^-7 for each of the 68
chi-square tests, and below 10^-8 for all others together. Each broken version kept below must fail
at least the tests that it names, and so many draws are made as that takes: a test's statistic is,
on average, five standard deviations beyond what it is held against. A right mechanism is drawn from
as often, so it would be caught in what they do.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from copy import copy
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.exact import flip_threshold, weight_table
from brrkit.mechanisms import MECHANISMS, create_mechanism, exponential
from brrkit.mechanisms.vickrey import Vickrey
from brrkit.randomizer import Randomizer
from brrkit.randomness import RandomSource
from brrkit.setting import Setting

EPSILON = 1.0
T = 0.5  # Vickrey's
RADIUS = 2  # the exponential mechanism's, where it has one

# In the lowest bits of codes that are equal elsewhere. The cube makes the guarantee tight for brr:
# every noised code is a word's. In the star, the normalizers of the exponential mechanism differ.
VOCABULARIES = {"cube": range(8), "star": (0, 1, 2, 4, 8, 16)}
EDGE_FAR = [1 << i | 1 << j for i in range(1, 6) for j in range(i + 1, 6)]  # RADIUS bits each
EDGE = (0, 1, 1 | EDGE_FAR[0], *EDGE_FAR[1:])
"""A crowd at RADIUS from 0, one word at RADIUS from 1: there the first step beyond it shows."""
REST = 0x5A5A_0F0F_3C3C_A560
LOW_BITS = 5

# A statistic of 32 has probability (1 + 32) e^-32 < 5 * 10^-13 in a correct mechanism; fewer than
# 2,000 are computed.
CRITICAL = 32

# For each word. The subtlest of what is broken below, weights that fall too fast and a modulo bias,
# take 7,000 and 10,300.
DRAWS = 10_500
SHARED = 10  # draws of a word, a divisor of all its draws
# For the rate of flipped bits, each draw 64: a rate off by 2% gives a statistic of 189 on average.
NOISED = 40_000

Mechanism = Callable[[NDArray[np.uint64], RandomSource], NDArray[np.intp]]
ChiSquare = Callable[..., float]


def relative_entropy(observed: float, expected: float) -> float:
    """Return KL(observed || expected) of two probabilities of a yes."""

    def part(o: float, e: float) -> float:
        return o * math.log(o / e) if o else 0.0

    return part(observed, expected) + part(1 - observed, 1 - expected)


def excess(high: int, low: int, draws: int, factor: float) -> float:
    """Evidence against Pr[high] <= factor * Pr[low]: counts of two independent runs.

    The least A + B over all allowed probabilities, where A = draws * KL(high/draws || p) and
    B = draws * KL(low/draws || q). By Chernoff, Pr[A >= a] <= e^-a at the true p if high/draws > p,
    likewise for B; so a sum of s or more has probability at most (1 + s) e^-s. No approximation.
    """
    p_high, p_low = high / draws, low / draws
    if p_high <= factor * p_low:
        return 0.0

    def evidence(q: float) -> float:
        return draws * (relative_entropy(p_high, factor * q) + relative_entropy(p_low, q))

    left, right = p_low, min(p_high / factor, 1 - 1e-12)
    for _ in range(60):  # convex: ternary search
        third = (right - left) / 3
        if evidence(left + third) < evidence(right - third):
            right -= third
        else:
            left += third
    return evidence((left + right) / 2)


def distance(first: int, second: int) -> int:
    return (first ^ second).bit_count()


def count_outputs(
    mechanism: Mechanism, codes: NDArray[np.uint64], draws: int, source: RandomSource
) -> NDArray[np.int64]:
    """Return how often each word came out, for each word that went in."""
    rows = [mechanism(np.tile(code, (draws, 1)), source) for code in codes]
    return np.array([np.bincount(row, minlength=len(codes)) for row in rows])


def sharing(mechanism: Any) -> Any:
    """Return a mechanism that prepares a word once for several draws in a row, as an audit does.

    Only draws take random bytes, so the same words come out.
    """
    prepare = getattr(mechanism, "prepare", None)
    if prepare is None:
        return mechanism
    numbers, last = itertools.count(), list[Any]()

    def prepared(code: NDArray[np.uint64], following: Any) -> Any:
        if next(numbers) % SHARED == 0:
            last[:] = int(code[0]), prepare(code, following)
        assert last[0] == int(code[0])
        return last[1]

    shared = copy(mechanism)
    vars(shared)["prepare"] = prepared
    return shared


def breaks_inequality(counts: NDArray[np.int64], words: tuple[int, ...], draws: int) -> bool:
    """Test Pr[M(w) = y] <= e^(epsilon d(w, w')) Pr[M(w') = y] for every w, w' and y."""
    for (i, first), (j, second) in product(enumerate(words), repeat=2):
        factor = math.exp(EPSILON * distance(first, second))
        for y in range(len(words)) if i != j else ():
            if excess(int(counts[i, y]), int(counts[j, y]), draws, factor) > CRITICAL:
                return True
    return False


def expected_probabilities(name: str, words: tuple[int, ...], radius: int = 0) -> list[list[float]]:
    """Return Pr[y | w], from the definitions and in floating point: nothing of the runtime's."""
    if name == "exponential":
        to_all = [[distance(w, y) for y in words] for w in words]
        falls = [[min(d, radius) / 8 + max(d - radius, 0) for d in row] for row in to_all]
        weights = [[math.exp(-EPSILON / 2 * fall) for fall in row] for row in falls]
        return [[weight / sum(row) for weight in row] for row in weights]
    flip = 1 / (1 + math.exp(EPSILON))
    rest = 64 - LOW_BITS  # the bits that all words share: their flips add to every distance
    elsewhere = [math.comb(rest, n) * flip**n * (1 - flip) ** (rest - n) for n in range(rest + 1)]
    result = []
    for word in words:
        row = [0.0] * len(words)
        for pattern in range(1 << LOW_BITS):
            flips = pattern.bit_count()
            probability = flip**flips * (1 - flip) ** (LOW_BITS - flips)
            lengths = [distance(word ^ pattern, y) for y in words]
            nearest, second = sorted(range(len(words)), key=lengths.__getitem__)[:2]
            keep = 1.0
            if name == "vickrey":
                keep = sum(
                    p
                    * (1 - T)
                    * (lengths[second] + n)
                    / (T * (lengths[nearest] + n) + (1 - T) * (lengths[second] + n))
                    for n, p in enumerate(elsewhere)
                )
            row[nearest] += probability * keep
            row[second] += probability * (1 - keep)
        result.append(row)
    return result


def wrong_flip_rate(
    randomizer: Randomizer, codes: NDArray[np.uint64], draws: int, source: RandomSource
) -> bool:
    """Test the rate of flipped bits against T / 2^32, in both directions."""
    noised = randomizer(np.tile(codes[:1], (draws, 1)), source) ^ codes[0]
    rate = float(np.unpackbits(noised.view(np.uint8)).mean())
    expected = flip_threshold(EPSILON) / 2**32
    return 64 * draws * relative_entropy(rate, expected) > CRITICAL


def repeats(mechanism: Mechanism, codes: NDArray[np.uint64], source: RandomSource) -> bool:
    """Test that 256 draws aren't drawn again: equal with probability below 2^-200."""
    batches = [mechanism(np.tile(codes[:1], (256, 1)), source).tolist() for _ in range(2)]
    return batches[0] == batches[1]


def violations(
    mechanism: Any,
    name: str,
    words: tuple[int, ...],
    draws: int = DRAWS,
    *,
    chi_square: ChiSquare,
    source: RandomSource | None = None,
    radius: int = 0,
) -> set[str]:
    """Return the names of the tests that a mechanism fails.

    Args:
        mechanism: what is tested.
        name: what it claims to be.
        words: the low bits of the vocabulary's codes.
        draws: for each word.
        chi_square: the fixture.
        source: of random bytes.
        radius: that it claims to have.
    """
    source = source or random.Random(20).randbytes  # NumPy takes 7 us for 8 bytes
    codes = np.array([REST ^ word for word in words], np.uint64)[:, None]
    counts = count_outputs(sharing(mechanism), codes, draws, source)
    expected = expected_probabilities(name, words, radius)
    randomizer = getattr(mechanism, "randomizer", None)
    failed = {
        "inequality": breaks_inequality(counts, words, draws),
        "frequencies": any(map(lambda c, e: chi_square(c, e) > 1, counts, expected)),
        "flip rate": randomizer and wrong_flip_rate(randomizer, codes, NOISED, source),
        "repeats": repeats(mechanism, codes, source),
    }
    return {test for test, fails in failed.items() if fails}


@pytest.fixture
def create(bundle_of: Callable[..., WordBundle]) -> Callable[..., Any]:
    """Make a mechanism on one of the vocabularies."""

    def make(name: str, words: tuple[int, ...], radius: int = 0) -> Any:
        bundle = bundle_of([REST ^ word for word in words])
        parameters = {"vickrey": {"t": T}, "exponential": {"radius": radius}}
        return create_mechanism(bundle, Setting(EPSILON, name, parameters.get(name, {})))

    return make


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_keep_the_guarantee(
    name: str, vocabulary: str, create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    words = tuple(VOCABULARIES[vocabulary])
    assert violations(create(name, words), name, words, chi_square=chi_square) == set()


@pytest.mark.parametrize("vocabulary", [*VOCABULARIES.values(), EDGE], ids=[*VOCABULARIES, "edge"])
def test_a_radius_keeps_the_guarantee(
    vocabulary: tuple[int, ...], create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    words = tuple(vocabulary)
    mechanism = create("exponential", words, RADIUS)
    found = violations(mechanism, "exponential", words, chi_square=chi_square, radius=RADIUS)
    assert found == set()


def test_the_expected_probabilities_keep_the_guarantee() -> None:
    """A check of the tests: their own model of each mechanism satisfies the inequality."""
    claims = [(*claim, 0) for claim in product(MECHANISMS, map(tuple, VOCABULARIES.values()))]
    claims += [
        ("exponential", words, RADIUS) for words in (*map(tuple, VOCABULARIES.values()), EDGE)
    ]
    for name, words, radius in claims:
        rows = expected_probabilities(name, words, radius)
        for (w, first), (v, second) in product(zip(words, rows, strict=True), repeat=2):
            assert sum(first) == pytest.approx(1)
            bound = math.exp(EPSILON * distance(w, v)) * (1 + 1e-9)
            assert all(p <= bound * q for p, q in zip(first, second, strict=True))


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_flip_rate_off_by_two_percent_is_caught(
    factor: float, create: Callable[..., Any], bundle64: WordBundle, chi_square: ChiSquare
) -> None:
    words = tuple(VOCABULARIES["cube"])
    broken = create("brr", words)
    threshold = round(factor * broken.threshold)
    broken.randomizer = Randomizer(bundle64.graph, 64, threshold)
    assert "flip rate" in violations(broken, "brr", words, chi_square=chi_square)


class PrintedVickrey(Vickrey):
    """Algorithm 1 as the paper prints it: the input word isn't a candidate."""

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.intp]:
        ids, distances = self._index.nearest(self._brr.randomizer(codes, random), 3)
        inputs, _ = self._index.nearest(codes)
        others = ids != inputs
        others[others.all(axis=1), 2] = False
        kept, lengths = ids[others].reshape(-1, 2), distances[others].reshape(-1, 2)
        return kept[np.arange(len(kept)), [self._choose(row, random) for row in lengths.tolist()]]


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_vickrey_without_the_input_word_is_caught(
    vocabulary: str, bundle_of: Callable[..., WordBundle], chi_square: ChiSquare
) -> None:
    words = tuple(VOCABULARIES[vocabulary])
    broken = PrintedVickrey(bundle_of([REST ^ word for word in words]), EPSILON, T)
    found = violations(broken, "vickrey", words, 6_000, chi_square=chi_square)
    assert {"inequality", "frequencies"} <= found


def test_weights_that_fall_too_fast_are_caught(
    create: Callable[..., Any], chi_square: ChiSquare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exponential, "weight_table", lambda e, *rest: weight_table(2 * e, *rest))
    monkeypatch.setattr(exponential, "check_weights", lambda *_: None)
    words = tuple(VOCABULARIES["star"])
    broken = create("exponential", words)
    found = violations(broken, "exponential", words, chi_square=chi_square)
    assert {"inequality", "frequencies"} <= found


def test_weights_that_rise_inside_the_radius_are_caught(
    create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    """A word that seldom comes out as itself, but often for its neighbors."""
    words = tuple(VOCABULARIES["cube"])
    broken = create("exponential", words, RADIUS)
    broken.weights[0] //= 8
    found = violations(broken, "exponential", words, 6_500, chi_square=chi_square, radius=RADIUS)
    assert {"inequality", "frequencies"} <= found


def test_a_table_one_step_too_steep_beyond_the_radius_is_caught(
    create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    """Two steps at once after the radius; a smaller radius is no violation."""
    broken = create("exponential", EDGE, RADIUS)
    broken.weights[RADIUS + 1 : -1] = broken.weights[RADIUS + 2 :].copy()
    found = violations(broken, "exponential", EDGE, 15_000, chi_square=chi_square, radius=RADIUS)
    assert {"inequality", "frequencies"} <= found

    early = create("exponential", EDGE, RADIUS - 1)
    found = violations(early, "exponential", EDGE, 5_500, chi_square=chi_square, radius=RADIUS)
    assert found == {"frequencies"}


def test_modulo_bias_is_caught(
    create: Callable[..., Any], chi_square: ChiSquare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2^64 is 2.29 times the cube's total weight: the near words gain up to a third."""

    def modulo(bound: int, source: RandomSource) -> int:
        return int.from_bytes(source(8), "little") % bound

    monkeypatch.setattr(exponential, "uniform_below", modulo)
    words = tuple(VOCABULARIES["cube"])
    broken = create("exponential", words, RADIUS)
    found = violations(broken, "exponential", words, chi_square=chi_square, radius=RADIUS)
    assert "frequencies" in found


class Loop:
    """A generator that starts over after some bytes."""

    def __init__(self, size: int) -> None:
        self.buffer = random.Random(21).randbytes(size)
        self.position = 0

    def __call__(self, size: int) -> bytes:
        start = self.position
        self.position = (start + size) % len(self.buffer)
        rounds = (start + size) // len(self.buffer) + 1
        return (self.buffer * rounds)[start : start + size]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_generator_that_repeats_itself_is_caught(
    name: str, create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    words = tuple(VOCABULARIES["cube"])
    looped = Loop(2048)  # the noise of 8 words, or 256 integers
    found = violations(
        create(name, words), name, words, 6_000, chi_square=chi_square, source=looped
    )
    assert "frequencies" in found


@pytest.mark.parametrize("name", ["brr", "vickrey"])
def test_a_generator_that_gives_the_same_at_every_call_is_caught(
    name: str, create: Callable[..., Any], chi_square: ChiSquare
) -> None:
    """As after a fork that copied a buffer, or with a seed set in the wrong place."""

    def same(size: int) -> bytes:
        return random.Random(22).randbytes(size) if size > 8 else bytes(8)

    words = tuple(VOCABULARIES["cube"])
    found = violations(create(name, words), name, words, 6_000, chi_square=chi_square, source=same)
    assert {"frequencies", "repeats"} <= found
