"""The three mechanisms: golden cases, parameters, and exact probabilities."""

from __future__ import annotations

import io
import math
import os
import random
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.exact import decay, flip_threshold, weight_table
from brrkit.hamming import HammingIndex
from brrkit.mechanisms import MECHANISMS, create_mechanism
from brrkit.setting import Setting

NO_FLIP = np.int32(2**31 - 1).tobytes()
ChiSquare = Callable[[Sequence[int], Sequence[float]], float]
UNIGRAM = {"base": "unigram"}


def without_noise(seed: int) -> Callable[[int], bytes]:
    """Return a source that flips no bit; only the draws of integers (8 bytes) are random."""
    draw = random.Random(seed).randbytes
    return lambda size: draw(8) if size == 8 else NO_FLIP * (size // 4)


def distance(bundle: WordBundle, first: int, second: int) -> int:
    both = bundle.codes[first] ^ bundle.codes[second]
    return int.from_bytes(both.tobytes(), "little").bit_count()


# --- parameters


@pytest.mark.parametrize("name", ["", "BRR", "laplace", "brr "])
def test_unknown_mechanisms(bundle64: WordBundle, name: str) -> None:
    with pytest.raises(ParameterError, match="choose one of: brr, vickrey, exponential"):
        create_mechanism(bundle64, Setting(1.0, name))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("brr", {"t": 0.5}, "'brr' has no parameter 't'; it takes none"),
        ("brr", {"k": 2}, "'brr' has no parameter 'k'; it takes none"),
        (
            "exponential",
            {"t": 0.5},
            "'exponential' has no parameter 't'; it takes radius, base, cap",
        ),
        ("vickrey", {"T": 0.5}, "'vickrey' has no parameter 'T'; it takes t, k"),
        ("vickrey", {"t": 0.5, "x": 1}, "'vickrey' has no parameter 'x'; it takes t, k"),
        ("vickrey", {"bundle": 1}, "has no parameter 'bundle'"),
        ("brr", {"epsilon": 5.0}, "has no parameter 'epsilon'"),
    ],
)
def test_parameters_of_another_mechanism(
    bundle64: WordBundle, name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        create_mechanism(bundle64, Setting(1.0, name, parameters))


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 22.2, "x", None])
def test_bad_epsilon(bundle64: WordBundle, name: str, epsilon: Any) -> None:
    with pytest.raises(ParameterError, match="epsilon must be a number"):
        create_mechanism(bundle64, Setting(epsilon, name))


BAD_T = [
    -0.1,
    1.1,
    math.nextafter(1, 2),
    -5e-324,
    math.nan,
    math.inf,
    "x",
    "0.5",
    "",
    True,
    [True],
    ["0.5"],
    None,
    {},
    {0.5},
    [],
    (),
    [1, -1],
    [math.inf],
    [0.1, math.nan],
    [0.1, "x"],
    [[0.1]],
    [None],
    1j,
    pytest.param(10**400, id="10**400"),
    pytest.param([10**400], id="[10**400]"),
]


@pytest.mark.parametrize("t", BAD_T)
def test_bad_t(bundle64: WordBundle, t: Any) -> None:
    with pytest.raises(ParameterError, match="t must be a number from 0 to 1, or a list of k"):
        create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": t}))


@pytest.mark.parametrize(
    ("t", "k"), [(0.5, 1), (0.5, 3), ([0.1], 2), ([0.1, 0.2, 0.3], 2), (0.5, "x"), ([1, 1], 0)]
)
def test_a_k_that_doesn_t_fit(bundle64: WordBundle, t: Any, k: Any) -> None:
    with pytest.raises(ParameterError, match="but t gives"):
        create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": t, "k": k}))


@pytest.mark.parametrize(("t", "k"), [(0.5, 2), ([0.1], 1), ((0.1, 0.2, 0.3), 3), (1, None)])
def test_a_k_that_fits(bundle64: WordBundle, t: Any, k: int | None) -> None:
    vickrey: Any = create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": t, "k": k}))
    assert vickrey.k == (k or 2)


def test_k_is_at_most_64(bundle64: WordBundle) -> None:
    assert create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": [0.1] * 64}))
    for count in (65, 10_000):
        with pytest.raises(ParameterError, match=f"t has {count} numbers; give at most 64"):
            create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": [0.1] * count}))


def test_k_is_at_most_the_vocabulary(bundle_of: Callable[..., WordBundle]) -> None:
    bundle = bundle_of([1, 2, 3])
    assert create_mechanism(bundle, Setting(1.0, "vickrey", {"t": [0.1] * 3}))
    with pytest.raises(ParameterError, match="k = 4 is larger than the vocabulary of 3 words"):
        create_mechanism(bundle, Setting(1.0, "vickrey", {"t": [0.1] * 4}))


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.5, 2.0, 22.18, 1])
def test_effective_epsilon_is_at_most_the_requested_one(
    bundle: WordBundle, name: str, epsilon: float
) -> None:
    parameters = {"radius": 8, "base": "uniform"} if name == "exponential" else {}
    mechanism = create_mechanism(bundle, Setting(epsilon, name, parameters))
    assert mechanism.epsilon == epsilon
    assert type(mechanism.epsilon) is float
    assert 0 < mechanism.effective_epsilon <= epsilon
    # One flip more in 2^32 costs at most about 1/T; the weights cost less than 10^-9 where their
    # first full step, beyond the radius, is between large integers.
    weights = 1e-9 if epsilon < 20 else 1e-5
    lost = weights if name == "exponential" else 2 / flip_threshold(epsilon)
    assert mechanism.effective_epsilon >= epsilon - lost


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_batch_equals_single_calls(bundle64: WordBundle, name: str) -> None:
    """The documented order: the noise of all words, then the integers of all words.

    With the base ``bigram`` they are one text (``test_base.py``).
    """
    streams = [np.random.default_rng(i).bytes(4096) for i in range(20)]
    noise = 0 if name == "exponential" else 256
    mechanism = create_mechanism(
        bundle64, Setting(1.0, name, UNIGRAM if name == "exponential" else {})
    )
    singles, integers = [], b""
    for word_id, stream in enumerate(streams):
        source = io.BytesIO(stream)
        singles += mechanism(bundle64.codes[word_id : word_id + 1], source.read).tolist()
        integers += stream[noise : source.tell()]
    batch = io.BytesIO(b"".join(stream[:noise] for stream in streams) + integers)
    assert mechanism(bundle64.codes[:20], batch.read).tolist() == singles
    assert batch.read() == b""


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_codes_give_no_ids(bundle64: WordBundle, name: str) -> None:
    mechanism = create_mechanism(bundle64, Setting(1.0, name))
    assert mechanism(bundle64.codes[:0], bytes).tolist() == []


# --- vickrey


def test_vickrey_with_t_0_is_brr(bundle: WordBundle) -> None:
    brr: Any = create_mechanism(bundle, Setting(0.5, "brr"))
    vickrey = create_mechanism(bundle, Setting(0.5, "vickrey", {"t": 0}))
    codes = bundle.codes[:100]
    noise = np.random.default_rng(1).bytes(100 * 4 * bundle.bits)
    draws = random.Random(1).randbytes(10_000)
    expected = brr(codes, io.BytesIO(noise).read)
    assert np.array_equal(vickrey(codes, io.BytesIO(noise + draws).read), expected)


def test_vickrey_with_t_1_is_the_second_nearest(bundle: WordBundle) -> None:
    brr: Any = create_mechanism(bundle, Setting(0.5, "brr"))
    vickrey = create_mechanism(bundle, Setting(0.5, "vickrey", {"t": 1.0}))
    codes = bundle.codes[:100]
    noise = np.random.default_rng(1).bytes(100 * 4 * bundle.bits)
    draws = random.Random(1).randbytes(10_000)
    ids, _ = bundle.index.nearest(brr.randomizer(codes, io.BytesIO(noise).read), 2)
    assert np.array_equal(vickrey(codes, io.BytesIO(noise + draws).read), ids[:, 1])


@pytest.mark.parametrize("codes", [[5, 9, 8], [5, 5, 9], [5, 5, 5]])
def test_vickrey_s_ends_on_a_noised_code_that_is_a_word_s(
    codes: list[int], bundle_of: Callable[..., WordBundle]
) -> None:
    """The distance d1 = 0 makes t irrelevant in the formula: t = 1 still means the second."""
    bundle = bundle_of(codes)
    second = int(bundle.index.nearest(bundle.codes[:1], 2)[0][0, 1])
    for t, expected in ((0.0, 0), (1.0, second)):
        vickrey = create_mechanism(bundle, Setting(1.0, "vickrey", {"t": t}))
        assert set(vickrey(np.tile(bundle.codes[:1], (50, 1)), without_noise(2))) == {expected}


@pytest.mark.parametrize("t", [0.1, 0.5, 0.9])
def test_vickrey_chooses_in_the_ratio_of_the_formula(
    t: float, bundle_of: Callable[..., WordBundle], chi_square: ChiSquare
) -> None:
    bundle = bundle_of([0b111, 0b11111, 2**64 - 1])
    vickrey = create_mechanism(bundle, Setting(1.0, "vickrey", {"t": t}))
    ids = vickrey(np.zeros((20_000, 1), np.uint64), without_noise(3))  # d1 = 3, d2 = 5
    first = (1 - t) * 5 / (t * 3 + (1 - t) * 5)
    assert np.bincount(ids, minlength=3)[2] == 0
    assert chi_square(np.bincount(ids, minlength=2)[:2], [first, 1 - first]) < 1


@pytest.mark.parametrize(
    "rates", [[0.3, 0.1, 0.2, 0.05], [0.0, 0.0, 0.0], [0.5, 0.25], [1e-9, 0.2, 0.1]]
)
def test_vickrey_among_k_chooses_in_the_ratio_of_the_exponentials(
    rates: list[float], bundle_of: Callable[..., WordBundle], chi_square: ChiSquare
) -> None:
    bundle = bundle_of([0b1, 0b111, 0b11111, 0xFFF, 2**64 - 1])  # at 1, 3, 5, 12 from zero
    vickrey = create_mechanism(bundle, Setting(1.0, "vickrey", {"t": rates}))
    ids = vickrey(np.zeros((20_000, 1), np.uint64), without_noise(4))
    weights = [math.exp(-t * d) for t, d in zip(rates, (1, 3, 5, 12), strict=False)]
    counts = np.bincount(ids, minlength=5)
    assert counts[len(rates) :].sum() == 0
    assert chi_square(counts[: len(rates)], [w / sum(weights) for w in weights]) < 1


def test_vickrey_among_one_is_brr(bundle64: WordBundle) -> None:
    brr = create_mechanism(bundle64, Setting(0.5, "brr"))
    vickrey = create_mechanism(bundle64, Setting(0.5, "vickrey", {"t": [0.7]}))
    noise = np.random.default_rng(1).bytes(50 * 256)
    expected = brr(bundle64.codes[:50], io.BytesIO(noise).read)
    draws = vickrey(bundle64.codes[:50], io.BytesIO(noise + bytes(400)).read)
    assert np.array_equal(draws, expected)


def test_vickrey_with_extreme_rates(bundle_of: Callable[..., WordBundle]) -> None:
    bundle = bundle_of([0b1, 0b11, 0b111])
    for rates in ([1e308] * 3, [5e-324] * 3, [1e308, 5e-324, 0.0], [0.0, 1e308, 1e308]):
        vickrey: Any = create_mechanism(bundle, Setting(1.0, "vickrey", {"t": rates}))
        ids = vickrey(np.zeros((20, 1), np.uint64), without_noise(5))
        exponents = [Fraction(t) * d for t, d in zip(rates, (1, 2, 3), strict=True)]
        possible = {r for r in range(3) if exponents[r] - min(exponents) < 23}
        assert set(ids.tolist()) <= possible


def test_vickrey_with_many_candidates(bundle64: WordBundle) -> None:
    """From 32 on the search sorts; the ranks are the same."""
    vickrey = create_mechanism(bundle64, Setting(1.0, "vickrey", {"t": [0.05] * 40}))
    ids = vickrey(np.tile(bundle64.codes[3:4], (500, 1)), without_noise(6))
    nearest, _ = bundle64.index.nearest(bundle64.codes[3:4], 40)
    assert set(ids.tolist()) <= set(nearest[0].tolist())
    assert len(set(ids.tolist())) > 10


def integers(*numbers: int) -> Callable[[int], bytes]:
    """Return a source that flips no bit and then gives these numbers, and no more."""
    left = list(numbers)
    return lambda size: left.pop(0).to_bytes(8, "little") if size == 8 else NO_FLIP * (size // 4)


def test_vickrey_s_draw_is_exact_at_every_boundary(bundle_of: Callable[..., WordBundle]) -> None:
    bundle = bundle_of([0b1, 0b111, 0b11111])  # at 1, 3 and 5 from zero
    vickrey = create_mechanism(bundle, Setting(1.0, "vickrey", {"t": [0.2, 0.1, 0.2]}))
    exponents = [Fraction(0.2), 3 * Fraction(0.1), 5 * Fraction(0.2)]
    weights = [decay(exponent - min(exponents)) for exponent in exponents]
    boundaries = np.cumsum([0, *weights]).tolist()
    for rank in range(3):
        for number in (boundaries[rank], boundaries[rank + 1] - 1):
            assert vickrey(np.zeros((1, 1), np.uint64), integers(number)).tolist() == [rank]
    rejected = integers(boundaries[3], 0)  # the sum itself
    assert vickrey(np.zeros((1, 1), np.uint64), rejected).tolist() == [0]


# --- exponential


@pytest.mark.parametrize("radius", [None, 0, 1, 2, 3, 64])
def test_the_exponential_draw_is_exact_at_every_boundary(
    bundle_of: Callable[..., WordBundle], radius: int | None
) -> None:
    bundle = bundle_of([0b1, 0b111, 0b10, 0b11111, 0b100])  # at 1, 3, 1, 5 and 1 from zero
    mechanism = create_mechanism(bundle, Setting(1.0, parameters={"radius": radius}))
    weights = weight_table(1.0, 64, 5, 8 if radius is None else radius)
    ids: dict[int, list[int]] = {1: [0, 2, 4], 3: [1], 5: [3]}
    start = 0
    for d, there in ids.items():
        end = start + len(there) * weights[d]
        for number in (start, end - 1):
            for position, word_id in enumerate(there):
                source = integers(number, position)
                assert mechanism(np.zeros((1, 1), np.uint64), source).tolist() == [word_id]
        start = end
    rejected = integers(start, 0, 0)  # the sum itself
    assert mechanism(np.zeros((1, 1), np.uint64), rejected).tolist() == [0]


@pytest.mark.parametrize("radius", [-1, 65, 2**32, 8.0, "8", True, [8]])
def test_bad_radius(bundle64: WordBundle, radius: Any) -> None:
    with pytest.raises(ParameterError, match=r"radius must be an integer from 0 to 64 \(bits\)"):
        create_mechanism(bundle64, Setting(1.0, parameters={"radius": radius}))


def test_radius_is_a_number_of_bits(bundle: WordBundle) -> None:
    """By default an eighth of the code; within it weights fall so many times more gently."""
    for given, meant in ((None, bundle.bits // 8), (np.int64(5), 5), (bundle.bits, bundle.bits)):
        mechanism: Any = create_mechanism(bundle, Setting(0.2, parameters={"radius": given}))
        steps = np.log(mechanism.weights[:-1] / mechanism.weights[1:])
        assert steps[:meant] == pytest.approx(0.1 / 8, abs=1e-3)
        assert steps[meant:] == pytest.approx(0.1, abs=1e-3)
    assert mechanism.effective_epsilon == pytest.approx(0.2 / 8)


@pytest.mark.parametrize("radius", [0, 1, 8, 40])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 22.18])
def test_distribution_is_the_weights_exactly(
    bundle: WordBundle, epsilon: float, radius: int
) -> None:
    privatizer = Privatizer(
        bundle, Setting(epsilon, parameters={"radius": radius, "base": "uniform"})
    )
    weights = weight_table(epsilon, bundle.bits, len(bundle), radius)
    for word_id in (0, len(bundle) // 2, len(bundle) - 1):
        probabilities = privatizer.distribution(bundle.vocabulary.word(word_id))
        assert list(probabilities) == list(bundle.vocabulary)
        assert sum(probabilities.values()) == 1
        expected = [weights[distance(bundle, word_id, i)] for i in range(len(bundle))]
        total = sum(expected)
        assert list(probabilities.values()) == [Fraction(w, total) for w in expected]


CLOSE = [0, 0b1, 0b11, 0b111, 0b10000, 0b110000, 0b11, 0b1110000]


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_long_run_frequencies_are_the_distribution(
    epsilon: float, bundle_of: Callable[..., WordBundle], chi_square: ChiSquare
) -> None:
    bundle = bundle_of(CLOSE)
    privatizer = Privatizer(
        bundle, Setting(epsilon, parameters={"radius": 1}), random=random.Random(7).randbytes
    )
    for word in ("w0", "w3", "w6"):
        probabilities = privatizer.distribution(word)
        outputs = privatizer.words([word] * 20_000)
        counts = [outputs.count(other) for other in probabilities]
        assert chi_square(counts, [float(p) for p in probabilities.values()]) < 1


# The ends of epsilon, where weights hardly fall or soon are 1, and between them a table without a
# radius, which makes the bound tight, and one with a step from gentle to steep among the words.
@pytest.mark.parametrize(("epsilon", "radius"), [(1e-9, None), (0.7, 0), (3.0, 2), (22.18, 25)])
def test_metric_privacy_over_all_pairs(
    epsilon: float,
    radius: int | None,
    bundle64: WordBundle,
    bundle256: WordBundle,
    bundle_of: Callable[..., WordBundle],
) -> None:
    """p(y | w) <= e^(epsilon d(w, w')) p(y | w') for every y, w and w', in exact arithmetic."""
    generator = random.Random(8)
    spread = bundle_of(CLOSE + [generator.getrandbits(64) for _ in range(12)])
    sample = generator.sample(range(len(bundle64)), 8)
    for tested, inputs in ((spread, range(20)), (bundle64, sample), (bundle256, sample)):
        mechanism: Any = create_mechanism(tested, Setting(epsilon, parameters={"radius": radius}))
        rows = {i: mechanism.distribution(tested.codes[i]) for i in inputs}
        with localcontext() as context:
            context.prec = 50
            for first, second in combinations_with_replacement(inputs, 2):
                bound = (Decimal(epsilon) * distance(tested, first, second)).exp()
                # The bound is irrational but for distance 0: 50 digits decide every comparison.
                for high, low in ((first, second), (second, first)):
                    worst = max(p / q for p, q in zip(rows[high], rows[low], strict=True))
                    assert Decimal(worst.numerator) / worst.denominator <= bound


@pytest.mark.parametrize("base", ["uniform", "unigram"])
@pytest.mark.parametrize("bits", ["64", "256"])
def test_exponential_releases_equal_codes_as_one_by_one(
    bundles: Path, bits: str, base: str
) -> None:
    """The bytes are read in the same order in one call as in many."""
    bundle = WordBundle.open(bundles / bits)
    mechanism = create_mechanism(bundle, Setting(0.2, parameters={"base": base}))
    generator = np.random.default_rng(5)
    codes = bundle.codes[generator.integers(0, 12, 200)]
    source = random.Random(3).randbytes
    singly = [int(mechanism(code[None], source)[0]) for code in codes]
    assert mechanism(codes, random.Random(3).randbytes).tolist() == singly
    assert len(set(singly)) > 15


def test_exponential_scans_once_for_each_code(
    bundle64: WordBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal ones, too: else the time would tell how many differ."""
    scanned: list[int] = []
    right = HammingIndex.scan

    def scan(self: HammingIndex, *arguments: Any) -> Any:
        scanned.append(1)
        return right(self, *arguments)

    monkeypatch.setattr(HammingIndex, "scan", scan)
    mechanism = create_mechanism(bundle64, Setting(0.2, parameters=UNIGRAM))
    for ids in ([*range(50)], [7] * 50, [1, 2, 1, 3, 1]):
        scanned.clear()
        mechanism(bundle64.codes[ids], os.urandom)
        assert len(scanned) == len(ids)
