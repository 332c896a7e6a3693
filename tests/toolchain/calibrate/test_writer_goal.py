"""A goal for how often writers are named: epsilon falls until it is met, or it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from brrkit import ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain import WriterSuccess
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts
from brrkit_toolchain.calibrate.writers import lower_to_hide_writers
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.language.texts import TypedText

if TYPE_CHECKING:
    from conftest import Brr

WORDS, WRITERS = 64, 12


@pytest.fixture(scope="module")
def channel() -> Channel:
    codes = np.random.default_rng(0).integers(0, 2**63, (WORDS, 1)).astype(np.uint64)
    return Channel(bundle_of(codes), Setting(1.0, parameters={"radius": 8}))


def in_styles(lengths: Sequence[int]) -> WritersTexts:
    """Return texts of which each writer takes some words always, of one of ``lengths``."""
    draw = np.random.default_rng(1)
    words = np.arange(WORDS)
    texts = [
        draw.choice(words[words % WRITERS == writer], lengths[writer % len(lengths)])
        for writer in range(WRITERS)
        for _ in range(60)
    ]
    typed = [TypedText(ids.astype(np.int32), np.zeros(len(ids), np.bool_)) for ids in texts]
    return WritersTexts(typed, np.repeat(np.arange(WRITERS), 60), 0)


def test_epsilon_falls_until_the_writer_is_named_seldom_enough(channel: Channel) -> None:
    texts, goal = in_styles([4]), WriterSuccess(0.6, "sender")
    setting, found = lower_to_hide_writers(channel, texts, goal, "t.csv")
    assert found.most[0] == 20
    assert found.most[1].high <= 0.6
    assert 0.002 < setting.epsilon < 1
    assert setting.parameters == channel.setting.parameters
    met, again = lower_to_hide_writers(channel.at(setting), texts, goal, "t.csv")
    assert (met, again) == (setting, found)


def test_what_no_epsilon_reaches_is_refused(channel: Channel) -> None:
    goal = WriterSuccess(0.5, "sender")
    lengths = r"t\.csv: the lengths of 20 texts alone identify the writer with 1; release frames"
    with pytest.raises(ParameterError, match=lengths):
        lower_to_hide_writers(
            channel, in_styles([3 + 4 * writer for writer in range(WRITERS)]), goal, "t.csv"
        )
    few = r"can't be confirmed with 12 writers of t\.csv; give texts of more writers"
    with pytest.raises(ParameterError, match=few):
        lower_to_hide_writers(channel, in_styles([4]), WriterSuccess(0.05, "sender"), "t.csv")


@pytest.mark.parametrize("target", [0, 1, float("nan")])
def test_a_goal_is_a_probability(target: float) -> None:
    with pytest.raises(ParameterError, match="writer_success must be a number above 0"):
        WriterSuccess(target, "sender")


def test_goals_are_told_apart() -> None:
    assert str(WriterSuccess(0.1, "sender")) == "writer-success 0.1, sender"
    framed = WriterSuccess(0.1, "sender", frame_words=8)
    assert str(framed) == "writer-success 0.1, sender, frames of 8 words"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text", "t.csv", "--writer", "sender"], "--writer and --writer-success belong"),
        (["--text", "t.csv", "--writer-success", "0.1"], "--writer and --writer-success belong"),
        (["--writer", "sender"], "--writer "),
        (["--for", "counts", "--writer-success", "0.1"], "--writer-success is for text"),
    ],
)
def test_options_that_belong_together(brr: Brr, options: list[str], message: str) -> None:
    outcome = brr("calibrate", WordBundle.sample().path, *options)
    assert outcome.code == 1
    assert message in outcome.err
