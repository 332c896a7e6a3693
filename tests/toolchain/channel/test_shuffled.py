"""What shuffled counts lose by the definition, on every dataset of a few reporters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from benchmarks.shuffled import clones, least_possible
from brrkit.errors import ParameterError
from brrkit_toolchain.channel.privacy_loss import shuffled as module
from brrkit_toolchain.channel.privacy_loss import shuffled_bound
from brrkit_toolchain.channel.privacy_loss.shuffled import (
    BLANKET,
    LOCAL,
    ShufflingGuarantee,
    blanket,
    local_loss,
    shuffling_guarantee,
)
from brrkit_toolchain.channel.privacy_loss.shuffled_bound import Precision, delta_high

Histogram = tuple[int, ...]
Law = dict[Histogram, Fraction]

SMALL = [
    (n, k, a)
    for n, k in [(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (4, 3), (2, 4), (3, 4)]
    for a in (Fraction(1, 8), Fraction(1, 2), Fraction(15, 16))
]
EXACT = 2e-9
SLACK = 5e-10  # at least half of what the bound adds for roundoff
NO_TAIL = 1e-200


def with_one_more(law: Law, report: list[Fraction]) -> Law:
    """Return the law of a histogram to which a report of a law of its own is added."""
    result: Counter[Histogram] = Counter()
    for histogram, chance in law.items():
        for y, one in enumerate(report):
            result[(*histogram[:y], histogram[y] + 1, *histogram[y + 1 :])] += chance * one
    return dict(result)


@cache
def outputs(inputs: tuple[int, ...], k: int, a: Fraction) -> Law:
    """Return the law of the reports' histogram, exactly."""
    if not inputs:
        return {(0,) * k: Fraction(1)}
    report = [a * (inputs[-1] == y) + (1 - a) / k for y in range(k)]
    return with_one_more(outputs(inputs[:-1], k, a), report)


def excess(one: Law, other: Law, epsilon: float) -> Fraction:
    """Return the smallest delta at ``epsilon``: the hockey-stick divergence."""
    factor = Fraction(math.exp(epsilon))
    return sum(
        (max(p - factor * other.get(y, Fraction(0)), Fraction(0)) for y, p in one.items()),
        Fraction(0),
    )


def truth(n: int, k: int, a: Fraction, epsilon: float) -> Fraction:
    """Return the largest delta over all inputs of the others. Symbols are alike: 0 against 1."""
    return max(
        excess(outputs((*others, 0), k, a), outputs((*others, 1), k, a), epsilon)
        for others in combinations_with_replacement(range(k), n - 1)
    )


@cache
def of_blanket(size: int, k: int, a: Fraction, own: int) -> Law:
    """Return the law of the histogram of ``size`` uniform symbols and one report of ``own``."""
    law: Law = {(0,) * k: Fraction(1)}
    for _ in range(size):
        law = with_one_more(law, [Fraction(1, k)] * k)
    return with_one_more(law, [a * (own == y) + (1 - a) / k for y in range(k)])


def by_definition(n: int, k: int, a: Fraction, epsilon: float) -> Fraction:
    """Return delta where the attacker sees which reports of the others aren't blanket ones."""
    return sum(
        (
            math.comb(n - 1, size)
            * (1 - a) ** size
            * a ** (n - 1 - size)
            * excess(of_blanket(size, k, a, 0), of_blanket(size, k, a, 1), epsilon)
            for size in range(n)
        ),
        Fraction(0),
    )


def epsilons(k: int, a: Fraction) -> list[float]:
    return [share * local_loss(float(a), k) for share in (0, 0.1, 0.35, 0.7, 0.95)]


def below_truth() -> Iterator[tuple[int, int, Fraction]]:
    """Yield the settings in which the bound is smaller than what is lost."""
    for n, k, a in SMALL:
        for epsilon in epsilons(k, a):
            if blanket(float(a), k, n, epsilon, NO_TAIL) < truth(n, k, a, epsilon):
                yield n, k, a


def unlike_definition() -> Iterator[tuple[int, int, Fraction]]:
    """Yield the settings in which the sum isn't what the enumeration says."""
    for n, k, a in SMALL:
        for epsilon in epsilons(k, a):
            expected = float(by_definition(n, k, a, epsilon))
            found = blanket(float(a), k, n, epsilon, NO_TAIL)
            # The slack covers what floating point loses: it must be there.
            if not expected * (1 + SLACK) <= found <= expected * (1 + EXACT) + 1e-12:
                yield n, k, a


def test_no_dataset_loses_more_than_the_bound() -> None:
    assert not list(below_truth())


def test_the_sum_is_the_enumerations() -> None:
    assert not list(unlike_definition())


def test_with_a_third_symbol_no_proof_could_give_much_less() -> None:
    """What an attacker knows of the blanket's size is little."""
    for epsilon in epsilons(4, Fraction(1, 2)):
        found = blanket(0.5, 4, 3, epsilon, NO_TAIL)
        assert float(truth(3, 4, Fraction(1, 2), epsilon)) > 0.8 * found


Sum = Callable[[int, np.ndarray, float, float, float], float]


def without_drawn_symbols(right: Sum) -> Sum:
    """g, the chance to draw the reporter's own symbol, is forgotten."""
    return lambda first, chances, slope, rest, factor: right(first, chances, slope, 0.0, factor)


def with_one_symbol_alone(right: Sum) -> Sum:
    """What is told apart are the reports of the first symbol, not of both."""
    return lambda first, chances, slope, rest, factor: right(
        first, chances, slope / 2, rest, factor
    )


def with_a_smaller_loss(right: Sum) -> Sum:
    return lambda first, chances, slope, rest, factor: right(
        first, chances, slope, rest, factor * 1.001
    )


@pytest.mark.parametrize(
    "broken", [without_drawn_symbols, with_one_symbol_alone, with_a_smaller_loss]
)
def test_a_broken_sum_is_seen(
    broken: Callable[[Sum], Sum], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_sum", broken(module._sum))
    assert list(unlike_definition())


def test_one_report_too_many_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reporter's own report isn't one of those that hide it."""
    right = module._excess
    monkeypatch.setattr(
        module, "_excess", lambda kept, k, size, *others: right(kept, k, size + 1, *others)
    )
    assert list(below_truth())
    assert list(unlike_definition())


def mixture(n: int, k: int, a: float, epsilon: float) -> float:
    """Return delta of the blanket with all its sizes, every size by itself and whole."""
    sizes = np.arange(n)
    logs = [math.lgamma(n) - math.lgamma(s + 1) - math.lgamma(n - s) for s in sizes]
    chances = np.exp(logs + sizes * math.log(1 - a) + (n - 1 - sizes) * math.log(a))
    each = [module._excess(a, k, int(size), epsilon, 1e-40) for size in sizes]
    return float(chances @ each)


@pytest.mark.parametrize("tail", [0.4, 0.1, 1e-3, 1e-9])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_what_is_cut_off_is_added(tail: float, share: float) -> None:
    epsilon = share * local_loss(0.5, 5)
    expected = mixture(150, 5, 0.5, epsilon)
    found = blanket(0.5, 5, 150, epsilon, tail)
    assert expected <= found <= expected + 4.1 * tail + 1e-9 * expected


FINE = Precision(1 << 160, 1 << 64)


def of_integers(
    n: int, k: int, a: Fraction | float, epsilon: float, precision: Precision
) -> Fraction:
    return delta_high(Fraction(a), k, n, 1, Fraction(epsilon), precision)


def test_the_integers_are_the_enumerations() -> None:
    for n, k, a in SMALL:
        for epsilon in epsilons(k, a):
            expected = by_definition(n, k, a, epsilon)
            found = of_integers(n, k, a, epsilon, FINE)
            # Only the enumeration's e^epsilon is a double.
            assert abs(found - expected) <= Fraction(1, 10**12), (n, k, a, epsilon)


def below(precision: Precision) -> list[tuple[int, float]]:
    """Return where the integers are less than the sum of all sizes, by more than doubles err."""
    return [
        (k, share)
        for k, n in ((2, 90), (5, 150), (80, 150))
        for share in (0.02, 0.1, 0.3)
        if of_integers(n, k, 0.5, share * local_loss(0.5, k), precision)
        < Fraction(mixture(n, k, 0.5, share * local_loss(0.5, k))) * (1 - Fraction(1, 10**8))
    ]


@pytest.mark.parametrize(("unit", "stop"), [(64, 44), (64, 62), (30, 24), (16, 0), (4, 2), (0, 0)])
def test_coarse_integers_are_not_below(unit: int, stop: int) -> None:
    assert not below(Precision(1 << unit, 1 << stop))


def rounded_below() -> list[tuple[int, int, Fraction]]:
    """Return where coarse integers are less than the truth at epsilon = 0, a fraction."""
    return [
        (n, k, a)
        for n, k, a in SMALL
        if of_integers(n, k, a, 0.0, Precision(1 << 12, 0)) < by_definition(n, k, a, 0.0)
    ]


def test_rounding_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not rounded_below()
    monkeypatch.setattr(shuffled_bound, "_up", lambda a, b: a // b)
    assert rounded_below()


def test_what_the_integers_leave_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(right: Callable[..., tuple[object, ...]]) -> Callable[..., tuple[object, ...]]:
        return lambda *given: (0, *right(*given)[1:])

    monkeypatch.setattr(shuffled_bound, "_climb", without(shuffled_bound._climb))
    monkeypatch.setattr(shuffled_bound, "_descend", without(shuffled_bound._descend))
    assert below(Precision(1 << 64, 1 << 62))


def test_several_reports_in_integers() -> None:
    one, factor = (
        delta_high(Fraction(1, 5), 50, 900, 1, Fraction(3, 5), FINE),
        Fraction(math.exp(0.6)),
    )
    four = delta_high(Fraction(1, 5), 50, 900, 4, Fraction(3, 5), FINE)
    assert float(four / one) == pytest.approx(float(1 + factor + factor**2 + factor**3), rel=1e-12)


def test_what_is_returned_does_not_rest_on_floating_point(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (Fraction(1, 5), 500, 3_000, 2)
    right = shuffling_guarantee(*arguments, 1e-6).epsilon
    monkeypatch.setattr(module, "blanket", lambda *given: blanket(*given) / 9)
    found = shuffling_guarantee(*arguments, 1e-6).epsilon
    assert right * 0.99 < found < right * 1.05
    each = Fraction(found) / 2
    assert (
        delta_high(*arguments, each, FINE) <= 1e-6 < delta_high(*arguments, each * 95 / 100, FINE)
    )


def test_a_tail_that_is_dropped_is_seen() -> None:
    """Without what ``blanket`` adds, the window is below the whole."""
    epsilon = 0.3 * local_loss(0.5, 5)
    dropped = blanket(0.5, 5, 150, epsilon, 0.4) - 4 * 0.4
    assert dropped < mixture(150, 5, 0.5, epsilon)


def test_large_blankets_in_groups_are_on_the_safe_side() -> None:
    """From 1,000 blanket reports on several sizes count as the smallest."""
    for epsilon in (0.1, 0.25):
        expected = mixture(4_000, 50, 0.3, epsilon)
        assert 1e-9 < expected < blanket(0.3, 50, 4_000, epsilon, 1e-15) < 1.02 * expected


def test_a_binomial_is_never_less_than_it_is() -> None:
    for trials, chance in ((300, Fraction(1, 4)), (300, Fraction(1, 128)), (7, Fraction(1, 2))):
        for tail in (0.1, 1e-6, 1e-30):
            first, chances = module._binomial(trials, float(chance), float(1 - chance), tail)
            exact = [
                math.comb(trials, x) * chance**x * (1 - chance) ** (trials - x)
                for x in range(trials + 1)
            ]
            last = first + len(chances)
            assert sum(exact[:first]) <= tail
            assert sum(exact[max(last - 1, 0) :]) <= tail or last == trials + 1
            window = [float(x) for x in exact[first:last]]
            assert (chances >= np.array(window) * (1 - 1e-12)).all()
            assert chances.sum() == pytest.approx(1)


@pytest.mark.parametrize("s", [1, 2, 15, 16, 33, 1_000, 20_001])
def test_half_is_a_binomial(s: int) -> None:
    spread = math.isqrt(s) // 2 + 1
    for h in {0, s, s // 2, *(min(s // 2 + i * spread, s) for i in (1, 3, 9, 18))}:
        exact = Fraction(math.comb(s, h), 2**s)
        if exact > 1e-290:
            assert module._half(s, h) == pytest.approx(float(exact), rel=5e-11)


def test_a_simulation_agrees() -> None:
    """200 reporters, five symbols; all others typed a third symbol, which hides least.

    Where all others typed 2, the histogram H is multinomial with q = K(.|2) if the one more did,
    too; under x it is H's law times the sum over y of H_y K(y|x) / (n q_y).
    """
    n, k, a = 200, 5, 0.2
    law = [a * (y == 2) + (1 - a) / k for y in range(k)]
    draws = np.random.default_rng(5).multinomial(n, law, 200_000)
    zero, one = (
        draws @ [(a * (y == x) + (1 - a) / k) / (n * law[y]) for y in range(k)] for x in (0, 1)
    )
    for epsilon in (0.02, 0.05, 0.1):
        terms = np.maximum(zero - math.exp(epsilon) * one, 0)
        error = 5 * terms.std() / math.sqrt(len(terms))
        bound = blanket(a, k, n, epsilon, 1e-15)
        assert terms.mean() - error <= bound
        assert bound <= 1.1 * (terms.mean() + error)  # the least that any proof could give
        assert terms.mean() - error > blanket(a, k, 2 * n, epsilon, 1e-15)


@pytest.mark.parametrize("a", [Fraction(1, 8), Fraction(1, 2)])
@pytest.mark.parametrize("delta", [0.2, 0.02, 1e-4])
def test_several_reports_each(a: Fraction, delta: float) -> None:
    """Both of a reporter's two reports are replaced, or the only one of who may send two."""
    k, others = 3, 2
    found = shuffling_guarantee(float(a), k, others + 2, 2, delta)
    for known in combinations_with_replacement(range(k), others):
        for before, after in product(combinations_with_replacement(range(k), 2), repeat=2):
            one, other = outputs((*known, *before), k, a), outputs((*known, *after), k, a)
            assert excess(one, other, found.epsilon) <= found.delta
    for known in combinations_with_replacement(range(k), others + 1):
        one, other = outputs((*known, 0), k, a), outputs((*known, 1), k, a)
        assert excess(one, other, found.epsilon) <= found.delta


def test_what_is_returned_is_proven_and_nearly_all_that_is() -> None:
    for n, k, a, m, delta in (
        (200, 5, 0.2, 1, 1e-3),
        (10_000, 49_969, 0.2, 1, 1e-6),
        (50, 2, 0.5, 1, 1e-4),
        (5_000, 1_000, 0.3, 4, 1e-6),
    ):

        def needed(epsilon: float, each: int, a: float = a, k: int = k, n: int = n) -> float:
            one = epsilon / each
            steps = sum(math.exp(i * one) for i in range(each))
            return blanket(a, k, n, one, 1e-20) * steps

        found = shuffling_guarantee(a, k, n, m, delta)
        assert found.bound == BLANKET
        assert found.delta == delta
        assert needed(found.epsilon, m) <= delta < needed(found.epsilon * 0.99, m)


def test_known_values() -> None:
    """As Google's dp_accounting 0.6.0 composes them, to 4%: at 5 standard deviations' blanket."""
    for reporters, kept, each, expected in (
        (100_000, 0.1, 1, 0.4163),
        (100_000, 0.3, 1, 1.2450),
        (1_000_000, 0.2, 1, 0.2707),
        (100_000, 0.1, 5, 0.9899),
        (1_000_000, 0.2, 5, 0.6460),
    ):
        found = shuffling_guarantee(kept, 49_969, reporters * each, each, 1e-6).epsilon
        assert found == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("reports", [20_000, 10_000_000])
def test_between_what_is_published_and_what_is_possible(reports: int) -> None:
    """Both are computed independently, by ``benchmarks.shuffled``."""
    a, k = 0.2, 49_969
    for delta in (1e-3, 1e-8):
        epsilon = shuffling_guarantee(a, k, reports, 1, delta).epsilon
        assert 0.9 * delta < least_possible(a, k, reports, epsilon) < delta
        assert clones(a, k, reports, epsilon) > delta


def test_more_reports_hide_better_and_more_of_ones_own_worse() -> None:
    def epsilon(
        kept: float = 0.2, reports: int = 3_000, each: int = 2, delta: float = 1e-6
    ) -> float:
        return shuffling_guarantee(kept, 500, reports, each, delta).epsilon

    for values in (
        [epsilon(reports=n) for n in (10_000, 3_000, 1_000, 100, 2)],
        [epsilon(each=m) for m in (1, 2, 5, 20)],
        [epsilon(kept=a) for a in (0.01, 0.1, 0.2, 0.5, 0.9)],
        [epsilon(delta=d) for d in (1e-2, 1e-6, 1e-12, 1e-20)],
    ):
        assert values == sorted(values)
        assert values[0] < values[-1]


@pytest.mark.parametrize(
    ("reports", "each", "delta"), [(1, 3, 1e-6), (20, 50, 1e-300), (5, 1_000, 1e-6)]
)
def test_never_more_than_without_a_shuffler(reports: int, each: int, delta: float) -> None:
    found = shuffling_guarantee(0.5, 100, reports, each, delta)
    assert found == ShufflingGuarantee(found.local, 0.0, LOCAL, found.local)
    assert found.local == pytest.approx(each * math.log(101))
    assert found.local >= each * math.log(101)


def test_blanket_reports_beyond_a_number_hide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    all_of_them = blanket(0.2, 5, 400, 0.1, 1e-15)
    monkeypatch.setattr(module, "MOST_PAIRS", 20)
    found = blanket(0.2, 5, 400, 0.1, 1e-15)
    assert found == pytest.approx(module._excess(0.2, 5, 50, 0.1, 1e-15))
    assert found > all_of_them


def test_very_many_reports() -> None:
    million, more = (shuffling_guarantee(0.5, 2, n, 1, 1e-6).epsilon for n in (10**7, 10**12))
    assert more <= million
    assert shuffling_guarantee(0.5, 2, 10, 1, 0.9).epsilon < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 5, 10, 1, 0.1), "kept must be between 0 and 1, not 0.0"),
        ((1.0, 5, 10, 1, 0.1), "kept must be"),
        ((math.nan, 5, 10, 1, 0.1), "kept must be"),
        ((0.5, 1, 10, 1, 0.1), "symbols must be 2 or more, not 1"),
        ((0.5, 5, 0, 1, 0.1), "reports must be 1 or more, not 0"),
        ((0.5, 5, 10, 0, 0.1), "each must be 1 or more, not 0"),
        ((0.5, 5, 10, 1, 0.0), "delta must be between 0 and 1, not 0.0"),
        ((0.5, 5, 10, 1, 1.0), "delta must be"),
        ((0.5, 5, 10, 1, math.nan), "delta must be"),
    ],
)
def test_arguments_are_checked(arguments: tuple[float, int, int, int, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        shuffling_guarantee(*arguments)
    assert "\n" not in str(caught.value)
