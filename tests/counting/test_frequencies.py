"""The estimate of frequencies: its channel, its maximum, its intervals, its discoveries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from frequency_tools import Array, alike, draw, matrix, toy_channel, zipf
from scipy.optimize import minimize
from scipy.stats import binom, false_discovery_control

from brrkit import Privatizer, WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import weight_table
from brrkit.setting import Setting
from brrkit_counting import FrequencyOptions, estimate_frequencies
from brrkit_counting.estimate.differences import adjusted_p_values
from brrkit_counting.estimate.pearson import pearson
from brrkit_counting.estimate.text import compare
from brrkit_counting.estimate.text.compare import compare_text
from brrkit_counting.estimate.text.estimate import estimate_text, merged_with
from brrkit_counting.estimate.text.intervals import for_lists, for_word, gather, most_unknown, tails
from brrkit_counting.estimate.text.likelihood import Prior, _Problem, maximize
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.linear import Linear, linear_map

FALSE_ALARMS = 1e-6
"""Of each statistical test here, if what it tests is right: the seeds could be any."""


class TestChannel:
    def test_it_is_what_the_runtime_draws_from(self, sample_bundle: Path) -> None:
        bundle = WordBundle.open(sample_bundle)
        privatizer = Privatizer(bundle, Setting(0.6, parameters={"radius": 8}))
        channel = Channel(bundle, privatizer.setting).linear
        for word in (0, 7, 1999):
            shares = np.zeros(len(bundle) + 1)
            shares[word] = 1
            exact = privatizer.distribution(bundle.vocabulary.word(word)).values()
            assert channel.forward(shares) == pytest.approx([float(p) for p in exact], rel=1e-12)

    @pytest.mark.parametrize(("words", "planes"), [(120, 1), (1_100, 3)])
    def test_both_ways_are_those_of_the_matrix(self, words: int, planes: int) -> None:
        generator = np.random.default_rng(0)
        if planes == 1:
            channel = toy_channel(words)
        else:
            codes = generator.integers(0, 2**64, (words, planes), np.uint64)
            falling = 2.0 ** (50 - np.arange(64 * planes + 1) / 5)
            masses = generator.integers(1, 100, words)
            channel = linear_map(
                codes, falling.astype(np.int64), masses[::-1], masses / masses.sum()
            )
        K = matrix(channel)
        for shape in ((), (3,)):
            shares = generator.random((words + 1, *shape))
            values = generator.random((words, *shape))
            assert np.allclose(channel.forward(shares), K @ shares, rtol=1e-12)
            assert np.allclose(channel.backward(values), K.T @ values, rtol=1e-12)
        some = np.array([3, 50, 9])
        assert np.allclose(channel.into(some), K[:, some], rtol=1e-12)
        assert np.allclose(channel.between(some, 7), K[some, 7], rtol=1e-12)
        variances = generator.random(words + 1)
        first, second = channel.moments(some, variances)
        assert np.allclose(first, K[some] @ variances, rtol=1e-12)
        assert np.allclose(second, (K[some] * variances) @ K[some].T, rtol=1e-12)

    @pytest.mark.parametrize("mechanism", ["brr", "vickrey"])
    def test_others_are_refused_with_a_reason(
        self, sample_bundle: Path, tmp_path: Path, mechanism: str
    ) -> None:
        bundle = WordBundle.open(sample_bundle)
        (tmp_path / "r.txt").write_text("the of and")
        with pytest.raises(ParameterError, match="no formula"):
            estimate_frequencies(
                bundle, [tmp_path / "r.txt"], FrequencyOptions(setting=Setting(0.6, mechanism))
            )


def best(channel: Linear, counts: Array, prior: Prior | None = None) -> float:
    """The largest objective, by an optimizer that knows nothing of the problem."""
    K = matrix(channel)

    def loss(logits: Array) -> tuple[float, Array]:
        p = np.exp(logits - logits.max())
        p /= p.sum()
        slope = K.T @ (counts / (K @ p))
        value = counts @ np.log(K @ p)
        if prior is not None:
            value += prior.weight * prior.shares @ np.log(np.maximum(p, 1e-300))
            slope = slope + prior.weight * prior.shares / np.maximum(p, 1e-300)
        return -value, -p * (slope - p @ slope)

    start = np.zeros(K.shape[1])
    options = {"maxiter": 50_000, "maxfun": 500_000, "ftol": 1e-15, "gtol": 1e-9}
    return -float(minimize(loss, start, jac=True, method="L-BFGS-B", options=options).fun)


class TestLikelihood:
    @pytest.mark.parametrize("weight", [None, 200.0])
    @pytest.mark.parametrize("seed", range(4))
    def test_the_maximum_is_that_of_another_optimizer(
        self, seed: int, weight: float | None
    ) -> None:
        channel = toy_channel(14, seed=seed)
        counts = draw(channel, zipf(14), 3_000, np.random.default_rng(seed))
        prior = Prior(zipf(14), weight) if weight else None
        fit = maximize(channel, counts, prior=prior, tolerance=1e-3, evaluations=20_000)
        assert fit.gap <= 1e-3
        assert fit.log_likelihood == pytest.approx(best(channel, counts, prior), abs=2e-3)
        assert fit.shares.sum() == pytest.approx(1)

    def test_no_evaluation_makes_it_worse(self) -> None:
        channel = toy_channel()
        counts = draw(channel, zipf(120), 5_000, np.random.default_rng(1))
        reached = [
            maximize(channel, counts, tolerance=0, evaluations=k).log_likelihood
            for k in range(1, 60, 3)
        ]
        assert np.all(np.diff(reached) >= -1e-9)
        assert reached[-1] > reached[0]

    @pytest.mark.parametrize("reports", [50, 5_000, 500_000])
    @pytest.mark.parametrize("weight", [None, 300.0])
    def test_the_gap_is_never_too_small(self, reports: int, weight: float | None) -> None:
        generator = np.random.default_rng(reports)
        channel = toy_channel(60)
        counts = draw(channel, zipf(60), reports, generator)
        prior = Prior(zipf(60), weight) if weight else None
        fit = maximize(channel, counts, prior=prior, tolerance=1e-2, evaluations=20_000)
        problem = _Problem(channel, counts, prior)
        for spread in (0.03, 0.3, 3):
            shares = fit.shares * np.exp(spread * generator.standard_normal(61)) + 1e-9
            point = problem.at(shares / shares.sum())
            assert fit.log_likelihood - 1e-6 <= point.value + problem.gap(point)

    def test_a_strong_prior_decides_and_a_weak_one_does_not(self) -> None:
        channel = toy_channel(40)
        counts = draw(channel, zipf(40), 20_000, np.random.default_rng(0))
        other = np.full(41, 1 / 41)
        plain = maximize(channel, counts, tolerance=0.1).shares
        weak = maximize(channel, counts, prior=Prior(other, 0.1), tolerance=0.1)
        strong = maximize(channel, counts, prior=Prior(other, 1e9), tolerance=0.1)
        assert abs(weak.shares[:3] - plain[:3]).max() < 0.01
        assert strong.shares == pytest.approx(other, rel=0.01)

    @pytest.mark.parametrize("broken", ["transposed", "without totals"])
    def test_a_broken_channel_is_seen(self, broken: str) -> None:
        """The right one explains the reports; these don't."""
        channel = toy_channel()
        counts = draw(channel, zipf(120), 200_000, np.random.default_rng(0))
        assert pearson(counts, maximize(channel, counts).outputs) < 6
        wrong = maximize(break_channel(channel, broken), counts)
        assert pearson(counts, channel.forward(wrong.shares)) > 6


def break_channel(channel: Linear, how: str) -> Linear:
    if how == "without totals":
        return replace(channel, totals=np.full(len(channel), channel.totals.mean()))

    K = matrix(channel)

    class Transposed(Linear):
        def forward(self, shares: Array) -> Array:
            out = K[:, :-1].T @ shares[:-1] + self.unknown * shares[-1]
            return np.asarray(out / out.sum())

        def backward(self, values: Array) -> Array:
            known = K[:, :-1] @ values
            return np.append(known, self.stand_ins @ known)

    return Transposed(
        channel.planes,
        channel.weights,
        channel.measure,
        channel.totals,
        channel.stand_ins,
        channel.typed,
    )


class TestIntervals:
    def covered(self, channel: Linear, using: Linear, repetitions: int, reports: int) -> int:
        """In how many draws of reports the interval of a frequent word has the truth."""
        truth, hits = zipf(len(channel)), 0
        for repetition in range(repetitions):
            generator = np.random.default_rng(repetition)
            counts = draw(channel, truth, reports, generator)
            evidence = gather(using, maximize(using, counts), counts)
            word = int(generator.integers(12))
            function = for_word(evidence, word)
            low, high = function.interval(evidence.corrected([word], function))
            hits += low <= truth[word] + truth[-1] / len(channel) <= high
        return hits

    def test_they_have_the_truth_19_times_of_20(self) -> None:
        channel = toy_channel()
        hits = self.covered(channel, channel, 200, 20_000)
        low, high = binom.ppf([FALSE_ALARMS / 2, 1 - FALSE_ALARMS / 2], 200, 0.95)
        assert low <= hits <= high

    @pytest.mark.parametrize("broken", ["transposed", "without totals"])
    def test_a_broken_channel_s_do_not(self, broken: str) -> None:
        channel = toy_channel()
        hits = self.covered(channel, break_channel(channel, broken), 30, 200_000)
        assert hits < binom.ppf(FALSE_ALARMS, 30, 0.95)

    def test_words_that_are_hard_to_tell_apart_share_their_errors(self) -> None:
        channel = toy_channel()
        counts = draw(channel, zipf(120), 20_000, np.random.default_rng(0))
        evidence = gather(channel, maximize(channel, counts), counts)
        shares, K = evidence.fit.shares[:-1], matrix(channel)[:, :-1]
        together = (K / np.diag(K) >= 0.5) @ shares
        most = evidence.fit.outputs / np.diag(K)
        assert (evidence.variances[:-1] >= 0.999 * np.minimum(together, most) ** 2).all()
        assert (np.minimum(together, most) > 3 * shares).sum() > 3

    @pytest.mark.parametrize("seed", range(8))
    def test_a_constant_makes_no_difference(self, toy: WordBundle, seed: int) -> None:
        """Where f may be other than 0 at all outputs, the equations don't say which constant."""
        channel, truth = open_toy(toy), np.append(np.zeros(len(toy)), 0.3)
        truth[[3, 50]] = 0.45, 0.25
        counts = draw(channel, truth, 20_000, np.random.default_rng(seed))
        evidence = gather(channel, maximize(channel, counts), counts)
        K, lists = matrix(channel), [np.array([50]), np.array([3, 50])]
        functions = [for_word(evidence, 50), *for_lists(evidence, lists)]
        for words, function in zip([[50], [50], [3, 50]], functions, strict=True):
            f, at = function.values, function.outputs
            assert abs(f).max() < 3
            low, high = function.interval(evidence.corrected(words, function))
            assert high - low < 0.02

            shares = evidence.fit.shares[words] / evidence.fit.shares[words].sum()
            toward = (K[:, words] @ shares - K[:, -1])[at]
            variances = []
            for t in (0, 1e-4, -1e-4):
                q = evidence.fit.outputs[at] + t * toward
                variances.append((q @ f**2 - (q @ f) ** 2) / 20_000)
            assert function.noise == pytest.approx(variances[0], rel=1e-6)
            slope = (variances[1] - variances[2]) / 2e-4
            assert function.slope == pytest.approx(slope, rel=1e-5)

    def test_totals_of_lists(self) -> None:
        channel, truth = toy_channel(), zipf(120)
        lists = [np.arange(5), np.arange(3, 120, 4)]
        hits = np.zeros(2)
        for repetition in range(40):
            counts = draw(channel, truth, 20_000, np.random.default_rng(repetition))
            evidence = gather(channel, maximize(channel, counts), counts)
            for k, function in enumerate(for_lists(evidence, lists)):
                low, high = function.interval(evidence.corrected(lists[k], function))
                hits[k] += low <= truth[lists[k]].sum() + truth[-1] * len(lists[k]) / 120 <= high
        assert (hits >= binom.ppf(FALSE_ALARMS, 40, 0.95)).all()

    @pytest.mark.parametrize("unknown", [0.0, 0.3, 0.9])
    def test_unknown_words_are_bounded(self, unknown: float) -> None:
        channel, truth, kept = toy_channel(), zipf(120, unknown), 0
        for repetition in range(20):
            counts = draw(channel, truth, 20_000, np.random.default_rng(repetition))
            evidence = gather(channel, maximize(channel, counts), counts)
            functions = for_lists(evidence, tails(channel))
            bound = most_unknown(evidence, functions)
            assert bound < 1 or unknown == 0.9
            kept += bound >= unknown
        assert kept >= binom.ppf(FALSE_ALARMS, 20, 0.975)

    def test_what_unknown_words_can_be_is_left_open(self, toy: WordBundle) -> None:
        """Without the unknown source, words that nobody typed would be said to be typed."""
        channel = open_toy(toy)
        truth = np.append(zipf(len(toy))[:-1], 0)
        truth[6:] = 0
        truth = np.append(truth[:-1] / truth.sum() * 0.4, 0.6)
        counts = draw(channel, truth, 500_000, np.random.default_rng(0))
        found = estimate_text(toy, channel, counts)
        assert 0.6 <= found.unknown.high < 0.75
        assert (found.low[:-1] <= truth[:-2]).mean() > 0.9
        assert (found.low[6:] == 0).mean() > 0.9
        evidence = gather(channel, found.fit, counts)
        dropped = [for_word(evidence, word) for word in range(6, len(toy))]
        lows = [
            function.interval(evidence.corrected([word], function))[0]
            for word, function in enumerate(dropped, start=6)
        ]
        assert (np.array(lows) > 0).mean() > 0.5

    def test_they_hold_where_a_frequent_word_seems_not_to_be_typed(self) -> None:
        """Of the 100 most frequent words; some intervals that trust the likely share don't."""
        generator = np.random.default_rng(0)
        vectors, planes = generator.standard_normal((600, 10)), generator.standard_normal((10, 64))
        codes = np.packbits(vectors @ planes > 0, axis=1).view(np.uint64)
        weights = np.array(weight_table(1.0, 64, 600, 16), np.int64)
        channel = linear_map(codes, weights, np.ones(600, np.int64), alike(600))
        truth, near, above, trusting = zipf(600), 0, 0, 0
        for repetition in (0, 5):
            counts = np.random.default_rng(repetition).multinomial(4_000, channel.forward(truth))
            evidence = gather(channel, maximize(channel, counts), counts)
            for word in np.flatnonzero(evidence.fit.shares[:100] < 0.2 * truth[:100]).tolist():
                function, share = for_word(evidence, word), truth[word] + truth[-1] / 600
                near += 1
                above += share > evidence.interval([word], function)[1]
                trusting += share > function.interval(evidence.corrected([word], function))[1]
        assert near > 80
        assert above <= 1 < trusting

    def test_words_that_merge(self) -> None:
        channel = toy_channel(60)
        codes = channel.planes.T.copy()
        codes[1] = codes[0]
        same = toy_of(codes, channel)
        counts = draw(same, zipf(60), 50_000, np.random.default_rng(0))
        evidence = gather(same, maximize(same, counts), counts)
        merged = merged_with(evidence, 0)
        assert 1 in merged
        assert len(merged) < 30
        function = for_word(evidence, 0)
        low, high = function.interval(evidence.corrected([0], function))
        assert high - low > 0.05  # either of the two may have it all


def toy_of(codes: np.ndarray, like: Linear) -> Linear:
    weights = np.round(like.weights * 2**50).astype(np.int64)
    return linear_map(codes, weights, np.ones(len(codes), np.int64), like.stand_ins)


def open_toy(bundle: WordBundle) -> Linear:
    return Channel(bundle, Setting(0.8, parameters={"radius": 4})).linear


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    from bundle_tools import toy_embeddings

    from brrkit_toolchain.bundle.build import build_bundle
    from brrkit_toolchain.bundle.plan import BuildPlan

    folder = tmp_path_factory.mktemp("toy")
    (folder / "e.txt").write_bytes(toy_embeddings(120))
    build_bundle(folder / "e.txt", folder / "b", BuildPlan(bits=64, method="lsh"))
    return WordBundle.open(folder / "b")


class TestEstimate:
    def test_reports_that_say_nothing_are_refused(self, toy: WordBundle) -> None:
        channel = open_toy(toy)
        generator = np.random.default_rng(0)
        random = channel.forward(np.append(alike(len(toy)), 0))
        counts = generator.multinomial(100_000, random / random.sum())
        with pytest.raises(ParameterError, match="reveal nothing"):
            estimate_text(toy, channel, counts)
        counts = draw(channel, zipf(len(toy)), 20, generator)
        with pytest.raises(ParameterError, match="reveal nothing"):
            estimate_text(toy, channel, counts)

    def test_the_largest_shares_come_first_and_none_is_nearly_0(self, toy: WordBundle) -> None:
        channel, sharp = (
            Channel(toy, Setting(e, parameters={"radius": 4, "base": "uniform"})).linear
            for e in (0.4, 2.5)
        )
        typed = np.append(zipf(len(toy))[-2::-1], 0.05)  # nothing like the masses
        typed[: len(toy) // 2] = 0
        typed /= typed.sum()
        for made_by in (channel, sharp):  # of another setting, likely shares leave the intervals
            counts = draw(made_by, typed, 60_000, np.random.default_rng(0))
            found = estimate_text(toy, channel, counts)
            top = [share.share for share in found.top]
            assert top == sorted(top, reverse=True)
            shown = [*found.shares, *top, found.unknown.share]
            assert [share for share in shown if 0 < share < 1e-3 / 60_000] == []
            assert (found.shares == 0).any()
            assert ((found.low <= found.shares) & (found.shares <= found.high)).all()

    def test_unknown_words_and_ordinary_ones_are_alike(self, toy: WordBundle) -> None:
        """All of what is typed as the masses say may be unknown words."""
        channel = open_toy(toy)
        for unknown in (0.0, 0.4):
            typed = np.append((1 - unknown) * channel.stand_ins, unknown)
            counts = draw(channel, typed, 60_000, np.random.default_rng(1))
            found = estimate_text(toy, channel, counts)
            assert found.unknown.low == 0
            assert found.unknown.high > 0.95
            assert (found.low <= typed[:-1]).all()
            assert (typed[:-1] <= found.high).all()
            # Of shares that are as likely, those with the fewest unknown words are told.
            assert found.shares[:10] == pytest.approx(channel.stand_ins[:10], rel=0.2)

    def test_what_the_production_path_releases(self, toy: WordBundle) -> None:
        """Drawn anew in each run: all that is asked for is 7 standard deviations from failing."""
        privatizer = Privatizer(toy, Setting(0.8, parameters={"radius": 4}))
        vocabulary = list(toy.vocabulary)
        typed = [vocabulary[3]] * 9_000 + [vocabulary[50]] * 5_000 + ["qqqq"] * 6_000
        released = privatizer.words(typed)
        counts = np.array([released.count(word) for word in vocabulary])
        options = FrequencyOptions(words=[vocabulary[50]], top=1)
        found = estimate_text(toy, open_toy(toy), counts, options)
        assert found.top[0].name == vocabulary[3]
        for share, truth in ((found.top[0], 0.45), (found.asked[0], 0.25)):
            deviation = (share.high - share.low) / (2 * 1.96)
            assert 0.003 < deviation < 0.009
            assert share.low - 5 * deviation <= truth <= share.high + 5 * deviation
        # A bound that holds in 97.5% of runs. The tail of 15 words has the largest error, 0.023,
        # that of 60 words the smallest, 0.010, and the bound is 2.4 of these higher at most.
        assert 0.3 - 7 * 0.023 < found.unknown.high < 0.3 + 9.4 * 0.01


class TestCompare:
    def test_adjusted_as_scipy_has_it(self) -> None:
        p = np.random.default_rng(0).random(50) ** 3
        assert adjusted_p_values(p.tolist()) == pytest.approx(
            false_discovery_control(p, method="by")
        )

    def run(
        self, toy: WordBundle, change: Callable[[Array], None], repetitions: int
    ) -> list[set[int]]:
        channel, truth = open_toy(toy), zipf(len(toy))
        other = truth.copy()
        change(other)
        other /= other.sum()
        ids = {toy.vocabulary.word(i): i for i in range(len(toy))}
        found = []
        for repetition in range(repetitions):
            generator = np.random.default_rng(repetition)
            first = draw(channel, truth, 50_000, generator)
            second = draw(channel, other, 30_000, generator)
            result = compare_text(toy, channel, first, second)
            assert result.tested > 5
            found.append({ids[d.name] for d in result.differences})
        return found

    def test_where_nothing_differs_almost_nothing_is_found(self, toy: WordBundle) -> None:
        found = self.run(toy, lambda shares: None, 12)
        # With no difference, the rate bounds how often anything at all is found.
        assert sum(map(bool, found)) <= binom.ppf(1 - FALSE_ALARMS, 12, 0.05)

    def test_what_differs_is_found(self, toy: WordBundle) -> None:
        def change(shares: Array) -> None:
            shares[[2, 9]] *= [0.3, 3]

        found = self.run(toy, change, 8)
        assert sum(2 in words for words in found) > 4
        assert sum(9 in words for words in found) > 4
        # All others differ a little, since shares add up to 1; those are no discoveries to count.
        assert np.mean([len(words - {2, 9}) for words in found]) < 2

    def test_few_discoveries_are_false(
        self, toy: WordBundle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Some words gain what others lose, so the shares of the rest are exactly the same."""
        channel, truth, changed = open_toy(toy), zipf(len(toy)), [1, 4, 8, 14]
        other = truth.copy()
        other[changed] = truth[changed][::-1]
        ids = {toy.vocabulary.word(i): i for i in range(len(toy))}

        def false_share(repetition: int) -> tuple[float, bool]:
            generator = np.random.default_rng(repetition)
            first = draw(channel, truth, 60_000, generator)
            second = draw(channel, other, 60_000, generator)
            result = compare_text(toy, channel, first, second, rate=0.1)
            found = {ids[d.name] for d in result.differences}
            return len(found - set(changed)) / max(len(found), 1), bool(found & set(changed))

        corrected = [false_share(repetition) for repetition in range(8)]
        assert all(right for _, right in corrected)
        # In truth about 0.1 / (1 + 1/2 + ... + 1/120) = 0.02.
        assert np.mean([share for share, _ in corrected]) < 0.1
        monkeypatch.setattr(compare, "adjusted_p_values", np.asarray)
        plain = [false_share(repetition)[0] for repetition in range(3)]
        assert np.mean(plain) > 0.5
