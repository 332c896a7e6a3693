"""Emoji that many phones report from a list: their intervals hold as often as they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks import emoji_week
from benchmarks.store import EMOJI_WEEK
from brrkit import Counts, WordBundle
from brrkit_counting import build_list, calibrate_counts
from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended

EMOJI = ["😂", "❤️", "👏", "🎉", "😓", "💧", "👍", "🎂"]
SHARES = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.02, 0.03])  # the last is of others


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    folder = tmp_path_factory.mktemp("week")
    rows = [f"{each},{count}\n" for each, count in zip(EMOJI, SHARES * 1_000, strict=False)]
    table = "".join(["word,count\n", *(row.replace(".0\n", "\n") for row in rows)])
    (folder / "emoji.csv").write_text(table, "utf-8")
    build_list(folder / "emoji.csv", folder / "emoji")
    found = calibrate_counts(WordBundle.open(folder / "emoji"), attack_success=0.5)
    write_recommended(folder / "emoji", found.setting)
    return WordBundle.open(folder / "emoji")


@pytest.mark.parametrize("share", [0.0, 0.00008, 0.0018, 0.015, 0.05, 0.3])
@pytest.mark.parametrize("symbols", [9, 501])
def test_an_interval_holds_in_95_of_100_weeks(share: float, symbols: int) -> None:
    """Computed, not drawn: the sum over the counts that a week of 200,000 reports can have."""
    reports, response = 200_000, ApproximateResponse(0.17, symbols)
    came = binom(reports, response.kept * share + response.drawn)
    counts = np.arange(came.ppf(1e-9), came.isf(1e-9) + 1)  # all but a billionth of the weeks
    low, high = CountsChannel(response).interval(counts, reports, ERROR)
    seen = came.pmf(counts)
    holds = seen[(low <= share) & (share <= high)].sum()
    assert 0.95 - 1e-8 <= holds <= (0.98 if share == 0 else 0.96)


@pytest.mark.false_alarm(1e-9)
def test_weeks_of_phones(bundle: WordBundle) -> None:
    """Through the code that phones run: of 24 weeks less than 16 miss one of two shares.

    Each misses with probability 0.05 at most, so either does with 0.1 at most.
    """
    response, weeks, reports = ApproximateResponse(float(Counts(bundle).kept), 9), 24, 4_000
    generator, missed = np.random.default_rng(5), 0
    for _ in range(weeks):
        typed = [[*EMOJI, "🫠"][i] for i in generator.choice(9, reports, p=SHARES)]
        released = Counts(bundle).words(typed)
        words = [bundle.vocabulary.word(i) for i in range(8)]
        came = np.array([released.count(word) for word in (words[0], words[1])])
        low, high = CountsChannel(response).interval(came, reports, ERROR)
        true = SHARES[:2]
        missed += not bool(np.all((low <= true) & (true <= high)))
    assert binom.sf(15, weeks, 0.1) < 1e-9
    assert missed < 16


def test_what_is_stored_is_what_was_asked_for() -> None:
    """Intervals hold in 95% of a thousand weeks, give or take 1%."""
    found = json.loads(Path(EMOJI_WEEK).read_text("utf-8"))
    assert found["weeks"] == 1_000
    assert 0.94 <= found["all"] <= 0.96
    for row in found["rows"]:
        assert row["low"] <= row["share"] <= row["high"]
        assert len(emoji_week.cells(row)) == len(emoji_week.COLUMNS)
