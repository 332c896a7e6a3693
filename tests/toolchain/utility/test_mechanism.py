"""The privacy measurements: against brute force in exact fractions, and against known truths.

Statistical tests are seeded; where an interval has to hold the truth so many times out of so many,
the comment gives the probability with which a right implementation would fail.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, brute_force_distances, distributions, exponential, rewrite
from numpy.typing import NDArray
from scipy import stats

from brrkit import BundleError, ParameterError, WordBundle
from brrkit.setting import Certificate, Estimate, Setting
from brrkit_toolchain.attackers.one_word import WORD_ATTACKERS, WordAttacker
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.privacy_loss.distances import metric_of
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.confidence import mean, mean_proportion, proportion
from brrkit_toolchain.language.word_sample import WordSample, chosen_words, sample_words, zipf
from brrkit_toolchain.utility.curves import measure_setting
from brrkit_toolchain.utility.mechanism import MechanismEvaluator, measure_words
from brrkit_toolchain.utility.support import mean_support, word_support
from brrkit_toolchain.utility.word_loss import code_loss

if TYPE_CHECKING:
    from conftest import Brr

FALSE_ALARM_RATE = 1e-4


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def ids(*values: int) -> NDArray[np.intp]:
    return np.array(values, np.intp)


class TestEstimates:
    @pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (1, 1), (250, 1_000)])
    def test_independent_trials_have_the_interval_of_wilson(self, hits: int, trials: int) -> None:
        share = hits / trials
        expected = stats.binomtest(hits, trials).proportion_ci(method="wilson")
        for found in (
            proportion(share, share * (1 - share) / trials, trials),
            mean_proportion(np.array([share]), trials),
        ):
            assert (found.value, found.low, found.high) == pytest.approx(
                (share, expected.low, expected.high), abs=1e-12
            )
            assert found.low <= found.value <= found.high

    def test_trials_that_agree_count_once(self) -> None:
        # Rows of 50 equal trials: the variance between rows is p (1 - p) / (rows - 1).
        found = mean_proportion(np.array([0.0] * 30 + [1.0] * 11), 50)
        expected = stats.binomtest(11, 41).proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.003)
        assert found.high - found.low > expected.high - expected.low
        # Without a spread each counts.
        found, expected = mean_proportion(np.zeros(20), 50), stats.binomtest(0, 1_000)
        assert found.high == pytest.approx(expected.proportion_ci(method="wilson").high)

    def test_exact_shares(self) -> None:
        assert mean_proportion(np.array([0.3]), None) == Estimate(0.3, 0.3, 0.3)
        found = mean_proportion(np.array([0.2, 0.3, 0.4]), None)
        assert found.value == pytest.approx(0.3)
        assert found.high - found.low == pytest.approx(2 * 1.96 * 0.1 / 3**0.5, rel=0.1)

    def test_mean_has_the_t_interval(self) -> None:
        values = np.array([3.0, 4.0, 8.0, 9.0])
        low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
        found = mean(values)
        assert (found.value, found.low, found.high) == pytest.approx((6, low, high))
        assert mean(np.array([0.0, 1.0])).low == 0  # a loss is never negative
        assert mean(np.array([4.0])) == Estimate(4, 4, 4)


class TestWords:
    def test_zipf(self) -> None:
        assert zipf(np.arange(3)) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
        assert zipf(ids(0, 3)) == pytest.approx([4 / 5, 1 / 5])

    def test_words_are_drawn_by_frequency(self) -> None:
        sample = sample_words(ids(1, 2, 5), 20_000)
        assert set(sample.tokens.tolist()) == {1, 2, 5}
        counts = np.bincount(sample.tokens)[[1, 2, 5]]
        expected = 20_000 * np.array([1 / 2, 1 / 3, 1 / 6])
        assert stats.chisquare(counts, expected).pvalue > FALSE_ALARM_RATE

    def test_sample(self) -> None:
        sample = WordSample(ids(7, 2, 7, 7))
        assert sample.words.tolist() == [2, 7]
        assert sample.prior.tolist() == [0.25, 0.75]
        assert sample.words[sample.rows].tolist() == [7, 2, 7, 7]
        typed = np.bincount(sample.typed(10_000, rng()), minlength=8)
        assert stats.binomtest(int(typed[7]), 10_000, 0.75).pvalue > FALSE_ALARM_RATE
        assert typed[2] + typed[7] == 10_000

    def test_chosen_words(self, opened: WordBundle) -> None:
        sample = chosen_words(opened, ["London", "the", "london"])
        london = opened.vocabulary.find("london")
        assert sample.tokens.tolist() == [london, opened.vocabulary.find("the"), london]
        with pytest.raises(ParameterError, match="word 2 of 3 is out of vocabulary") as caught:
            chosen_words(opened, ["the", "xqzqvblorf", "london"])
        assert "xqzqvblorf" not in str(caught.value)


class TestSupport:
    def test_by_hand(self) -> None:
        found = word_support(1, ids(1, 1, 2, 3), 1_000)
        assert found.unchanged.value == 0.5
        assert found.distinct == Estimate(3, 3, 3)
        assert found.effective.value == pytest.approx(6)  # one of six pairs agrees
        assert found.draws == 4
        assert (
            word_support(1, ids(1, 1, 2, 3), 5).effective.value == 5
        )  # never above the vocabulary
        same = word_support(4, ids(4, 4, 4), 9)
        assert (same.unchanged.value, same.distinct.value, same.effective.value) == (1, 1, 1)

    def test_means_by_hand(self) -> None:
        outputs = np.array([[1, 1, 2, 3], [5, 5, 5, 5]])
        found = mean_support(ids(1, 5), outputs, 1_000)
        assert found.unchanged.value == 0.75
        assert found.distinct.value == 2
        assert found.effective.value == pytest.approx(2 / (1 / 6 + 1))  # harmonic

    @pytest.mark.parametrize("draws", [2, 3, 5])
    def test_agreement_is_unbiased_at_any_number_of_draws(self, draws: int) -> None:
        p = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
        expected = Fraction(0)
        for outputs in product(range(3), repeat=draws):
            probability = np.prod([p[y] for y in outputs])
            agreement = 1 / word_support(0, ids(*outputs), 10**12).effective.value
            expected += probability * Fraction(agreement).limit_denominator(1_000)
        assert expected == sum(q * q for q in p)

    @pytest.mark.parametrize("law", [[0.5, 0.3, 0.2], [0.9, *[0.001] * 100], [0.01] * 100])
    def test_intervals_hold_the_truth(self, law: list[float]) -> None:
        # 95% each; fewer than 265 of 300 has probability below 10^-5 at 95%, 10^-4 at 93%.
        truth, generator = 1 / sum(p * p for p in law), rng(1)
        held = {"effective": 0, "unchanged": 0}
        for _ in range(300):
            found = word_support(0, generator.choice(len(law), 200, p=law), 10**6)
            held["effective"] += found.effective.low <= truth <= found.effective.high
            held["unchanged"] += found.unchanged.low <= law[0] <= found.unchanged.high
        assert min(held.values()) >= 265


class TestSurroundings:
    codes = rng(4).integers(0, 2**64, (40, 1), np.uint64)
    words = ids(0, 7, 8, 39)
    epsilon = 0.3
    exact = Surroundings(codes, words)

    @pytest.fixture(params=[0, 24, 30, None])
    def radius(self, request: pytest.FixtureRequest) -> int | None:
        """Codes are some 32 bits apart."""
        radius: int | None = request.param
        return radius

    @pytest.fixture
    def weights(self, radius: int | None) -> NDArray[np.int64]:
        return exponential(self.codes, self.epsilon, radius).weights

    @pytest.fixture
    def rows(self, radius: int | None) -> NDArray[np.float64]:
        mechanism = exponential(self.codes, self.epsilon, radius)
        return distributions(mechanism, self.codes[self.words])

    def test_is_what_the_distribution_says(
        self, rows: NDArray[np.float64], weights: NDArray[np.int64]
    ) -> None:
        away = brute_force_distances(self.codes)[self.words]
        expected = {
            "unchanged": rows[np.arange(4), self.words],
            "distance": (rows * away).sum(axis=1),
        }
        for name, values in expected.items():
            assert getattr(self.exact, name)(weights) == pytest.approx(values, rel=1e-12)
        for draws in (1, 2, 10):
            agreement, distinct = self.exact.repeats(weights, draws)
            assert agreement == pytest.approx((rows**2).sum(axis=1), rel=1e-12)
            expected_distinct = (1 - (1 - rows) ** draws).sum(axis=1)
            assert distinct == pytest.approx(expected_distinct, rel=1e-12)

    def test_weights_fall_as_they_should(
        self, weights: NDArray[np.int64], radius: int | None
    ) -> None:
        # From the definition, in floating point: nothing of the project's.
        gentle = 8 if radius is None else radius
        distances = brute_force_distances(self.codes)[self.words].astype(int)
        falls = np.minimum(distances, gentle) / 8 + np.maximum(distances - gentle, 0)
        unchanged = 1 / np.exp(-self.epsilon / 2 * falls).sum(axis=1)
        assert self.exact.unchanged(weights) == pytest.approx(unchanged, rel=1e-9)

    def test_columns(
        self, rows: NDArray[np.float64], weights: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("brrkit_toolchain.channel.surroundings._OUTPUTS_AT_A_TIME", 7)
        blocks = list(self.exact.columns(weights))
        assert len(blocks) == 6
        assert np.hstack(blocks) == pytest.approx(rows, rel=1e-12)

    def test_any_loss(self, rows: NDArray[np.float64], weights: NDArray[np.int64]) -> None:
        matrix = rng(5).random((40, 40))
        losses = self.exact.losses(lambda i, o: matrix[i, o])
        found = (losses * self.exact.probabilities(weights)).sum(axis=1)
        assert found == pytest.approx((rows * matrix[self.words]).sum(axis=1), rel=1e-12)


class Unknown(Channel):
    """A channel of which nothing is known but what is drawn."""

    @property
    def weighted(self) -> None:
        return None


class Drawn(MechanismEvaluator):
    """An evaluator that knows of no mechanism but what it draws."""

    def channel(self, setting: Setting) -> Channel:
        return Unknown(self.bundle, setting)


class TestExperiment:
    codes = rng(4).integers(0, 2**64, (200, 1), np.uint64)
    sample = sample_words(np.arange(200), 300, 6)
    exact = MechanismEvaluator(bundle_of(codes), sample, draws=20)

    def drawn(self, seed: int, draws: int = 20) -> MechanismEvaluator:
        return Drawn(bundle_of(self.codes), self.sample, draws=draws, seed=seed)

    @pytest.mark.parametrize(("epsilon", "radius"), [(0.1, 0), (0.3, 0), (0.6, 24)])
    def test_draws_agree_with_the_distribution(self, epsilon: float, radius: int) -> None:
        setting = Setting(epsilon, parameters={"radius": radius})
        true, found = self.exact.outcome(setting), self.drawn(1).outcome(setting)
        pairs = [
            (found.support.unchanged, true.support.unchanged),
            (found.support.distinct, true.support.distinct),
            (found.support.effective, true.support.effective),
            (found.utility_loss, true.utility_loss),
        ]
        for estimate, truth in pairs:
            # Twice the half-width on each side: four standard errors, 15 times 6 * 10^-5.
            assert 2 * estimate.low - estimate.value <= truth.value
            assert truth.value <= 2 * estimate.high - estimate.value
        each = zip(self.drawn(1, 500).words(setting), self.exact.words(setting), strict=True)
        for ours, theirs in each:
            assert ours.unchanged.value == pytest.approx(theirs.unchanged.value, abs=0.12)

    def test_exact_intervals_are_over_words(self) -> None:
        exact = self.exact
        unchanged = exact.outcome(Setting(0.3, parameters={"radius": 0})).support.unchanged
        values = np.array([1 / w for w in self._normalizers(0.3)])[self.sample.tokens]
        assert unchanged.value == pytest.approx(values.mean())
        reach = 1.96 * values.std(ddof=1) / 300**0.5
        assert unchanged.high - unchanged.low == pytest.approx(2 * reach, rel=0.02)

    def _normalizers(self, epsilon: float) -> list[float]:
        return np.exp(-epsilon / 2 * brute_force_distances(self.codes)).sum(axis=1).tolist()

    def test_same_seed_same_numbers(self) -> None:
        assert self.drawn(1).outcome(Setting(0.3)) == self.drawn(1).outcome(Setting(0.3))
        assert self.drawn(1).outcome(Setting(0.3)) != self.drawn(2).outcome(Setting(0.3))

    def test_settings_share_their_random_numbers(self) -> None:
        # A bit that flips at a larger epsilon flips at a smaller one too: with 100 steps of 0.1%
        # and fresh numbers for each, unchanged would fall about as often as it rises.
        meter = MechanismEvaluator(bundle_of(self.codes), self.sample)
        shares = [
            meter.outcome(Setting(0.5 * 1.001**i, "brr")).support.unchanged.value
            for i in range(100)
        ]
        assert np.mean(np.diff(shares) < 0) < 0.2

    @pytest.mark.parametrize("attacker", WORD_ATTACKERS)
    @pytest.mark.parametrize("name", ["exponential", "brr"])
    def test_attacks_at_several_epsilons(self, name: str, attacker: WordAttacker) -> None:
        settings = [Setting(epsilon, name) for epsilon in (0.2, 0.8, 2.0)]
        each = [self.exact.attack(setting, attacker) for setting in settings]
        assert self.exact.attacks(settings, attacker) == each


class TestLosses:
    @pytest.mark.parametrize("planes", [1, 4])
    def test_code_loss(self, planes: int) -> None:
        codes = rng(7).integers(0, 2**64, (30, planes), np.uint64)
        everything = np.arange(30)
        found = code_loss(codes)(everything[:, None], everything[None])
        assert np.array_equal(found, brute_force_distances(codes) / (64 * planes))
        assert code_loss(codes)(ids(3, 4), ids(5, 6)).tolist() == [found[3, 5], found[4, 6]]


class TestMetric:
    vectors = (rng(9).standard_normal((2_000, 5)) * [1, 2, 3, 4, 5]).astype(np.float32)

    @pytest.mark.parametrize(
        ("name", "field"),
        [("brr", "hamming"), ("exponential", "hamming"), ("laplace-vickrey", "euclidean")],
    )
    def test_from_the_manifest(self, opened: WordBundle, name: str, field: str) -> None:
        stated = opened.manifest["distances"][field]
        metric = metric_of(Setting(1, name), opened, None)
        assert (metric.average, metric.maximum) == (stated["average"], stated["maximum"])
        assert metric.exact

    def test_mahalanobis(self, opened: WordBundle) -> None:
        # With the metric's own covariance all words whiten to variance 1 of 5 dimensions, scaled by
        # trace / 5; P_avg of normal vectors is 2 Gamma(3) / Gamma(2.5) times that.
        metric = metric_of(Setting(1, "mahalanobis", {"lambda_": 1.0}), opened, self.vectors)
        scale = (np.trace(np.cov(self.vectors.T)) / 5) ** 0.5
        assert metric.average == pytest.approx(scale * 2 * 2 / 1.3293, rel=0.02)
        assert not metric.exact

    @pytest.mark.parametrize("value", [None, 0, "x", False])
    def test_unusable_manifest(self, bundle: Path, value: Any) -> None:
        def spoil(fields: dict[str, Any]) -> None:
            fields["distances"]["hamming"]["average"] = value

        spoilt = WordBundle.open(rewrite(bundle, edit=spoil))
        with pytest.raises(BundleError, match=r"field 'distances\.hamming\.average'"):
            metric_of(Setting(1, "brr"), spoilt, None)


class TestMechanism:
    def test_a_calibrated_row_obeys_the_cap(self, opened: WordBundle) -> None:
        evaluator = MechanismEvaluator(
            bundle_of(opened.codes), sample_words(np.arange(len(opened)), 10)
        )
        for cap, expected in ((None, 32), (20.0, 20), (40.0, 32)):
            parameters = {"base": "uniform"} | ({} if cap is None else {"cap": cap})
            row = measure_setting(evaluator, 32.0, "isolated", Setting(1.0, parameters=parameters))
            assert row.estimated_loss == expected

    def test_more_epsilon_is_less_private(self, opened: WordBundle) -> None:
        for name in ("brr", "exponential"):
            weak, strong = (
                measure_words(opened, Setting(epsilon, name), sample=200, draws=10)
                for epsilon in (2.0, 0.2)
            )
            assert weak.support.unchanged.low > strong.support.unchanged.high
            assert weak.support.effective.high < strong.support.effective.low
            assert weak.support.distinct.high < strong.support.distinct.low
            for prior in WORD_ATTACKERS:
                low, high = weak.attacks[prior].success, strong.attacks[prior].success
                assert low.low > high.high
            assert weak.utility_loss.high < strong.utility_loss.low


class TestCommand:
    def test_text(self, brr: Brr, opened: WordBundle) -> None:
        options = ["--epsilon", 22, "--radius", 0, "--words", "the,london", "--draws", 20]
        outcome = brr("measure", opened.path, *options)
        assert (outcome.code, outcome.err) == (0, "")
        average = opened.manifest["distances"]["hamming"]["average"]
        assert outcome.out.startswith("exponential, epsilon 22, radius 0\n")
        assert f"{22 * average:.4g} at P_avg {average:.4g}; at most " in outcome.out
        assert ", epsilon x P_max " in outcome.out
        for line in ("privacy ratio", "words", "isolated", "frequencies", "utility loss"):
            assert f"\n  {line} " in outcome.out
        assert outcome.out.splitlines()[-1].split()[:3] == ["london", "unchanged", "1.000,"]

    @pytest.mark.parametrize("name", ["brr", "exponential"])
    def test_json(self, brr: Brr, sample_bundle: Path, name: str) -> None:
        options = ["--mechanism", name, "--epsilon", 0.5, "--words", "london,the", "--json"]
        outcome = brr("measure", sample_bundle, *options)
        assert (outcome.code, outcome.err) == (0, "")
        found = json.loads(outcome.out)
        assert list(found["words"]) == ["the", "london"]
        assert found["sample"] == {"typed": 2, "words": 2}
        assert found["estimated_loss"] == pytest.approx(
            found["epsilon"] * found["metric"]["average"]
        )
        for word in (found["support"], *found["words"].values()):
            for field in ("unchanged", "effective", "distinct"):
                assert word[field]["low"] <= word[field]["value"] <= word[field]["high"]
        for prior in WORD_ATTACKERS:
            attack = found["attacks"][prior]
            success = attack["success"]
            assert 0 <= success["low"] <= success["value"] <= success["high"] <= 1
            assert (attack["worst"] is not None) == (name == "exponential")

    @pytest.mark.parametrize(
        ("cap", "estimated", "largest"), [(20, 20, 20), (40, 32, 40), (88, 32, 40)]
    )
    def test_losses_obey_the_cap(
        self, brr: Brr, bundle: Path, cap: float, estimated: float, largest: float
    ) -> None:
        """Printed and in JSON, with what a certificate says."""

        def edit(fields: dict[str, Any]) -> None:
            fields["distances"]["hamming"] |= {"average": 32.0, "maximum": 40.0}

        index = WordBundle.open(rewrite(bundle, edit=edit)).digest
        setting = Setting(1.0, parameters={"base": "unigram", "cap": cap}, goal="a test")
        certificate = Certificate(1.0, index, setting.as_run)
        write_recommended(bundle, replace(setting, certificate=certificate))
        options = ["--words", "the,london", "--draws", 2]
        found = json.loads(brr("measure", bundle, *options, "--json").out)
        assert found["estimated_loss"] == estimated
        assert found["largest_privacy_loss"] == largest
        said = brr("measure", bundle, *options).out
        most = "the cap" if cap <= 40 else "epsilon x P_max 40"
        assert f"privacy loss    {estimated} at P_avg 32; at most {largest}, {most}\n" in said
        assert f"; {estimated} at P_avg, at most {largest}\n" in said

    @pytest.mark.parametrize(
        ("name", "options"),
        [("laplace", []), ("mahalanobis", ["--lambda", 0.5]), ("laplace-vickrey", ["-t", 0.2])],
    )
    def test_full_size(
        self,
        brr: Brr,
        sample_bundle: Path,
        name: str,
        options: Sequence[object],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        # Nobody looks at how often an attack succeeds.
        monkeypatch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
        command = ["measure", sample_bundle, "--mechanism", name, "--epsilon", 0.5, *options]
        size = ["--sample", 20, "--draws", 5]
        outcome = brr(*command, *size, "--embeddings", ENCYCLOPEDIA)
        assert (outcome.code, outcome.err) == (0, "")
        assert ("the largest seen" in outcome.out) == (name == "mahalanobis")
        outcome = brr(*command, *size)
        assert outcome.code == 1
        assert outcome.err.count("\n") == 1
        assert "works on vectors; give --embeddings" in outcome.err

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ([], "the bundle recommends no setting; give --epsilon, or write one into"),
            (["--mechanism", "brr"], "a mechanism or its parameters need an epsilon; give --eps"),
            (["--epsilon", 0], "epsilon must be a number from 1e-09"),
            (["--epsilon", 1, "-t", 0.5], "mechanism 'exponential' has no parameter 't'"),
            (["--epsilon", 1, "--words", "the,xqzqvblorf"], "word 2 of 2 is out of vocabulary"),
            (["--epsilon", 1, "--words", "the", "--sample", 9], "leave out --sample"),
            (["--epsilon", 1, "--sample", 1], "the sample must have at least 2 words, not 1"),
            (["--epsilon", 1, "--draws", 1], "draws must be at least 2, not 1"),
            (["--epsilon", 1, "--seed", -1], "--seed must be 0 or more, not -1"),
            (["--epsilon", 1, "--sample", 99999999999], "are more than 10,000,000 releases"),
            (["--epsilon", 1, "--words", "the", "--draws", 10**9], "are more than 10,000,000"),
            (["--epsilon", 1, "--embeddings", ""], "no embeddings are named"),
        ],
    )
    def test_bad_options(
        self, brr: Brr, sample_bundle: Path, options: list[object], message: str
    ) -> None:
        outcome = brr("measure", sample_bundle, *options)
        assert (outcome.code in (1, 2), outcome.out, outcome.err.count("\n")) == (True, "", 1)
        assert message in outcome.err
        assert "xqzqvblorf" not in outcome.err
