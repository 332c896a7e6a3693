"""What the page of ``brr report`` makes of a proof holds of the mechanism itself."""

from __future__ import annotations

import re
from dataclasses import replace
from math import exp
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import rewrite

from brrkit import PrivacyBudget, Privatizer, WordBundle
from brrkit.errors import BudgetError
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import make_prior, max_posteriors, weighted_success
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.defaults import DAILY_BUDGET
from brrkit_toolchain.report.statements import sign_off
from brrkit_toolchain.report.statements.guarantee import (
    YEAR,
    Guarantee,
    guarantee_of,
    limits_in,
)
from brrkit_toolchain.report.statements.tables import day_and_year

ROOT = Path(__file__).parents[3]
SETTINGS = [
    Setting(0.3),
    Setting(0.6, parameters={"radius": 4, "base": "unigram"}),
    Setting(0.9, parameters={"cap": 3.0}),
]


def guarantee(**changes: float | None) -> Guarantee:
    numbers = {"epsilon": 0.5, "cap": None, "nearest": 4, "average": 20, "farthest": 40}
    return Guarantee(words=10_000, counts=None, **{**numbers, **changes})  # type: ignore[arg-type]


def channel_matrix(bundle: WordBundle, setting: Setting) -> np.ndarray:
    """Return Pr[y | x] [x, y], from the runtime's exact fractions."""
    privatizer = Privatizer(bundle, setting)
    words = list(bundle.vocabulary)
    rows = [privatizer.distribution(word) for word in words]
    return np.array([[float(row[word]) for word in words] for row in rows])


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_no_release_makes_anybody_surer(eight: WordBundle, setting: Setting) -> None:
    matrix = channel_matrix(eight, setting)
    believed = matrix / matrix.sum(axis=0)  # by who assumes that all words are equally likely
    stated = guarantee_of(eight, setting)
    assert believed.max() <= stated.believed(stated.any_two) * (1 + 1e-12)
    ratios = matrix[:, None] / matrix[None]
    assert np.log(ratios.max()) <= stated.any_two * (1 + 1e-12)


@pytest.mark.parametrize("attacker", ["isolated", "frequencies"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_how_sure_is_bayes_rule(eight: WordBundle, setting: Setting, attacker: str) -> None:
    prior = make_prior(attacker, len(eight))  # type: ignore[arg-type]
    joint = prior[:, None] * channel_matrix(eight, setting)
    channel = Channel(eight, setting)
    found = weighted_success(channel, prior)
    sure = pytest.approx((joint / joint.sum(axis=0)).max(), rel=1e-9)
    other = weighted_success(channel, np.full(len(eight), 1 / len(eight)))
    assert max_posteriors(channel, [other, found])[1] == sure
    assert found.mean == pytest.approx(joint.max(axis=0).sum(), rel=1e-9)


def test_odds_and_beliefs() -> None:
    stated = guarantee(cap=14.0)
    assert stated.any_two == 14
    assert stated.loss(4) == 2
    odds = exp(14) / 9_999
    assert stated.believed(14) == pytest.approx(odds / (1 + odds))
    assert stated.believed(0) == pytest.approx(1 / 10_000)
    assert stated.believed(stated.even) == pytest.approx(0.5)
    assert guarantee().any_two == 20


def test_a_sampled_distance_bounds_nothing(bundle: Path) -> None:
    setting = Setting(0.3)
    visited = WordBundle.open(bundle).manifest["distances"]["hamming"]["maximum"]
    assert guarantee_of(WordBundle.open(bundle), setting).farthest == visited < 64
    rewrite(bundle, edit=lambda fields: fields["distances"]["hamming"].update(exact=False))
    assert guarantee_of(WordBundle.open(bundle), setting).farthest == 64


def test_a_budget_pays_for_as_many_words_as_are_stated(sample_bundle: Path, tmp_path: Path) -> None:
    setting = Setting(0.9)
    bundle = WordBundle.open(sample_bundle)
    words = guarantee_of(bundle, setting).words_within(10)
    budget = PrivacyBudget(10, 24 * 3600, tmp_path / "budget.json")
    privatizer = Privatizer(bundle, setting, budget=budget)
    for _ in range(words):
        privatizer.word("the")
    with pytest.raises(BudgetError):
        privatizer.word("the")
    assert words == 11


def test_periods_that_a_year_touches() -> None:
    assert limits_in(1) == 2
    assert limits_in(365) == 366
    assert limits_in(365, 30) == 14


@pytest.mark.parametrize(
    ("file", "constant"),
    [
        (
            "android_demo/brr-keyboard/src/main/kotlin/org/brrkit/keyboard/BrrKeyboard.kt",
            r"DEFAULT_DAILY_BUDGET = ([\d.]+)",
        ),
        (
            "ios_demo/BrrkitKeyboard/Sources/ReleaseSettings.swift",
            r"dailyBudget: Double = ([\d.]+)",
        ),
    ],
)
def test_the_default_budget_is_the_keyboards(file: str, constant: str) -> None:
    found = re.findall(constant, (ROOT / file).read_text(encoding="utf-8"))
    assert [float(value) for value in found] == [DAILY_BUDGET]


def test_days_of_frames_lose_so_much_for_each_word(eight: WordBundle) -> None:
    framed = replace(eight, manifest={**eight.manifest, "frames": {"words": 4, "a_day": 5}})
    stated = guarantee_of(framed, SETTINGS[2])
    assert stated.framed(1) == 20 * stated.any_two == 60
    assert stated.framed(YEAR) == 365 * 60
    table = {row[0]: row[1:] for row in day_and_year(stated).rows}
    assert table["privacy loss of text: 5 frames of 4 words a day"] == ("60", "21,900")
    [line] = sign_off._frames(stated)
    assert "5 frames of 4 words for each day that the app begins, whatever is typed" in line.says
    assert "at most 3 if one typed word is replaced by another, 12 if the days differ" in line.says
    assert "in one text of at most 4 words, and 60 in any case. The privacy loss" in line.says
    assert "The privacy loss between any two spans of 365 days is at most 21,900." in line.says
    plain = guarantee_of(eight, SETTINGS[2])
    assert plain.framed(1) == 0
    assert sign_off._frames(plain) == ()
    assert not any("frames" in row[0] for row in day_and_year(plain).rows)
