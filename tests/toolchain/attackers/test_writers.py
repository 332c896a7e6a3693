"""Who wrote a released text, and which text it is: what is planted is found, chance is chance."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from brrkit import ParameterError, WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain import TextFiles, measure_recognition, measure_writers
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts
from brrkit_toolchain.attackers.writers.named import ATTACKERS, WriterAttack, attack_writers
from brrkit_toolchain.attackers.writers.recognized import _first_of
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.confidence import mean_over_clusters
from brrkit_toolchain.language.texts import TypedText

if TYPE_CHECKING:
    from conftest import Brr

WRITERS, TEXTS, WORDS = 4, 50, 64


@pytest.fixture(scope="module")
def channel() -> Channel:
    """Return one at which half of the words come out as typed."""
    codes = np.random.default_rng(0).integers(0, 2**63, (WORDS, 1)).astype(np.uint64)
    return Channel(bundle_of(codes), Setting(0.4, parameters={"radius": 8}))


def texts_of(ids: Sequence[np.ndarray], seed: int | None = None) -> WritersTexts:
    """Return texts of as many for each writer; with a seed those of all are mixed."""
    writers = np.repeat(np.arange(WRITERS), len(ids) // WRITERS)
    if seed is not None:
        writers = np.random.default_rng(seed).permutation(writers)
    typed = [TypedText(each.astype(np.int32), np.zeros(len(each), np.bool_)) for each in ids]
    return WritersTexts(typed, writers, 0)


def in_styles() -> list[np.ndarray]:
    """Return texts of four words, of which each writer takes some more often."""
    draw = np.random.default_rng(1)
    words = np.arange(WORDS)
    shares = [np.where(words % WRITERS == writer, 3.0, 1.0) for writer in range(WRITERS)]
    return [draw.choice(WORDS, 4, p=share / share.sum()) for share in shares for _ in range(TEXTS)]


def of_lengths() -> list[np.ndarray]:
    """Return texts of one distribution of words, of which each writer has a length of their own."""
    draw = np.random.default_rng(2)
    return [draw.integers(0, WORDS, 3 + 3 * writer) for writer in range(4) for _ in range(TEXTS)]


def values(found: WriterAttack, count: int) -> dict[str, float]:
    return {name: by_count[count].value for name, by_count in found.success.items()}


def test_a_style_is_found_in_released_words(channel: Channel) -> None:
    found = attack_writers(channel, texts_of(in_styles()), "sender")
    assert (found.writers, found.texts, found.chance) == (WRITERS, WRITERS * TEXTS, 0.25)
    assert list(found.success) == list(ATTACKERS)
    assert list(found.typed) == [1, 5, 20]  # none has 100 texts to attack
    one, twenty = values(found, 1), values(found, 20)
    assert one["lengths"] == twenty["lengths"] == 0.25  # all are as long
    assert 0.3 < one["words"] < found.typed[1].value < 0.7
    assert twenty["words"] > 0.8
    assert found.typed[20].value > 0.9
    assert found.success["words"][20].low > 0.25


def test_mixed_writers_are_not_told_apart(channel: Channel) -> None:
    """Four times 25 guesses of each: 0.25 within 6 standard errors of 100 that don't depend."""
    found = attack_writers(channel, texts_of(in_styles(), seed=3), "sender")
    for name, chance in values(found, 1).items():
        assert abs(chance - 0.25) < 6 * (0.25 * 0.75 / 100) ** 0.5 / 2, name
        assert found.success[name][1].low < 0.25


def test_lengths_tell_the_writer_and_frames_hide_them(channel: Channel) -> None:
    texts = texts_of(of_lengths())
    whole = values(attack_writers(channel, texts, "sender"), 1)
    assert whole["lengths"] > 0.95
    assert whole["words"] < 0.45
    framed = values(attack_writers(channel, texts, "sender", frame_words=4), 1)
    assert framed["lengths"] == 0.25
    assert framed["typed"] < 0.45  # one piece of a text is shorter: it has fillers


def test_who_knows_more_is_never_weaker(channel: Channel) -> None:
    found = attack_writers(channel, texts_of(of_lengths()), "sender").success
    for count in found["both"]:
        before = max(found[name][count].value for name in ("lengths", "words"))
        assert before <= found["both"][count].value <= found["typed"][count].value


def test_texts_of_one_writer_stand_for_less() -> None:
    right = np.tile([1.0, 0.0], 50)
    alone = mean_over_clusters(right, np.arange(100), 100)
    together = mean_over_clusters(right, np.repeat(np.arange(4), 25), 100)
    apart = mean_over_clusters(np.repeat([1.0, 0.0], 50), np.repeat(np.arange(4), 25), 100)
    assert alone.value == together.value == apart.value == 0.5
    assert apart.high - apart.low > 3 * (alone.high - alone.low)
    assert mean_over_clusters(np.zeros(100), np.arange(100), 10).high > 0.2


def write(path: Path, rows: Sequence[tuple[str, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of texts by three writers, each with words of their own, and few of others."""
    draw = np.random.default_rng(4)
    words = np.array([*WordBundle.sample().vocabulary][:600]).reshape(3, -1)
    rows = [
        (f"w{writer}", " ".join(draw.choice(words[writer], 6)))
        for writer in range(3)
        for _ in range(40)
    ]
    rows += [("few", "see you at home")] * 3 + [("", "nobody said so"), ("w0", "")]
    folder = tmp_path_factory.mktemp("messages")
    return write(folder / "messages.csv", [("sender", "text"), *rows])


def test_writers_of_a_table(messages: Path) -> None:
    files = TextFiles(messages, column="text")
    found = measure_writers(WordBundle.sample(), files, "sender", Setting(2.0))
    assert (found.writers, found.texts, found.left_out, found.column) == (3, 120, 1, "sender")
    assert found.typed[20].value == 1
    assert found.success["typed"][20].value > 0.9


@pytest.mark.parametrize(
    ("name", "column", "writer", "rows", "message"),
    [
        ("t.csv", "text", "age", [("sender", "text"), ("a", "b")], "age"),
        ("t.csv", None, "sender", [("sender", "text")], "name the one that contains the texts"),
        (
            "t.txt",
            None,
            "sender",
            [("hello",)],
            "a text file has no column of writers; give a table",
        ),
        (
            "t.csv",
            "text",
            "sender",
            [("sender", "text"), *[("a", "hello there")] * 30],
            "'sender' has 1 writers with 20 texts or more; 2 are needed",
        ),
        (
            "t.csv",
            "text",
            "sender",
            [("sender", "text"), *[("a", "hello"), ("b", "hello")] * 19],
            "'sender' has 0 writers with 20 texts or more; 2 are needed",
        ),
    ],
    ids=["no column", "no text column", "lines", "one writer", "few texts"],
)
def test_wrong_tables_are_refused(
    tmp_path: Path,
    name: str,
    column: str | None,
    writer: str,
    rows: Sequence[tuple[str, ...]],
    message: str,
) -> None:
    table = write(tmp_path / name, rows)
    with pytest.raises(ParameterError) as error:
        measure_writers(WordBundle.sample(), TextFiles(table, column=column), writer, Setting(1.0))
    assert str(error.value).startswith(f"{table}: ")
    assert message in str(error.value)


@pytest.mark.parametrize("others", [1, 2, 4])
@pytest.mark.parametrize(("better", "level"), [(0, 0), (1, 0), (0, 2), (1, 2), (4, 0)])
def test_first_of_random_others(others: int, better: int, level: int) -> None:
    """Over all choices of others among four, and all orders of those that are as good."""
    shares = []
    for drawn in combinations(range(4), others):
        beaten = any(each < better for each in drawn)
        alike = sum(better <= each < better + level for each in drawn)
        shares.append(0 if beaten else 1 / (1 + alike))
    assert _first_of(4, others, better, min(level, 4 - better)) == pytest.approx(np.mean(shares))


def different(path: Path, count: int) -> Path:
    draw = np.random.default_rng(5)
    words = [*WordBundle.sample().vocabulary][:3_000]
    texts = [" ".join(draw.choice(words, length)) for length in (4, 12) for _ in range(count)]
    return write(path / "texts.txt", [(text,) for text in texts])


@pytest.mark.parametrize("frame_words", [None, 6])
def test_texts_are_recognized_as_far_as_the_setting_lets(
    tmp_path: Path, frame_words: int | None
) -> None:
    texts = different(tmp_path, 30)

    def success(epsilon: float) -> list[Estimate]:
        found = measure_recognition(
            WordBundle.sample(), texts, 20, Setting(epsilon), frame_words=frame_words
        )
        assert (found.others, found.exact) == (20, True)
        assert list(found.success) == [(3, 5), (10, 14)]
        return list(found.success.values())

    assert all(each.value > 0.99 for each in success(4.0))
    if frame_words is None:
        # The flattest setting says nothing: 30 guesses of 1 in 21, within 6 standard errors.
        assert all(abs(each.value - 1 / 21) < 6 * (1 / 21 / 30) ** 0.5 for each in success(2e-3))


def test_too_few_texts_to_recognize_one_among(tmp_path: Path) -> None:
    texts = different(tmp_path, 15)
    with pytest.raises(ParameterError, match="with 40 others of the same length"):
        measure_recognition(WordBundle.sample(), texts, 40, Setting(1.0))
    with pytest.raises(ParameterError, match="1 or more, not 0"):
        measure_recognition(WordBundle.sample(), texts, 0, Setting(1.0))


class TestCommand:
    def test_measure_shows_writers_and_recognized_texts(self, brr: Brr, messages: Path) -> None:
        args = ["measure", str(WordBundle.sample().path), "--epsilon", "2", "--sample", "20"]
        args += ["--text", str(messages), "--column", "text", "--tokens", "20"]
        known = ["--writer", "sender", "--recognized", "30", "--frame-words", "5"]
        shown = brr(*args, *known).out
        assert "Who wrote it (sender): one of 3 is identified from N frames of 5 words" in shown
        assert "chance 0.333; left out 1, with fewer than 20 texts" in shown
        assert "a frame of 5 words is recognized among 30 others of any length" in shown
        found = json.loads(brr(*args, *known, "--json").out)
        (writers,) = found["writers"]
        assert writers["success"]["lengths"]["20"]["value"] == pytest.approx(1 / 3)
        assert [each["from"] for each in found["recognized"]["success"]] == [6]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--writer", "sender"], "--writer and --recognized need --text"),
            (["--text", "t.csv", "--frames"], "--frames and --frame-words need --writer"),
        ],
    )
    def test_options_without_what_they_are_for(
        self, brr: Brr, options: Sequence[str], message: str
    ) -> None:
        result = brr("measure", str(WordBundle.sample().path), *options)
        assert result.code == 1
        assert message in result.err
