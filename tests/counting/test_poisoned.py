"""Reports that are few, odd or made up, and people who repeat themselves."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray
from period_tools import batch, day, lines

from brrkit import CountsSetting, ParameterError, WordBundle
from brrkit_counting import (
    FrequencyOptions,
    estimate_frequencies,
    estimate_periods,
)
from brrkit_counting.estimate.counts.changes import compare_counts
from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel, estimate_counts, fakes
from brrkit_counting.reports.spread import Spread, Spreading, effects, members_of
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended

if TYPE_CHECKING:
    from conftest import Brr

CAP = 9.0
SYMBOLS = 200
WORDS = [f"w{i}" for i in range(SYMBOLS - 1)]
DOCS = Path(__file__).parents[2] / "docs"


def counting(bundle: Path, words_a_day: int) -> WordBundle:
    write_recommended(bundle, CountsSetting(CAP, words_a_day, "a test", {"isolated": 0.8}))
    return WordBundle.open(bundle)


def honest(opened: WordBundle, reports: int) -> dict[str, int]:
    """Return what comes out on average where words are typed alike often, with some noise."""
    k = len(opened) + 1
    shares = 1 / np.arange(5.0, k + 5)
    response = ApproximateResponse(0.3, k)
    out = response.drawn + 0.3 * shares / shares.sum()
    drawn = np.random.default_rng(1).multinomial(reports, out / out.sum())
    words = [*map(opened.vocabulary.word, range(k - 1)), ""]
    return {word: int(count) for word, count in zip(words, drawn, strict=True) if count}


def write_table(path: str, counts: dict[str, int]) -> None:
    with Path(path).open("w", newline="") as file:
        csv.writer(file).writerows([("word", "count"), *counts.items()])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestFakes:
    @pytest.mark.parametrize("setting", ["counts", {"mechanism": "counts", "cap": CAP}])
    def test_one_batch_doesn_t_move_a_share(
        self, brr: Brr, bundle: Path, here: Path, setting: Any
    ) -> None:
        opened = counting(bundle, 1)
        word = opened.vocabulary.word(1_500)
        write_table("honest.csv", honest(opened, 1_000_000))
        evil = batch(opened, 1, setting=setting, counts={word: 10_000})
        good = batch(opened, 2, setting=setting, counts={word: 1})
        Path("evil.jsonl").write_text(lines([evil, good]))
        Path("good.jsonl").write_text(lines([good]))
        command = ("estimate", "honest.csv", "--bundle", bundle, "--word", word, "--unexplained")
        clean, poisoned = (
            json.loads(brr(*command, "--json", f"{name}.jsonl").out) for name in ("good", "evil")
        )
        assert clean["oversized"] == 0
        assert poisoned == clean | {"oversized": 1}
        said = brr(*command, "evil.jsonl", "--page", "p.html").out
        assert "1 batches have more than 1 reports, a device's limit for a day (left out)" in said
        assert "Batches of more than 1 reports" in Path("p.html").read_text()
        Path("only.jsonl").write_text(lines([evil]))
        refused = brr("estimate", "only.jsonl", "--bundle", bundle)
        assert refused.err.startswith("Error: only.jsonl: line 1: like all batches of this")

    def test_what_few_batches_carry_is_flagged(self, brr: Brr, bundle: Path, here: Path) -> None:
        opened = WordBundle.open(bundle)  # which doesn't say how many words a device sends
        word = opened.vocabulary.word(1_500)
        drawn = [w for w, count in honest(opened, 3_000).items() for _ in range(count)]
        np.random.default_rng(2).shuffle(drawn)
        made = [batch(opened, i, counts={w: 1}) for i, w in enumerate(drawn)]
        made.append(batch(opened, 10_000, counts={word: 100}))
        Path("r.jsonl").write_text(lines(made))
        command = ("estimate", "r.jsonl", "--bundle", bundle, "--unexplained")
        said = brr(*command, "--page", "p.html").out
        found = json.loads(brr(*command, "--json").out)["carried"]
        assert [each["name"] for each in found] == [word]
        reports, batches = found[0]["reports"], found[0]["batches"]
        assert reports - batches == 99
        shown = f"{word} ({reports} reports in {batches})"
        assert "WARNING: few batches carry these words, so a few devices may have" in said
        assert shown in said
        assert shown in Path("p.html").read_text()
        command += ("--by", "week")
        assert "carry these words in 2026-11-02, so" in brr(*command, "--page", "p.html").out
        assert shown in Path("p.html").read_text()
        by_week = json.loads(brr(*command, "--json").out)["periods"][0]
        assert by_week["carried"] == found
        Path("r.jsonl").write_text(lines(made[:-1]))
        assert json.loads(brr(*command, "--json").out)["periods"][0]["carried"] == []

    def test_how_many_move_a_share(self, brr: Brr, bundle: Path, here: Path) -> None:
        response = ApproximateResponse(0.05, SYMBOLS)
        counts = np.full(SYMBOLS, 5_000)
        number = fakes(response, int(counts.sum()))
        before, now = CountsChannel(response), counts.copy()
        now[7] += number
        now[8:108] -= number // 100  # of those that honest devices sent
        reports = int(now.sum())
        moved = before.shares(now, reports)[7] - before.shares(counts, int(counts.sum()))[7]
        assert 0.0099 < moved < 0.0101
        assert fakes(response, 10 * int(counts.sum())) == pytest.approx(10 * number, abs=10)
        opened = counting(bundle, 5)
        write_table("honest.csv", honest(opened, 10_000))
        write = lines([batch(opened, 1, setting="counts", counts={"the": 1})])
        Path("r.jsonl").write_text(write)
        said = brr("estimate", "honest.csv", "r.jsonl", "--bundle", bundle, "--unexplained").out
        number, devices = re.findall(r"fakes: (\d+) made-up reports, from (\d+) devices", said)[0]
        assert int(devices) == -(-int(number) // 5)

    def test_the_how_to_says_how_many(self) -> None:
        text = " ".join((DOCS / "how-to" / "count-words.md").read_text("utf-8").split())
        found = re.search(r"\(cap ([\d.]+)\), ([\d,]+) made-up reports can change", text)
        assert found is not None
        opened = WordBundle.sample()
        assert opened.counts is not None
        assert float(found[1]) == round(float(opened.counts.cap), 3)
        from brrkit.counts import RandomizedResponse

        k = len(opened) + 1
        kept = float(RandomizedResponse.of(opened.counts.cap, k).kept)
        number = fakes(ApproximateResponse(kept, k), 1_000_000)
        assert int(found[2].replace(",", "")) == number


class TestFew:
    """No, one and two reports, and odd ones, in every way that they are read."""

    @pytest.mark.parametrize("by", [None, "day"])
    @pytest.mark.parametrize(
        "words", [["the"], ["the", "the"], ["the", "of"], [""], ["", ""], ["", "the"]]
    )
    def test_counts(
        self, brr: Brr, bundle: Path, here: Path, words: list[str], by: str | None
    ) -> None:
        opened = counting(bundle, 5)
        Path("r.jsonl").write_text(
            lines([batch(opened, 1, setting="counts", counts=None, words=words)])
        )
        options = ("--by", by) if by else ("--top", "1")
        for more in ([], ["--unexplained"]):
            done = brr("estimate", "r.jsonl", "--bundle", bundle, "--word", "of", *options, *more)
            if words in (["the", "the"], ["", ""]):
                assert done.code in (0, 1)
            else:
                assert "reports can't be distinguished from random words" in done.err
            assert done.err.count("\n") <= 1
            assert "Traceback" not in done.err

    @pytest.mark.parametrize("text", ["the", "the the", "the of", ""])
    def test_text(self, brr: Brr, bundle: Path, here: Path, text: str) -> None:
        Path("r.txt").write_text(text)
        setting = ("--epsilon", 0.7, "--base", "unigram")
        done = brr("estimate", "r.txt", "--bundle", bundle, *setting, "--unexplained")
        assert done.code in (0, 1)
        assert done.err.count("\n") <= 1
        assert "Traceback" not in done.err

    def test_none_is_of_the_bundle(self, bundle: Path, here: Path) -> None:
        opened = counting(bundle, 5)
        Path("r.jsonl").write_text(
            lines([batch(opened, 1, setting="counts", counts={"xyzzyplugh": 2})])
        )
        for estimate in (estimate_frequencies, estimate_periods):
            with pytest.raises(ParameterError, match="no report has a word of this bundle"):
                estimate(opened, ["r.jsonl"], FrequencyOptions(most_foreign=1.0))


def typed(people: int, reports: int, favorites: float, generator: Any) -> NDArray[np.int64]:
    """Return what people type, [people, reports]: a Polya urn each, so they have favorites."""
    shares = 1 / np.arange(1.0, SYMBOLS + 1)
    made = generator.choice(SYMBOLS, (people, reports), p=shares / shares.sum())
    everyone = np.arange(people)
    for i in range(1, reports):
        again = generator.random(people) < i / (i + favorites)
        before = made[everyone, generator.integers(0, i, people)]
        made[:, i] = np.where(again, before, made[:, i])
    return np.asarray(made, np.int64)


def spread_of(out: NDArray[np.int64], each: int) -> Spread:
    """Return the spread of reports, [people, reports], over batches of ``each``."""
    spreading = Spreading()
    for person in out.reshape(len(out), -1, each).tolist():
        for number, some in enumerate(person):
            counts = {i: some.count(i) for i in set(some)}
            spreading.add(counts, {}, str(number))
    return spreading.spread(SYMBOLS)


class TestFavorites:
    response = ApproximateResponse(0.3, SYMBOLS)

    def week(self, generator: Any, favorites: float = 2.0) -> tuple[NDArray[np.int64], Spread]:
        words = typed(300, 40, favorites, generator)
        out = self.response.draw(words.ravel(), generator).reshape(words.shape)
        return np.bincount(out.ravel(), minlength=SYMBOLS), spread_of(out, 10)

    @pytest.mark.false_alarm(1e-9)
    def test_samples_of_one_population_seldom_differ(self) -> None:
        """Of 80 comparisons 5% may find a change: more than 24 have a probability below 1e-9."""
        generator, channel = np.random.default_rng(), CountsChannel(self.response)
        wrong = unclustered = 0
        for _ in range(80):
            (one, first), (two, second) = self.week(generator), self.week(generator)
            spreads = [first, second]
            wrong += bool(compare_counts(WORDS, channel, one, two, spreads=spreads).differences)
            unclustered += bool(compare_counts(WORDS, channel, one, two).differences)
        assert wrong <= 8
        assert unclustered > 24

    def test_intervals_are_of_the_population(self) -> None:
        generator, shares = np.random.default_rng(5), 1 / np.arange(1.0, SYMBOLS + 1)
        truth, hits, without = shares / shares.sum(), 0, 0
        for _ in range(30):
            counts, spread = self.week(generator)
            for given in (spread, None):
                found = estimate_counts(WORDS, CountsChannel(self.response), counts, spread=given)
                held = int(((found.low <= truth[:-1]) & (truth[:-1] <= found.high))[:20].sum())
                hits, without = (hits + held, without) if given else (hits, without + held)
        assert hits >= 0.93 * 600 > without

    def test_those_without_favorites_are_no_wider(self) -> None:
        counts, spread = self.week(np.random.default_rng(6), 1e9)
        varies = effects([spread], counts[None], np.array([counts.sum()]))[0]
        assert np.median(varies) < 1.1

    def test_the_effect_is_the_variance_of_sums_of_people(self) -> None:
        generator = np.random.default_rng(7)
        weeks = [self.week(generator) for _ in range(60)]
        counts = np.array([week[0] for week in weeks])
        seen = counts[:, :5].var(axis=0, ddof=1)
        out = counts[:, :5].mean(axis=0) / 12_000
        reports = np.array([12_000] * len(weeks))
        varies = effects([spread for _, spread in weeks], counts, reports)[0, :5]
        assert np.mean(seen / (12_000 * out * (1 - out)) / varies) == pytest.approx(1, abs=0.3)
        assert varies.min() > 2

    def test_pairs_are_counted(self) -> None:
        spreading, members = Spreading(), members_of([np.array([0, 2]), np.array([2])], 4)
        spreading.add({0: 2, 2: 1, 3: 1, -1: 5}, members, "monday")
        spreading.add({2: 3}, members, "monday")
        spreading.add({1: 1}, members, "tuesday")
        spread = spreading.spread(6)
        assert (spread.batches, spread.days, spread.pairs) == (3, 2, 4 * 3 + 3 * 2)
        assert spread.alike.tolist() == [2, 0, 6, 0, 6 + 6, 6]
        assert spread.again.tolist() == [1, 0, 2, 0, 2 + 2, 2]

    def test_a_comparison_of_tables_is_refused(self, brr: Brr, bundle: Path, here: Path) -> None:
        opened = counting(bundle, 3)
        for name in ("a.csv", "b.csv"):
            write_table(name, honest(opened, 30_000))
        command = ("estimate", "a.csv", "--bundle", bundle, "--unexplained")
        assert "intervals: for the words typed on these devices" in brr(*command).out
        for more in (["--compare", "b.csv"], ["b.csv", "--by", "file"]):
            refused = brr(*command, *more)
            assert (refused.code, refused.out) == (1, "")
            assert "a device sends up to 3 reports a day" in refused.err
        counting(bundle, 1)
        assert brr(*command, "--compare", "b.csv").code == 0

    def test_the_same_of_files(self, bundle: Path, here: Path) -> None:
        opened = counting(bundle, 4)
        drawn = [w for w, count in honest(opened, 2_000).items() for _ in range(count)]
        np.random.default_rng(3).shuffle(drawn)
        made = [
            batch(opened, i, setting="counts", counts=None, words=drawn[4 * i : 4 * i + 4])
            | {"period": day(i % 7)}
            for i in range(500)
        ]
        made += [made[0] | {"batch": f"{900 + i:032x}", "words": ["king"] * 4} for i in range(40)]
        Path("r.jsonl").write_text(lines(made))
        groups = {"two": ["king", "the"]}
        options = FrequencyOptions(words=["king"], groups=groups, unexplained=True)
        alone = estimate_frequencies(opened, ["r.jsonl"], options)
        week = estimate_periods(opened, ["r.jsonl"], options).estimates["2026-11-02"]
        assert alone.origin.clustered
        assert alone.estimate.asked == week.asked
        assert alone.estimate.totals == week.totals
        counts = np.append(alone.estimate.counts, alone.estimate.unknown.reports)
        k = len(counts)
        from period_tools import response

        low, high = CountsChannel(response(k)).interval(counts, int(counts.sum()), ERROR)
        king = opened.vocabulary.find("king")
        assert king is not None
        share = alone.estimate.asked[0]
        assert share.high - share.low > 1.5 * (high[king] - low[king])


def test_joint_intervals_of_differences_split_the_error() -> None:
    """Both ends of both shares miss together as often as one difference may."""
    response, tests = ApproximateResponse(0.25, 41), 41
    first = np.full(41, 1_000)
    second = first.copy()
    second[3] += 900
    names = [f"w{i}" for i in range(40)]
    found = compare_counts(names, CountsChannel(response), first, second)
    (change,) = [each for each in found.differences if each.name == "w3"]
    ends = [
        CountsChannel(response).interval(each[[3]], int(each.sum()), ERROR / (2 * found.tested))
        for each in (first, second)
    ]
    assert found.tested <= tests
    assert change.low == pytest.approx(float(ends[1][0][0] - ends[0][1][0]), rel=1e-12)
    assert change.high == pytest.approx(float(ends[1][1][0] - ends[0][0][0]), rel=1e-12)
