"""Counting from the setting for counts: attackers, reports needed, estimates, intervals, files."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from brrkit import Counts, CountsSetting, ParameterError, Reporter, Setting, WordBundle
from brrkit.counts import RandomizedResponse
from brrkit_counting import (
    EstimateOptions,
    Frequencies,
    FrequencyOptions,
    calibrate,
    calibrate_counts,
    estimate_frequencies,
)
from brrkit_counting.estimate.counts.changes import compare_counts
from brrkit_counting.estimate.counts.closed_form import (
    CountsChannel,
    estimate_counts,
    nearest_shares,
)
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended
from brrkit_toolchain.channel.privacy_loss.shuffled import shuffling_guarantee

if TYPE_CHECKING:
    from conftest import Brr

SECRET = "hunter2secret"
WORDS = [f"w{i}" for i in range(40)]


def channel(response: ApproximateResponse) -> np.ndarray[Any, Any]:
    """Return K [k, k] from its definition."""
    k, a = response.symbols, response.kept
    return a * np.eye(k) + (1 - a) / k


class TestResponse:
    @pytest.mark.parametrize("cap", [0.01, 1.0, 9.4, 40.0])
    def test_it_is_the_runtimes(self, cap: float) -> None:
        exact, response = RandomizedResponse.of(cap, 5_001), ApproximateResponse.of_cap(cap, 5_001)
        assert response.kept == pytest.approx(float(exact.kept), rel=1e-9)
        if cap < 30:  # 1 - a isn't a double's beyond
            assert response.loss == pytest.approx(exact.loss, rel=1e-6)

    @pytest.mark.parametrize("kept", [0.001, 0.2, 0.9])
    def test_what_an_attacker_reaches(self, kept: float) -> None:
        response = ApproximateResponse(kept, 7)
        for seed in range(20):
            prior = np.random.default_rng(seed).dirichlet([0.4] * 7)
            best = (prior[:, None] * channel(response)).max(axis=0).sum()  # by definition
            assert response.success(prior) == pytest.approx(best)
        assert response.success(np.full(7, 1 / 7)) == pytest.approx(kept + response.drawn)

    def test_likelihoods_and_draws(self) -> None:
        response = ApproximateResponse(0.3, 6)
        outputs = np.array([5, 0, 5])
        assert response.likelihoods(outputs) == pytest.approx(channel(response)[:, outputs].T)
        drawn = response.draw(np.full(200_000, 4), np.random.default_rng(1))
        expected = 200_000 * channel(response)[4]
        assert abs(np.bincount(drawn, minlength=6) - expected).max() < 7 * np.sqrt(200_000 / 4)

    def test_reports_needed(self) -> None:
        response, share = ApproximateResponse(0.2, 1_001), 0.01
        reports = round(response.reports_needed(share))
        seen = 0.2 * share + response.drawn
        deviation = np.sqrt(seen * (1 - seen) / reports) / 0.2
        assert 1.96 * deviation == pytest.approx(0.2 * share, rel=1e-3)


class TestCalibrate:
    @pytest.mark.parametrize("attacker", ["isolated", "frequencies"])
    @pytest.mark.parametrize("target", [0.15, 0.2, 0.5])
    def test_the_goal_is_met(self, opened: WordBundle, attacker: str, target: float) -> None:
        found = calibrate_counts(opened, attack_success=target, attacker=attacker)
        assert target - 0.001 < found.setting.measured[attacker] <= target
        assert found.loss <= found.setting.cap
        assert found.setting.goal == f"attack-success {target:g}, {attacker}"
        assert found.kept == pytest.approx(
            float(RandomizedResponse.of(found.setting.cap, 2_001).kept)
        )

    def test_a_cap_is_kept(self, opened: WordBundle) -> None:
        found = calibrate_counts(opened, cap=6.5, words_a_day=4)
        assert found.setting.cap == 6.5
        assert found.setting.words_a_day == 4
        assert found.needed[100] < found.needed[1_000]
        assert 10_000 not in found.needed  # the vocabulary has 2,000 words

    def test_who_reads_a_whole_text(
        self, opened: WordBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(calibrate, "TOKENS", 200)
        text = tmp_path / "text.txt"
        source = random.Random(5)
        words = [opened.vocabulary.word(i) for i in range(60)]
        weights = [1 / (i + 1) for i in range(60)]
        lines = [" ".join(source.choices(words, weights, k=20)) for _ in range(450)]
        text.write_text("\n".join(lines))
        found = calibrate_counts(opened, attack_success=0.5, attacker="sentence", text=text)
        assert found.setting.measured["sentence"] <= 0.5
        assert found.setting.measured["sentence"] > found.setting.measured["isolated"]
        again = calibrate_counts(opened, cap=found.setting.cap, attacker="sentence", text=text)
        assert again.setting.measured == found.setting.measured

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"attack_success": 0.2, "cap": 5}, "two goals"),
            ({"attack_success": 0}, "above 0 and below 1"),
            ({"attack_success": 1}, "above 0 and below 1"),
            ({"attack_success": 0.01}, "without any report, the frequencies attacker"),
            ({"cap": 89}, "cap must be a number"),
            ({"attacker": "informed"}, "no such attacker"),
            ({"attacker": "sentence"}, "reads a text"),
            ({"words_a_day": 0}, "words_a_day must be"),
        ],
    )
    def test_what_is_refused(
        self, opened: WordBundle, options: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ParameterError, match=message):
            calibrate_counts(opened, **options)

    def test_the_command(self, bundle: Path, brr: Brr) -> None:
        arguments = ["calibrate", str(bundle), "--for", "counts"]
        before = WordBundle.open(bundle)
        said = brr(*arguments, "--words-a-day", "3", "--write").out
        after = WordBundle.open(bundle)
        assert after.counts is not None
        assert after.counts.words_a_day == 3
        assert after.recommended == before.recommended
        assert f"cap {after.counts.cap:g}" in said
        assert said.startswith(
            "Goal met: all words 0.200 (goal 0.200); attacker: frequencies, who sees one report\n"
        )
        assert " on one report, over all words of the vocabulary: isolated 0." in said
        capped = brr(*arguments, "--cap", "5").out
        assert capped.startswith("Goal met: privacy loss of a report at most the given cap, 5; ")
        shown = brr("inspect", str(bundle)).out
        assert "3 words a day (attack-success 0.2, frequencies)" in shown
        assert json.loads(brr(*arguments, "--cap", "5", "--json").out)["setting"]["cap"] == 5
        of_text = (["--mechanism", "brr"], ["--base", "unigram"], ["--sample", "50"])
        for wrong in (["--worst", "0.5"], *of_text):
            refused = brr(*arguments, *wrong)
            assert "is for text; leave it out" in refused.err
        assert "need a text; add it" in brr(*arguments, "--column", "text").err
        refused = brr("calibrate", str(bundle), "--words-a-day", "2")
        assert "needs --for counts; add it" in refused.err


def estimated(
    counts: Sequence[int], response: ApproximateResponse, repeats: int = 1, **options: Any
) -> Any:
    channel, asked = CountsChannel(response, repeats), EstimateOptions(**options)
    return estimate_counts(WORDS, channel, np.array(counts, np.int64), asked)


def typed_counts(response: ApproximateResponse, reports: int) -> np.ndarray[Any, Any]:
    """Return what comes out on average where a word is typed in proportion to its number."""
    typed = np.append(np.arange(40.0), 60.0)
    return np.rint(reports * (typed / typed.sum() @ channel(response))).astype(np.int64)


class TestEstimate:
    response = ApproximateResponse(0.25, 41)

    def test_shares_are_the_inverse(self) -> None:
        counts = typed_counts(self.response, 10**9)
        found = estimated(counts, self.response, words=["w3"], groups={"ends": ["w0", "w39", "x"]})
        expected = np.append(np.arange(40.0), 60.0) / 840
        assert found.shares == pytest.approx(expected[:-1], abs=1e-8)
        assert found.unknown.share == pytest.approx(expected[-1], abs=1e-8)
        assert [share.name for share in found.top[:2]] == ["w39", "w38"]
        assert found.asked[0].share == pytest.approx(3 / 840, abs=1e-8)
        assert found.totals[0].share == pytest.approx(39 / 840, abs=1e-8)
        assert found.reports == counts.sum()
        assert np.all(found.low <= found.shares)
        assert np.all(found.shares <= found.high)
        assert found.totals[0].low < 39 / 840 < found.totals[0].high

    def test_every_interval_holds_as_often_as_it_says(self) -> None:
        # Exactly: of the number of reports that are a word, whose distribution is known.
        response, reports = self.response, 400
        for share in (0.0, 0.001, 0.01, 0.1, 0.5, 1.0):
            came = np.arange(reports + 1)
            low, high = CountsChannel(response).interval(came, reports, 0.05)
            own = binom.pmf(came, reports, response.drawn + response.kept * share)
            assert own[(low > share + 1e-12) | (share - 1e-12 > high)].sum() <= 0.05

    def test_they_hold_for_what_was_really_typed(self) -> None:
        # T of the reports are of the word, and no draw decides which: a sum of two binomials.
        response, reports = self.response, 60
        for typed in (0, 1, 5, 30, 60):
            own = np.convolve(
                binom.pmf(np.arange(typed + 1), typed, response.kept + response.drawn),
                binom.pmf(np.arange(reports - typed + 1), reports - typed, response.drawn),
            )
            low, high = CountsChannel(response).interval(np.arange(reports + 1), reports, 0.05)
            share = typed / reports
            assert own[(low > share + 1e-12) | (share - 1e-12 > high)].sum() <= 0.05

    def test_simultaneous_intervals_are_wider(self) -> None:
        counts = typed_counts(self.response, 5_000)
        each, all_ = (estimated(counts, self.response, simultaneous=s) for s in (False, True))
        assert np.all(all_.low <= each.low)
        assert np.all(all_.high > each.high)
        assert all_.detectable > each.detectable

    def test_a_memory_makes_them_wider(self) -> None:
        counts = typed_counts(self.response, 90_000)
        once, often = (estimated(counts, self.response, repeats) for repeats in (1, 9))
        width = (often.high - often.low) / (once.high - once.low)
        assert width[20:].mean() == pytest.approx(3, rel=0.1)
        assert often.shares == pytest.approx(once.shares)

    def test_they_hold_where_first_draws_are_shared(self) -> None:
        # 300 devices say one word each 9 times; the first draw is shared by the 9.
        first, second = ApproximateResponse(0.5, 41), ApproximateResponse(0.9, 41)
        both, generator = ApproximateResponse(0.45, 41), np.random.default_rng(3)
        missed = 0
        for _ in range(200):
            typed = np.repeat(np.arange(300) % 3, 9)
            drawn = np.repeat(first.draw(typed[::9], generator), 9)
            counts = np.bincount(second.draw(drawn, generator), minlength=41)
            low, high = CountsChannel(both, 9).interval(counts[:3], 2_700, 0.05)
            missed += int(((low > 1 / 3) | (high < 1 / 3)).sum())
        assert missed <= 45  # of 600; without the 9 about half miss

    def test_sum_to_one(self) -> None:
        generator = np.random.default_rng(1)
        counts = np.bincount(self.response.draw(np.full(500, 7), generator), minlength=41)
        plain = estimated(counts, self.response)
        made = estimated(counts, self.response, sum_to_one=True)
        assert plain.shares.min() < 0
        assert plain.shares.sum() + plain.unknown.share == pytest.approx(1)
        assert made.shares.min() == 0
        assert made.shares.sum() + made.unknown.share == pytest.approx(1)

    def test_the_nearest_point_of_the_simplex(self) -> None:
        for seed in range(30):
            shares = np.random.default_rng(seed).normal(0.2, 0.3, 6)
            nearest = nearest_shares(shares)
            assert nearest.min() >= 0
            assert nearest.sum() == pytest.approx(1)
            for other in np.random.default_rng(seed + 99).dirichlet([0.5] * 6, 200):
                apart = ((nearest - shares) ** 2).sum()
                assert apart <= ((other - shares) ** 2).sum() + 1e-12

    def test_reports_of_random_words_say_nothing(self) -> None:
        with pytest.raises(ParameterError, match="reveal nothing about the typed words"):
            CountsChannel(self.response).check_informative(np.full(41, 1_000))

    def test_what_the_setting_cannot_make_is_said(self) -> None:
        assert estimated(typed_counts(self.response, 100_000), self.response).explained
        plain = [0] * 35 + [1_000] * 6  # somebody's words, not privatized
        assert not estimated(plain, self.response).explained


class TestCompare:
    response = ApproximateResponse(0.25, 41)

    def compared(self, first: Any, second: Any, **options: Any) -> Any:
        return compare_counts(WORDS, CountsChannel(self.response), first, second, **options)

    def test_what_doubles_is_found(self) -> None:
        first = typed_counts(self.response, 50_000)
        second = first.copy()
        second[20] += first[20]
        (d,) = self.compared(first, second).differences
        assert d.name == "w20"
        assert d.low < d.second - d.first < d.high
        assert d.low > 0
        assert d.adjusted < 1e-6
        second[-1] += 1_000
        names = [d.name for d in self.compared(first, second).differences]
        assert "(unknown words)" in names

    def test_it_is_wrong_as_seldom_as_it_says(self) -> None:
        # One word only: the binomial test's own error, exactly, over all that can come.
        response, sizes = ApproximateResponse(0.25, 41), (300, 500)
        share = response.drawn + response.kept * 0.2
        wrong = 0.0
        for one, two in product(range(40), range(60)):
            first, second = np.zeros(41, np.int64), np.zeros(41, np.int64)
            first[0], second[0] = one, two
            first[1], second[1] = sizes[0] - one, sizes[1] - two
            found = self.compared(first, second, rate=0.05)
            if any(d.name == "w0" for d in found.differences):
                wrong += binom.pmf(one, sizes[0], share) * binom.pmf(two, sizes[1], share)
        assert wrong <= 0.05

    def test_a_rate_out_of_range_is_refused(self) -> None:
        counts = typed_counts(self.response, 1_000)
        for rate in (0, 1):
            with pytest.raises(ParameterError, match="between 0 and 1"):
                self.compared(counts, counts, rate=rate)


SETTING = CountsSetting(9.0, 3, "a test", {"isolated": 0.8})


@pytest.fixture
def counting(bundle: Path) -> Path:
    """Return a bundle that recommends a setting for counts."""
    write_recommended(bundle, SETTING)
    return bundle


def report(counts: Counts, days: Sequence[Sequence[str]], seed: int = 1) -> list[bytes]:
    reporter = Reporter(counts, random=random.Random(seed).randbytes)
    batches = []
    for words in days:
        reporter.add(words)
        batch = reporter.batch("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")
        assert batch is not None
        batches.append(batch)
    return batches


class TestFiles:
    def batches(self, counting: Path, file: Path) -> Path:
        counts = Counts(WordBundle.open(counting), random=random.Random(2).randbytes)
        days = [["london", "england", SECRET], ["london", "the"]] * 200
        file.write_bytes(b"\n".join(report(counts, days)) + b"\n")
        return file

    def test_from_devices_to_shares(self, counting: Path, tmp_path: Path, brr: Brr) -> None:
        file = self.batches(counting, tmp_path / "week.jsonl")
        table, page = tmp_path / "words.csv", tmp_path / "words.html"
        arguments = ["estimate", str(file), "--bundle", str(counting)]
        said = brr(*arguments, "--output", str(table), "--page", str(page)).out
        assert "unknown words: 0." in said
        with table.open() as rows:
            shares = {row["word"]: float(row["share"]) for row in csv.DictReader(rows)}
        assert shares["london"] == pytest.approx(0.4, abs=0.1)
        said = " ".join(page.read_text().split())
        assert (
            "Setting for counts: the privacy loss of one report between any two words is at most 9"
            in said
        )
        found = json.loads(brr(*arguments, "--json", "--sum-to-one", "--word", "london").out)
        for share, truth in ((found["words"][0], 0.4), (found["unknown"], 0.2)):
            assert share["low"] < truth < share["high"]
        assert found["likelihood"] is None

    def test_tables_are_of_counts_where_the_bundle_says_so(
        self, counting: Path, tmp_path: Path
    ) -> None:
        table = tmp_path / "week.csv"
        table.write_text("word,count\nlondon,900\n,50\nengland,300\nthe,10\n")
        bundle = WordBundle.open(counting)
        with pytest.raises(ParameterError, match="can't have made these reports"):
            estimate_frequencies(bundle, [table])  # no word came out by chance

        def estimated(**options: Any) -> Frequencies:
            asked = FrequencyOptions(**options, unexplained=True)
            return estimate_frequencies(bundle, [table], asked)

        found = estimated()
        assert found.estimate.unknown.reports == 50
        assert found.estimate.reports == 1_260
        same = estimated(setting=CountsSetting(9.0))
        assert same.estimate.shares == pytest.approx(found.estimate.shares)
        longer = estimated(setting=CountsSetting(9.0), second_cap=18.0, repeats=4)
        assert longer.estimate.high[0] > same.estimate.high[0]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"setting": Setting(0.5, parameters={"base": "unigram"})}, "the empty word"),
            ({"setting": CountsSetting(0)}, "cap and second_cap must be"),
            (
                {"setting": CountsSetting(9), "second_cap": 100, "repeats": 2},
                "cap and second_cap m",
            ),
            ({"setting": CountsSetting(9), "second_cap": 18, "repeats": 0}, "repeats an integer"),
            ({"setting": CountsSetting(9), "repeats": 2}, "belong together"),
            ({"repeats": 2}, "give a cap"),
        ],
    )
    def test_what_is_refused(
        self, counting: Path, tmp_path: Path, options: dict[str, Any], message: str
    ) -> None:
        table = tmp_path / "week.csv"
        table.write_text("word,count\nlondon,900\n,50\nengland,300\n")
        with pytest.raises(ParameterError, match=message):
            estimate_frequencies(WordBundle.open(counting), [table], FrequencyOptions(**options))

    def test_the_central_guarantee(self, counting: Path, tmp_path: Path, brr: Brr) -> None:
        table = tmp_path / "week.csv"
        table.write_text("word,count\nlondon,900000\n,50000\nthe,30000\nof,1020000\n")
        arguments = ["estimate", str(table), "--bundle", str(counting), "--unexplained"]
        said = brr(*arguments, "--shuffled", "1", "--cap", "5").out
        assert "shuffled: one reporter's privacy loss is at most epsilon 0." in said
        found = json.loads(brr(*arguments, "--shuffled", "2", "--cap", "5", "--json").out)
        kept = RandomizedResponse.of(5, 2_001).kept
        assert found["shuffled"] == asdict(shuffling_guarantee(kept, 2_001, 2_000_000, 2, 1e-6))
        memory = ["--cap", "5", "--second-cap", "10", "--repeats", "7"]
        assert brr(*arguments, "--shuffled", "1", *memory).code == 0
        assert "share first draws" in brr(*arguments, "--shuffled", "2", *memory).err
        text = ["--epsilon", "2", "--base", "unigram", "--shuffled", "1"]
        assert "the empty word" in brr(*arguments, *text).err
        table.write_text("word,count\nlondon,900000\nthe,30000\nof,1020000\n")
        assert "--shuffled applies only to reports made for counts" in brr(*arguments, *text).err

    def test_a_folder_of_parquet(self, counting: Path, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        words = ["london"] * 700 + ["the"] * 90 + [""] * 50
        folder = tmp_path / "week.parquet"
        for day, some in (("day=1", words[::2]), ("day=2", words[1::2])):
            (folder / day).mkdir(parents=True)
            pq.write_table(pa.table({"word": some}), folder / day / "part-0.parquet")
        (folder / "_SUCCESS").touch()
        (folder / "_bad.parquet").write_text("left out")
        bundle = WordBundle.open(counting)
        found = estimate_frequencies(
            bundle, [folder], FrequencyOptions(words=["london"], unexplained=True)
        ).estimate
        assert found.asked[0].reports == 700
        assert found.unknown.reports == 50
        assert found.reports == 840
        pq.write_table(pa.table({"word": ["the", None]}), folder / "more.parquet")
        with pytest.raises(ParameterError, match=r"more\.parquet: row 2 has an empty field"):
            estimate_frequencies(bundle, [folder])
        (tmp_path / "none.parquet").mkdir()
        with pytest.raises(ParameterError, match=r"contains no \.parquet file"):
            estimate_frequencies(bundle, [tmp_path / "none.parquet"])
