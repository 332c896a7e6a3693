"""Several periods of one list: which a batch is of, estimates, changes, groups, what is written."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from html_page import Page
from numpy.typing import NDArray
from period_tools import CAP, SETTING, batch, day, lines, response, weeks
from scipy.stats import binom, false_discovery_control

from brrkit import Counts, CountsSetting, ParameterError, Reporter, WordBundle
from brrkit_counting import (
    EstimateOptions,
    FrequencyOptions,
    build_list,
    estimate_frequencies,
    estimate_periods,
)
from brrkit_counting.estimate.counts.changes import Changes, changes_of_counts
from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel, estimate_counts
from brrkit_counting.estimate.groups import read_group, read_groups
from brrkit_counting.reports.calendar import unit_of
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended

if TYPE_CHECKING:
    from conftest import Brr

WORDS = [f"w{i}" for i in range(40)]
RARE = 1e-10
"""With which probability a statistical test here fails where nothing is wrong."""

TYPED = [
    {"london": 0.1, "england": 0.2, "king": 0.05},
    {"london": 0.1, "england": 0.2, "king": 0.05},
    {"london": 0.3, "england": 0.2, "king": 0.05},
]


@pytest.fixture
def here(opened: WordBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with batches of three weeks."""
    monkeypatch.chdir(tmp_path)
    Path("weeks.jsonl").write_text(lines(weeks(opened, TYPED, 6_000)))
    Path("groups.csv").write_text(
        "group,word\nplaces,London\nplaces,england\nplaces,nowhereland\npeople,king\n"
    )
    return tmp_path


class TestCalendar:
    @pytest.mark.parametrize(
        ("start", "end", "days"),
        [
            # by day, by week, by month
            ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z", ("2026-11-16",) * 2 + ("2026-11-01",)),
            ("2026-11-15T15:00:00Z", "2026-11-16T15:00:00Z", ("2026-11-16",) * 2 + ("2026-11-01",)),
            ("2026-11-22T05:00:00Z", "2026-11-23T06:00:00Z", ("2026-11-22", "2026-11-16", None)),
            ("2026-11-15T15:00:00Z", "2026-11-22T15:00:00Z", (None, "2026-11-16", "2026-11-01")),
            ("2026-10-31T20:00:00Z", "2026-11-30T20:00:00Z", (None, None, "2026-11-01")),
            ("2026-10-25T00:00:00Z", "2026-10-25T00:00:00Z", ("2026-10-25", "2026-10-19", None)),
        ],
    )
    def test_the_middle_of_its_period_says_of_which_it_is(
        self, start: str, end: str, days: tuple[str | None, ...]
    ) -> None:
        for unit, first in zip(("day", "week", "month"), days, strict=True):
            if first is not None:
                assert unit_of((start, end), unit, "here") == first
            elif start < "2026-11-16" and end > "2026-10-26":
                with pytest.raises(
                    ParameterError, match=f"here: its period is longer than a {unit}"
                ):
                    unit_of((start, end), unit, "here")


class TestGroups:
    def test_words_are_normalized_and_unknown_ones_left_out(
        self, here: Path, opened: WordBundle
    ) -> None:
        assert read_groups(here / "groups.csv", opened) == {
            "places": ["london", "england"],
            "people": ["king"],
        }

    def test_spaces_around_a_string_as_it_is_are_its_own(
        self, opened: WordBundle, tmp_path: Path
    ) -> None:
        (tmp_path / "list.txt").write_text(" open\nopen\n")
        build_list(tmp_path / "list.txt", tmp_path / "list", as_is=True)
        strings = WordBundle.open(tmp_path / "list")
        (tmp_path / "g.csv").write_text("word,group\n open,g\n")
        assert read_groups(tmp_path / "g.csv", strings) == {"g": [" open"]}
        (tmp_path / "g.txt").write_bytes(b" open\r\n\nopen \n")
        assert read_group(tmp_path / "g.txt", strings) == [" open", "open "]
        assert read_group(tmp_path / "g.txt", opened) == ["open", "open"]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("word,group\n", "has no groups; write a word"),
            ("word,group\nlondon,a\n,b\n", "line 3 has an empty field; repair the row"),
            ("word,group\nlondon,a\nxyzzyplugh,b\nxyzzyplugh,b\n", "line 3: none of this group"),
        ],
    )
    def test_what_is_refused(
        self, opened: WordBundle, tmp_path: Path, content: str, says: str
    ) -> None:
        file = tmp_path / "g.csv"
        file.write_text(content)
        with pytest.raises(ParameterError, match=says) as caught:
            read_groups(file, opened)
        assert str(caught.value).startswith(str(file))
        assert "xyzzy" not in str(caught.value)

    def test_the_interval_of_a_sum_has_its_covariances(self) -> None:
        """The variance of the sum of shares, from the multinomial's, is that of the group's count.

        c(x) and c(y) have the covariance -m q(x) q(y).
        """
        response, typed = ApproximateResponse(0.25, 41), np.arange(1.0, 42)
        out = response.kept * typed / typed.sum() + response.drawn
        group = np.array([3, 7, 30])
        covariances = np.diag(out) - np.outer(out, out)
        of_sum = covariances[np.ix_(group, group)].sum()
        share = out[group].sum()
        assert share * (1 - share) == pytest.approx(of_sum)
        reports = 10**8
        came = np.array([round(reports * share)])
        low, high = CountsChannel(response).interval(came, reports, 0.05, len(group))
        width = 2 * 1.959964 * np.sqrt(of_sum / reports) / response.kept
        assert float((high - low)[0]) == pytest.approx(width, rel=1e-3)


class TestEstimates:
    def test_each_period_is_estimated_as_it_is_alone(self, here: Path, opened: WordBundle) -> None:
        groups = read_groups(here / "groups.csv", opened)
        options = FrequencyOptions(words=["london"], groups=groups)
        found = estimate_periods(opened, ["weeks.jsonl"], options)
        batches = [json.loads(line) for line in Path("weeks.jsonl").read_text().splitlines()]
        assert [*found.estimates] == ["2026-11-02", "2026-11-09", "2026-11-16"]
        for week, estimate in enumerate(found.estimates.values()):
            Path("one.jsonl").write_text(lines(batches[2 * week : 2 * week + 2]))
            alone = estimate_frequencies(opened, ["one.jsonl"], options).estimate
            for name in ("counts", "shares", "low", "high"):
                assert np.array_equal(getattr(estimate, name), getattr(alone, name))
            assert (estimate.asked, estimate.totals) == (alone.asked, alone.totals)
            assert estimate.unknown == alone.unknown
            truth = TYPED[week]
            assert estimate.asked[0].low < truth["london"] < estimate.asked[0].high
            places = truth["london"] + truth["england"]
            assert estimate.totals[0].low < places < estimate.totals[0].high
        assert found.origin.period == ("2026-11-02T00:00:00Z", "2026-11-21T00:00:00Z")
        assert found.origin.setting == {"cap": pytest.approx(CAP)}

    def test_what_changed_is_found(self, here: Path, opened: WordBundle) -> None:
        groups = read_groups(here / "groups.csv", opened)
        changes = estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(groups=groups)).changes
        assert changes.comparisons == (
            ("2026-11-02", "2026-11-09"),
            ("2026-11-09", "2026-11-16"),
            ("2026-11-02", "2026-11-16"),
        )
        found = {(c.kind, c.name, c.periods) for c in changes.found}
        grown = [("word", "london"), ("unknown", "(unknown words)"), ("group", "places")]
        assert found == {(*what, pair) for what in grown for pair in changes.comparisons[1:]}
        for c in changes.found:
            if c.name == "london":
                assert c.low < 0.2 < c.high

    def test_periods_may_be_files(self, here: Path, opened: WordBundle) -> None:
        by_week = estimate_periods(opened, ["weeks.jsonl"])
        batches = [json.loads(line) for line in Path("weeks.jsonl").read_text().splitlines()]
        names = ["c.csv", "a.jsonl", "b.jsonl"]
        together: dict[str, int] = {}
        for each in batches[:2]:
            for word, count in each["counts"].items():
                together[word] = together.get(word, 0) + count
        with Path("c.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("word", "count"), *together.items()])
        Path("a.jsonl").write_text(lines(batches[2:4]))
        Path("b.jsonl").write_text(lines(batches[4:] + batches[:1]))
        batches[0] |= {"period": None}
        found = estimate_periods(
            opened, names[:1], EstimateOptions(setting=CountsSetting(CAP)), by="file"
        )
        assert [*found.estimates] == ["c.csv"]
        assert found.changes.comparisons == ()
        Path("b.jsonl").write_text(lines(batches[4:] + batches[3:4]))
        found = estimate_periods(opened, names, by="file")
        assert [*found.estimates] == names
        assert found.origin.repeated == 1
        for mine, other in zip(found.estimates.values(), by_week.estimates.values(), strict=True):
            assert np.array_equal(mine.counts, other.counts)
        assert [c.name for c in found.changes.found] == [c.name for c in by_week.changes.found]

    def test_a_period_may_be_small_or_missing(self, here: Path, opened: WordBundle) -> None:
        made = weeks(opened, TYPED, 6_000)
        few = batch(opened, 99, period=day(35), counts={"london": 1})
        none = batch(opened, 98, period=day(70))
        Path("weeks.jsonl").write_text(lines([few, none, *made]))
        found = estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(words=["london"]))
        assert [*found.estimates][-2:] == ["2026-11-16", "2026-12-07"]
        asked = found.estimates["2026-12-07"].asked[0]
        assert (asked.low, asked.high) == (pytest.approx(0.05, abs=0.1), 1.0)

    def test_all_intervals_can_hold_together(self, here: Path, opened: WordBundle) -> None:
        each, together = (
            estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(simultaneous=s))
            for s in (False, True)
        )
        tests = 3 * (len(opened) + 1)
        for one, all_ in zip(each.estimates.values(), together.estimates.values(), strict=True):
            counts = np.append(one.counts, one.unknown.reports)
            low, high = CountsChannel(response(len(counts))).interval(counts, 6_000, ERROR / tests)
            assert np.array_equal(all_.low, low[:-1])
            assert np.array_equal(all_.high, high[:-1])
            assert one.shares == pytest.approx(all_.shares)

    def test_shares_can_sum_to_one(self, here: Path, opened: WordBundle) -> None:
        found = estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(sum_to_one=True))
        for estimate in found.estimates.values():
            assert estimate.shares.min() == 0
            assert estimate.shares.sum() + estimate.unknown.share == pytest.approx(1)

    def test_from_devices_to_weeks(self, bundle: Path, tmp_path: Path) -> None:
        write_recommended(bundle, CountsSetting(CAP, 2, "a test", {"isolated": 0.8}))
        counts = Counts(WordBundle.open(bundle), random=random.Random(2).randbytes)
        reporter = Reporter(counts, random=random.Random(3).randbytes)
        made = []
        for week, word in enumerate(["london", "england"]):
            for _ in range(150):
                reporter.add([word, "the"])
                period = day(7 * week)
                made.append(reporter.batch(period["start"], period["end"]) or b"")
        file = tmp_path / "r.jsonl"
        file.write_bytes(b"\n".join(made))
        found = estimate_periods(WordBundle.open(bundle), [file])
        london, the = (found.shares(word) for word in ("london", "the"))
        first, second = found.estimates
        assert london[first].low > 0.3
        assert london[second].low == 0
        assert all(share.low < 0.5 < share.high for share in the.values())
        assert {c.name for c in found.changes.found} == {"london", "england"}

    def test_shares_by_name(self, here: Path, opened: WordBundle) -> None:
        groups = {"london": ["london", "king"]}
        found = estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(groups=groups))
        rows = {(r.kind, r.name, r.period): r for r in found.rows()}
        assert len(rows) == 3 * (len(opened) + 2)
        for kind, name in (("word", "london"), ("group", "london"), ("unknown", "(unknown words)")):
            for period, share in found.shares(name, kind).items():
                row = rows[kind, name, period]
                ends = row.reports, row.share, row.low, row.high
                assert (share.reports, share.share, share.low, share.high) == ends
        for kind, name in (("word", "xyzzyplugh"), ("group", "king")):
            with pytest.raises(ParameterError, match=f"there is no {kind} with this name"):
                found.shares(name, kind)


RESPONSE = ApproximateResponse(0.25, 41)
SIZES = np.array([3_000, 1_000, 5_000, 2_000])
GROUPS = {"even": np.arange(0, 40, 2), "few": np.array([1, 2, 3])}


def released(
    shares: NDArray[np.float64], sizes: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return what comes out [t, k] of reports of words typed with ``shares`` [k] or [t, k]."""
    out = RESPONSE.kept * shares + RESPONSE.drawn
    return generator.multinomial(sizes, np.broadcast_to(out, (len(sizes), 41)))


def changed(counts: NDArray[np.int64], rate: float = 0.05) -> Changes:
    names = [str(i) for i in range(len(counts))]
    return changes_of_counts(WORDS, CountsChannel(RESPONSE), names, counts, GROUPS, rate=rate)


class TestStatistics:
    @pytest.mark.false_alarm(8 * RARE)
    def test_intervals_of_a_stream_hold_as_often_as_they_say(self) -> None:
        """500 streams of 4 weeks: of each week the interval of a word, and of two groups.

        Intervals of one week depend on each other, so each kind is counted by itself: misses are
        independent, of weeks with a probability that is known exactly, and at most 0.05. So their
        number is between quantiles of binomials.
        """
        generator, truth = np.random.default_rng(), np.random.default_rng(4)
        typed = truth.dirichlet(np.full(41, 0.3), len(SIZES))
        groups = {name: [WORDS[i] for i in ids] for name, ids in GROUPS.items()}
        kinds: dict[str, list[int]] = {"rare": [5], "frequent": [11]} | {
            name: ids.tolist() for name, ids in GROUPS.items()
        }
        streams, misses = 500, dict.fromkeys(kinds, 0)
        for _ in range(streams):
            for week, counts in enumerate(released(typed, SIZES, generator)):
                words = [WORDS[kinds["rare"][0]], WORDS[kinds["frequent"][0]]]
                found = estimate_counts(
                    WORDS,
                    CountsChannel(RESPONSE),
                    counts,
                    EstimateOptions(words=words, groups=groups),
                )
                for kind, share in zip(kinds, (*found.asked, *found.totals), strict=True):
                    true = typed[week, kinds[kind]].sum()
                    misses[kind] += not share.low - 1e-12 <= true <= share.high + 1e-12
        for kind, ids in kinds.items():
            exact = [
                missed(typed[week, ids].sum(), size, len(ids)) for week, size in enumerate(SIZES)
            ]
            assert max(exact) <= 0.05
            trials = streams * len(SIZES)
            assert misses[kind] <= binom.isf(RARE, trials, max(exact))
            assert misses[kind] >= binom.ppf(RARE, trials, min(exact))

    @pytest.mark.false_alarm(RARE)
    def test_where_nothing_changes_little_is_found(self) -> None:
        """All that is found is false, so the rate bounds how often anything is."""
        generator, streams, rate = np.random.default_rng(), 600, 0.2
        typed = np.random.default_rng(5).dirichlet(np.full(41, 0.5))
        found = sum(
            bool(changed(released(typed, SIZES, generator), rate).found) for _ in range(streams)
        )
        assert found <= binom.isf(RARE, streams, rate)

    @pytest.mark.false_alarm(RARE)
    def test_where_some_change_few_are_false(self) -> None:
        """The mean of the false share is at most the rate, and what Hoeffding's bound allows."""
        generator, streams, rate = np.random.default_rng(), 600, 0.2
        typed = np.tile(np.full(41, 1 / 41), (4, 1))
        moved = np.array([0.0, 0.05, 0.02, 0.08])
        typed[:, 0] += moved
        typed[:, -1] += 0.2 - moved
        typed /= typed.sum(axis=1, keepdims=True)
        true = {"w0", "(unknown words)", "even"}
        false, discoveries = 0.0, 0
        for _ in range(streams):
            names = [c.name for c in changed(released(typed, 5 * SIZES, generator), rate).found]
            discoveries += len(names)
            false += sum(name not in true for name in names) / max(len(names), 1)
        assert discoveries > 4 * streams  # of 12 changes; the mean is above 5
        assert false / streams <= rate + np.sqrt(np.log(1 / RARE) / (2 * streams))

    def test_all_tests_are_one_family(self) -> None:
        generator, typed = np.random.default_rng(6), np.full((4, 41), 1 / 41)
        typed[2, :5] += 0.03
        sizes = 9 * SIZES
        counts = released(typed / typed.sum(axis=1, keepdims=True), sizes, generator)
        found = changed(counts, 0.999999)
        columns = [*counts.T, *(counts[:, ids].sum(axis=1) for ids in GROUPS.values())]
        names = [*WORDS, "(unknown words)", *GROUPS]
        p_values, which = [], []
        for one, two in ((0, 1), (1, 2), (2, 3), (0, 3)):
            part = sizes[one] / (sizes[one] + sizes[two])
            for name, came in zip(names, columns, strict=True):
                law = binom(came[one] + came[two], part)
                p_values.append(min(2 * min(law.cdf(came[one]), law.sf(came[one] - 1)), 1))
                which.append((name, (str(one), str(two))))
        assert found.tested == len(names)  # all are surely typed
        adjusted = false_discovery_control(p_values, method="by")
        expected = {key: p for key, p in zip(which, adjusted, strict=True) if p < 0.999999}
        assert {(c.name, c.periods): c.adjusted for c in found.found} == pytest.approx(expected)
        assert [c.adjusted for c in found.found] == sorted(c.adjusted for c in found.found)

    def test_what_is_tested_the_total_of_all_periods_says(self) -> None:
        typed = np.zeros((4, 41))
        typed[:, -1] = 1
        typed[3] = np.eye(41)[7]
        counts = np.rint((RESPONSE.kept * typed + RESPONSE.drawn) * SIZES[:, None]).astype(np.int64)
        found = changed(counts)
        assert found.tested == 2
        assert {(c.name, c.periods) for c in found.found} == {
            (name, pair) for name in ("w7", "(unknown words)") for pair in (("2", "3"), ("0", "3"))
        }


def missed(share: float, reports: int, symbols: int) -> float:
    """Return how often an interval misses, exactly."""
    came = np.arange(reports + 1)
    low, high = CountsChannel(RESPONSE).interval(came, reports, 0.05, symbols)
    out = RESPONSE.kept * share + symbols * RESPONSE.drawn
    outside = (low > share + 1e-12) | (share - 1e-12 > high)
    return float(binom.pmf(came, reports, out)[outside].sum())


class TestCommand:
    COMMAND = ("estimate", "weeks.jsonl", "--by", "week")

    def test_all_of_it(self, brr: Brr, here: Path, opened: WordBundle) -> None:
        command = (*self.COMMAND, "--bundle", opened.path, "--word", "king")
        command += ("--groups", "groups.csv")
        done = brr(*command, "--output", "weeks.csv", "--page", "weeks.html")
        assert (done.code, done.err) == (0, "")
        assert "18,000 reports of 3 periods" in done.out
        assert "group places" in done.out
        assert "6 changes, of " in done.out
        said = json.loads(brr(*command, "--json", "--top", 2, "--output", "weeks.parquet").out)
        assert [p["period"] for p in said["periods"]] == ["2026-11-02", "2026-11-09", "2026-11-16"]
        assert [g["name"] for g in said["periods"][0]["groups"]] == ["places", "people"]
        assert len(said["changes"]["found"]) == 2

        groups = read_groups(here / "groups.csv", opened)
        found = estimate_periods(
            opened, ["weeks.jsonl"], EstimateOptions(words=["king"], groups=groups)
        )
        rows = [asdict(row) for row in found.rows()]
        assert pq.read_table("weeks.parquet").to_pylist() == rows
        with Path("weeks.csv").open(newline="") as file:
            written = list(csv.DictReader(file))
        assert [list(row) for row in written[:1]] == [list(rows[0])]
        for row, read in zip(rows, written, strict=True):
            for name in ("period", "kind", "name", "reports"):
                assert read[name] == str(row[name])
            for name in ("share", "low", "high"):
                assert float(read[name]) == pytest.approx(row[name], rel=1e-5)

        page = Page(Path("weeks.html").read_text())
        assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
        assert page.tags["svg"] == 1
        text = page.words()
        for part in (
            "places (group)",
            "2026-11-16",
            "The words and groups asked for.",
            "18,000",
            "london",
        ):
            assert part in text
        assert "last column" not in text

    def test_the_page_shows_what_changed_most(
        self, brr: Brr, here: Path, opened: WordBundle
    ) -> None:
        command = (*self.COMMAND, "--bundle", opened.path, "--page", "weeks.html")
        assert brr(*command).code == 0
        text = Page(Path("weeks.html").read_text()).words()
        assert "The words whose shares changed most." in text
        assert "king" not in text
        Path("weeks.jsonl").write_text(lines(weeks(opened, TYPED[:2], 6_000)))
        assert brr(*command).code == 0
        text = Page(Path("weeks.html").read_text()).words()
        assert "The most frequent words; no change is significant." in text
        assert "No change is significant" in text
        assert "england" in text
        assert brr(*command, "--by", "month").code == 0
        assert Page(Path("weeks.html").read_text()).tags["svg"] == 0

    def test_groups_of_one_period(self, brr: Brr, here: Path, opened: WordBundle) -> None:
        done = brr("estimate", "weeks.jsonl", "--bundle", opened.path, "--groups", "groups.csv")
        last = done.out.splitlines()[-3:]
        assert [line.split()[0] for line in last] == ["group", "places", "people"]

    def test_reports_that_the_setting_cannot_have_made(
        self, brr: Brr, here: Path, opened: WordBundle
    ) -> None:
        plain = batch(opened, 77, period=day(21), counts={"london": 90_000, "king": 9_000})
        Path("weeks.jsonl").write_text(lines([*weeks(opened, TYPED, 6_000), plain]))
        command = (*self.COMMAND, "--bundle", opened.path)
        done = brr(*command, "--page", "p.html")
        assert done.code == 1
        assert done.err.startswith("Error: period 2026-11-23: this setting can't have made")
        assert not Path("p.html").exists()
        done = brr(*command, "--page", "p.html", "--unexplained")
        assert "WARNING: the reports of 2026-11-23 don't fit this setting" in done.out
        assert "Reports of 2026-11-23 don't fit this setting" in Path("p.html").read_text()

    def test_one_line_and_nothing_written(self, brr: Brr, here: Path, opened: WordBundle) -> None:
        Path("other.jsonl").write_text(lines([batch(opened, 50, period=None)]))
        Path("words.csv").write_text("word,count\nlondon,4\n")
        before = sorted(here.iterdir())
        for options, says in (
            (["--by", "year"], "--by': it is not one of 'day', 'week', 'month'"),
            (["--compare", "other.jsonl"], "--compare and --by exclude each other"),
            (["--for", "text"], "--for text and --by exclude each other"),
            (["--word", "xyzzyplugh"], "isn't in the bundle's vocabulary"),
            (["--epsilon", 1], "neither this batch nor any other was made with the given"),
            (["--by", "day"], "weeks.jsonl: line 1: its period is longer than a day"),
            (["other.jsonl"], "other.jsonl: line 1: names no period"),
            (["words.csv"], "words.csv: names no period"),
            (["--output", "o.txt"], "states no table format"),
        ):
            done = brr(*self.COMMAND, "--bundle", opened.path, *options)
            assert (done.code in (1, 2), done.out, done.err.count("\n")) == (True, "", 1)
            assert says in done.err
            assert "xyzzy" not in done.err
            assert sorted(here.iterdir()) == before

    def test_reports_of_text_are_refused(self, brr: Brr, here: Path, opened: WordBundle) -> None:
        text = {"mechanism": "exponential", "epsilon": 0.8, "parameters": {"base": "uniform"}}
        made = [batch(opened, i, setting=text, counts={"the": 9}) for i in range(3)]
        Path("weeks.jsonl").write_text(lines(made))
        done = brr(*self.COMMAND, "--bundle", opened.path)
        assert "only reports made for counts can be divided into periods" in done.err

    def test_another_setting_is_left_out_of_all_periods(
        self, here: Path, opened: WordBundle
    ) -> None:
        made = weeks(opened, TYPED, 6_000)
        other = SETTING | {"cap": 5.0}
        poison = [
            batch(opened, 60 + i, setting=other, counts={"the": 50}, period=day(7 * i))
            for i in range(2)
        ]
        Path("weeks.jsonl").write_text(lines(made))
        clean = estimate_periods(opened, ["weeks.jsonl"])
        Path("weeks.jsonl").write_text(lines(poison + made))
        with pytest.raises(
            ParameterError, match=r"line 1, .*line 2: made with a different setting"
        ):
            estimate_periods(opened, ["weeks.jsonl"])
        found = estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(leave_out_others=True))
        assert found.origin.others == 2
        assert list(found.rows()) == list(clean.rows())

    def test_no_word_is_of_the_bundle(self, opened: WordBundle, here: Path) -> None:
        Path("weeks.jsonl").write_text(lines([batch(opened, 1, counts={"xyzzyplugh": 5})]))
        with pytest.raises(ParameterError, match="no report has a word of this bundle"):
            estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(most_foreign=1.0))

    def test_a_wrong_unit(self, opened: WordBundle, here: Path) -> None:
        with pytest.raises(ParameterError, match="by must be one of day, week, month, file"):
            estimate_periods(opened, ["weeks.jsonl"], by="year")
        options: dict[str, Any] = {"false_discoveries": 1.0}
        with pytest.raises(ParameterError, match="between 0 and 1"):
            estimate_periods(opened, ["weeks.jsonl"], EstimateOptions(**options))
