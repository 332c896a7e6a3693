"""The best possible attacker: exact success against fractions, real draws, and broken formulas.

The statistical tests are seeded; each states the rate at which a right implementation would fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, distributions, exponential
from numpy.typing import NDArray
from scipy import stats

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.exact import flip_threshold, weight_table
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import (
    WORD_ATTACKERS,
    ReleasesNoisedInput,
    WordAttacker,
    drawn_attack,
    informed_bound,
    learned_success,
    least_protected,
    make_prior,
    observed_bound,
    weighted_success,
)
from brrkit_toolchain.calibrate.limits import (
    RadiusSearchResult,
    SettingGrid,
    most_meaning,
    steepest,
)
from brrkit_toolchain.calibrate.roots import crossing, round_to_meet
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.random_numbers import random_flips
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.codes.histograms import all_histograms
from brrkit_toolchain.embeddings.reader import read_embeddings

FALSE_ALARM_RATE = 1e-4
MISSES = 0.05  # of an upper bound, by its statement

Codes = NDArray[np.uint64]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def near_codes(words: int, planes: int = 1, seed: int = 0) -> Codes:
    """Return codes in clusters, some of them equal: distances from 0 to about half the bits."""
    generator = rng(seed)
    centers = generator.integers(1 << 63, size=(max(1, words // 5), planes), dtype=np.uint64)
    codes = centers[generator.integers(len(centers), size=words)]
    for _ in range(6):  # a bit of each plane, some bits twice
        codes ^= np.uint64(1) << generator.integers(64, size=codes.shape, dtype=np.uint64)
    codes[words // 2] = codes[0]
    return codes


def distances(codes: Codes) -> NDArray[np.int64]:
    differing = np.unpackbits((codes[:, None] ^ codes[None]).view(np.uint8), axis=2)
    result: NDArray[np.int64] = differing.sum(axis=2, dtype=np.int64)
    return result


def rational_prior(prior: WordAttacker, words: int) -> list[Fraction]:
    if prior == "isolated":
        return [Fraction(1, words)] * words
    total = sum(Fraction(1, rank) for rank in range(1, words + 1))
    return [Fraction(1, rank) / total for rank in range(1, words + 1)]


def brute_force(codes: Codes, weights: list[int], prior: list[Fraction]) -> list[Fraction]:
    """Return each word's success, from the definition, in fractions."""
    d = distances(codes).tolist()
    words = range(len(codes))
    totals = [sum(weights[d[x][y]] for y in words) for x in words]
    success = [Fraction(0)] * len(codes)
    for y in words:
        joint = [prior[x] * Fraction(weights[d[x][y]], totals[x]) for x in words]
        named = joint.index(max(joint))  # of equals the first
        success[named] += joint[named] / prior[named]
    return success


def totals_of(codes: Codes, weights: list[int]) -> NDArray[np.int64]:
    return all_histograms(codes) @ np.array(weights, np.int64)


@dataclass(frozen=True)
class Table:
    """The part of a channel that a success is computed from, of any weights and totals."""

    bundle: WordBundle
    weights: NDArray[np.int64]
    totals: NDArray[np.int64]

    @property
    def codes(self) -> Codes:
        return self.bundle.codes

    @property
    def everything(self) -> Surroundings:
        return Surroundings(self.codes, np.arange(len(self.codes)))


def table(codes: Codes, weights: list[int], totals: NDArray[np.int64] | None = None) -> Any:
    totals = totals_of(codes, weights) if totals is None else totals
    return Table(bundle_of(codes), np.array(weights), totals)


def computed(codes: Codes, weights: list[int], prior: WordAttacker) -> NDArray[np.float64]:
    return weighted_success(table(codes, weights), make_prior(prior, len(codes))).words


class TestExact:
    @pytest.mark.parametrize("prior", WORD_ATTACKERS)
    @pytest.mark.parametrize(
        ("words", "planes", "epsilon", "radius"),
        [
            (2, 1, 1.0, 0),
            (40, 1, 2 / 3, 0),
            (60, 1, 1.0, 5),
            (45, 2, 0.5, 12),
            (30, 1, 6.0, 64),
        ],
    )
    def test_fractions(
        self, words: int, planes: int, epsilon: float, radius: int, prior: WordAttacker
    ) -> None:
        codes = near_codes(words, planes)
        weights = weight_table(epsilon, 64 * planes, words, radius)
        own = rational_prior(prior, words)
        expected = brute_force(codes, weights, own)
        found = weighted_success(table(codes, weights), make_prior(prior, words))
        mean = sum(p * s for p, s in zip(own, expected, strict=True))
        assert found.mean == pytest.approx(float(mean), rel=1e-12)
        if radius < 64:  # where all words are equal, rounding decides who is named
            assert found.words == pytest.approx([float(s) for s in expected], rel=1e-9)
        assert found.worst == least_protected(found.words)

    def test_a_success_that_ignores_the_normalizer_is_another(self) -> None:
        codes = near_codes(60)
        weights = weight_table(1.0, 64, 60, 5)
        prior = make_prior("isolated", 60)
        same = np.full(60, weights[0] * 5)
        broken = weighted_success(table(codes, weights, same), prior)
        right = float(sum(brute_force(codes, weights, rational_prior("isolated", 60)))) / 60
        assert abs(broken.mean - right) > 0.02

    def test_twins_are_told_apart_by_rank(self) -> None:
        codes = near_codes(40)
        found = computed(codes, weight_table(Fraction(1), 64, 40), "isolated")
        assert found[20] == 0  # its code is word 0's
        assert found[0] > 0

    def test_more_words_than_a_block_and_a_range(self) -> None:
        codes = near_codes(1_300)
        weights = weight_table(Fraction(1, 3), 64, 1_300, 6)
        f = np.array(weights, np.float64)[distances(codes)]
        f /= f.sum(axis=1, keepdims=True)
        assert computed(codes, weights, "isolated").mean() == pytest.approx(f.max(axis=0).mean())

    def test_least_protected(self) -> None:
        assert least_protected(np.arange(300.0)) == 298
        assert least_protected(np.arange(301.0)) == 298.5  # 4 of 301
        assert least_protected(np.array([0.25])) == 0.25

    @pytest.mark.parametrize("prior", WORD_ATTACKERS)
    def test_real_draws_reach_it_and_nobody_beats_it(self, prior: WordAttacker) -> None:
        """An attacker who computes the posterior from the runtime's own distribution.

        Two-sided for them, one-sided for the others, at 10^-4 / 4 each.
        """
        bundle_codes = near_codes(200)
        mechanism = exponential(bundle_codes, 0.7, 6)
        weights = mechanism.weights.tolist()
        own = make_prior(prior, 200)
        success = float(own @ computed(bundle_codes, weights, prior))
        typed = rng(1).choice(200, 60_000, p=own)
        seen = Channel(bundle_of(bundle_codes), Setting(0.7, parameters={"radius": 6})).releaser(
            rng()
        )(typed)
        f = distributions(mechanism, bundle_codes)
        attackers = {
            "best": (own[:, None] * f).argmax(axis=0),
            "most likely": f.argmax(axis=0),  # no prior
            "the output": np.arange(200),
            "most weight": (own[:, None] * f * f.sum(axis=1, keepdims=True)).argmax(axis=0),
            "nearest frequent": (own[:, None] * (f >= f.max(axis=0) / 2)).argmax(axis=0),
        }
        level = FALSE_ALARM_RATE / len(attackers)
        for name, named in attackers.items():
            hits = int((named[seen] == typed).sum())
            side = "two-sided" if name == "best" else "greater"
            assert stats.binomtest(hits, len(typed), success, side).pvalue > level, name

    def test_of_the_runtime(self, sample_bundle: Path) -> None:
        """The table and the totals are those of ``Privatizer.distribution``."""
        bundle = WordBundle.open(sample_bundle)
        for base in ("uniform", "unigram"):
            channel = SettingGrid.of(bundle, base).at(0.6, 8, 9.0)
            weights, totals = channel.weights, channel.totals
            measure = channel.everything.measure
            privatizer = Privatizer(
                bundle, Setting(0.6, parameters={"radius": 8, "base": base, "cap": 9.0})
            )
            for word_id in (0, 7, 1_999):
                word = bundle.vocabulary.word(word_id)
                stated = privatizer.distribution(word)[word]
                own = int(weights[0]) * int(measure[word_id])
                assert stated == Fraction(own, int(totals[word_id]))


class TestDrawn:
    """Bounds hold; the truth is known where a mechanism is small enough to enumerate."""

    def test_bounds_enclose_the_truth(self) -> None:
        """The exponential mechanism's success is exact: draws must enclose it.

        Each of 40 observed bounds misses with 2.5% at most: more than 7 do with less than 10^-4.
        """
        codes = near_codes(60)
        success = computed(codes, exponential(codes, 0.8, 4).weights.tolist(), "isolated")
        misses = below = 0
        for seed in range(40):
            typed = rng(seed).integers(60, size=4_000)
            mechanism = Channel(bundle_of(codes), Setting(0.8, parameters={"radius": 4})).releaser(
                rng(100 + seed)
            )
            seen = mechanism(typed)
            misses += observed_bound(typed, seen) < success.mean()
            below += learned_success(typed, seen).low <= success.mean()
        assert misses <= stats.binom.isf(FALSE_ALARM_RATE, 40, MISSES / 2)
        assert below >= 40 - stats.binom.isf(FALSE_ALARM_RATE, 40, MISSES / 2)

    @pytest.mark.parametrize("prior", WORD_ATTACKERS)
    @pytest.mark.parametrize("name", ["brr", "vickrey", "laplace"])
    def test_the_learned_stays_below_the_informed(self, name: str, prior: WordAttacker) -> None:
        source = read_embeddings(ENCYCLOPEDIA, vocabulary_size=400, progress=False)
        own = make_prior(prior, 400)
        codes = near_codes(400)
        epsilon = 0.8 if name in ("brr", "vickrey") else 10.0
        mechanism = Channel(bundle_of(codes), Setting(epsilon, name), source.vectors).releaser(
            rng()
        )
        typed = rng(1).choice(400, 30_000, p=own)
        attack = drawn_attack(mechanism, typed, own)
        assert attack.worst is None
        assert attack.success.low <= attack.success.value <= attack.success.high
        assert attack.success.value < attack.success.high or name == "laplace"
        unchanged = float((mechanism(typed) == typed).mean())
        assert attack.success.high > unchanged - 0.02  # naming the output is an attack
        if prior == "isolated" and name == "laplace":  # the output is the best guess
            assert attack.success.high == pytest.approx(unchanged, abs=0.02)
            assert attack.success.value == pytest.approx(unchanged, abs=0.02)

    @pytest.mark.parametrize("prior", WORD_ATTACKERS)
    def test_brr_s_guesses_are_the_posterior_s_largest(self, prior: WordAttacker) -> None:
        codes = near_codes(50)
        own = make_prior(prior, 50)
        mechanism = Channel(bundle_of(codes), Setting(1.0, "brr")).releaser(rng(3))
        assert isinstance(mechanism, ReleasesNoisedInput)
        released, guesses = mechanism.release_and_guess(np.arange(50), own)
        noised = codes ^ random_flips(codes.shape, flip_threshold(1.0), rng(3).bytes)
        d = distances(np.concatenate([noised, codes]))[:50, 50:]
        joint = np.log(own) - d * 1.0  # the threshold's epsilon is 1 up to 1e-9
        assert guesses.tolist() == joint.argmax(axis=1).tolist()
        assert released.tolist() == d.argmin(axis=1).tolist()

    def test_informed_bound_is_clopper_s(self) -> None:
        typed = np.zeros(100, np.intp)
        guesses = np.r_[np.zeros(30, np.int64), np.ones(70, np.int64)]
        expected = stats.binomtest(30, 100).proportion_ci(0.95, method="exact").high
        assert informed_bound(typed, guesses) == pytest.approx(expected)
        assert informed_bound(typed, typed) == 1

    def test_a_word_is_named_where_it_is_significant(self) -> None:
        typed = np.array([1, 1] * 20 + [0, 0] * 2, np.intp)  # 1 always comes out as 0
        assert learned_success(typed, np.zeros(44, np.int64)).value == pytest.approx(20 / 22)
        typed = np.array([0, 0, 1, 1, 1, 1], np.intp)  # too few to tell: the output is named
        assert learned_success(typed, np.zeros(6, np.int64)).value == pytest.approx(1 / 3)


def all_words(codes: Codes) -> SettingGrid:
    return SettingGrid.of(bundle_of(codes), "uniform")


class TestLimits:
    @pytest.fixture(scope="class")
    @staticmethod
    def words(sample_bundle: Path) -> SettingGrid:
        return all_words(WordBundle.open(sample_bundle).codes)

    @pytest.mark.parametrize("prior", WORD_ATTACKERS)
    @pytest.mark.parametrize("success", [0.2, 0.4])
    def test_steepest(self, words: SettingGrid, prior: WordAttacker, success: float) -> None:
        found = steepest(words, prior, 8, success)
        assert 0.996 * success < found.success.mean <= success
        again = words.success(found.epsilon, 8, prior)
        assert again.mean == found.success.mean
        assert words.success(1.01 * found.epsilon, 8, prior).mean > success

    def test_most_meaning_is_under_both_limits(self, words: SettingGrid) -> None:
        found = most_meaning(words, "isolated", 0.2, 0.3)
        assert found.success.mean <= 0.2
        assert found.success.worst <= 0.3
        wider = steepest(words, "isolated", found.radius + 1, 0.2)
        assert wider.success.worst > 0.3
        without = steepest(words, "isolated", 0, 0.2)

        def lost(one: RadiusSearchResult) -> float:
            return words.utility_loss(one.epsilon, one.radius, "isolated")

        assert lost(wider) < lost(found) < lost(without)

    def test_out_of_reach(self, words: SettingGrid) -> None:
        with pytest.raises(ParameterError, match=r"attack-success 1e-05 can't be reached"):
            steepest(words, "isolated", 4, 1e-5)
        with pytest.raises(ParameterError, match=r"worst 0\.05 can't be reached: at attack-succ"):
            most_meaning(words, "isolated", 0.2, 0.05)

    def test_a_glimpse_is_near(self) -> None:
        words = all_words(near_codes(9_000))
        for prior in WORD_ATTACKERS:
            exact = words.success(0.4, 6, prior).mean
            assert words.glimpse(0.4, 6, prior) == pytest.approx(exact, rel=0.05)

    def test_in_running_text_the_radius_is_the_default(self, words: SettingGrid) -> None:
        assert most_meaning(words, "frequencies", 0.3, None).radius == 8


class TestRoots:
    def test_crossing(self) -> None:
        assert crossing(lambda x: x**3 - 0.2, 0.01, 1) == pytest.approx(0.2 ** (1 / 3), rel=1e-3)
        assert crossing(lambda x: 0.2 - x, 0.01, 1) == pytest.approx(0.2, rel=1e-3)

    def test_the_nearer_end_where_there_is_none(self) -> None:
        assert crossing(lambda x: x - 2, 0.01, 1) == 1
        assert crossing(lambda x: x + 2, 0.01, 1) == 0.01

    def test_rounding_meets_the_goal(self) -> None:
        """A root may be on the wrong side of a step; what is returned isn't."""
        for limit in (0.123449, 0.12345, 7.7, 0.98765):
            for found in (0.9998 * limit, limit, 1.0002 * limit):
                below = round_to_meet(lambda x, limit=limit: x <= limit, found, down=True)
                above = round_to_meet(lambda x, limit=limit: x >= limit, found, down=False)
                assert below <= limit <= above
                for epsilon in (below, above):
                    assert f"{epsilon:.4g}" == repr(epsilon)
                    assert epsilon == pytest.approx(limit, rel=2e-3)
