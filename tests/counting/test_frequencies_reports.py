"""Reports are read as spec/reports.md says, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brrkit import Frames, TextReporter, WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import Setting
from brrkit_counting.cli.print_estimate import lines as lines_of
from brrkit_counting.estimate.from_files import estimate_frequencies, read_prior
from brrkit_counting.estimate.options import FrequencyOptions
from brrkit_counting.pages.frequencies import render
from brrkit_counting.reports.batch import MOST_REPORTS
from brrkit_counting.reports.reading import read_reports
from brrkit_counting.reports.setting import parse_stated
from brrkit_counting.reports.tally import Reports
from brrkit_toolchain.bundle.recommend import write_recommended

SPEC = Path(__file__).parents[2] / "spec"
SCHEMA = jsonschema.Draft202012Validator(json.loads((SPEC / "reports.schema.json").read_text()))
SETTING = {"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 8}}
MADE = parse_stated(SETTING)
WEEK = {"start": "2026-11-09T00:00:00Z", "end": "2026-11-16T00:00:00Z"}


@pytest.fixture(scope="module")
def words(opened: WordBundle) -> list[str]:
    return [opened.vocabulary.word(i) for i in range(3)]


def batch(opened: WordBundle, **fields: Any) -> dict[str, Any]:
    made = {
        "format": "brr-reports",
        "format_version": 1,
        "bundle": opened.manifest["sha256"],
        "setting": "recommended",
        "batch": "0" * 32,
        "words": ["the"],
    }
    return {name: value for name, value in (made | fields).items() if value is not None}


def read(
    folder: Path, name: str, content: bytes | str, bundle: WordBundle, **options: Any
) -> Reports:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_reports([path], bundle, **options)


def parquet(folder: Path, **columns: Any) -> bytes:
    pq.write_table(pa.table(columns), folder / "made.parquet")
    return (folder / "made.parquet").read_bytes()


class TestEveryFormatSaysTheSame:
    @pytest.mark.parametrize(
        "name", ["r.txt", "r", "r.csv", "quoted.csv", "r.parquet", "r.json", "r.jsonl"]
    )
    def test_counts(self, opened: WordBundle, words: list[str], tmp_path: Path, name: str) -> None:
        a, b, c = words
        content: dict[str, Any] = {
            "r.txt": f"{a} {b}\n\n  {a}\t{c} \n{a}\n",
            "r": f"\ufeff{a}\n{b}\n{a}\n{c}\n{a}",
            "r.csv": f"other,count,word\n,2,{a}\n\nx,1,{b}\nx,1,{c}\nx,1,{a}\nx,0,{b}\n",
            "quoted.csv": f'\ufeff"word","count"\r\n"{a}","3"\r\n"{b}",1\r\n"{c}",0001\r\n',
            "r.parquet": parquet(tmp_path, word=[a, b, c, a], count=[2, 1, 1, 1], x=[1, 2, 3, 4]),
            "r.json": json.dumps(batch(opened, words=[a, a, b, c, a]), indent=2),
            "r.jsonl": json.dumps(batch(opened, words=None, counts={a: 3, b: 1}))
            + "\n\n"
            + json.dumps(batch(opened, words=[c], batch="1" * 32)),
        }
        found = read(tmp_path, name, content[name], opened)
        assert found.counts[:3].tolist() == [3, 1, 1]
        assert len(found) == 5
        assert found.foreign == 0

    @pytest.mark.parametrize("name", ["r.csv", "r.jsonl", "r.parquet", "r.txt"])
    def test_columns_of_texts(
        self, opened: WordBundle, words: list[str], tmp_path: Path, name: str
    ) -> None:
        a, b, c = words
        texts = [f"{a} {b} {a}", "", f"{c} {a}"]
        content: dict[str, Any] = {
            "r.csv": "word,text\n" + "".join(f"{b},{text}\n" for text in texts),
            "r.jsonl": "".join(json.dumps({"text": text, "word": b}) + "\n" for text in texts),
            "r.parquet": parquet(tmp_path, text=[*texts, None], word=[b] * 4),
            "r.txt": "".join(f"{text}\n" for text in texts),
        }
        found = read(tmp_path, name, content[name], opened, column="text")
        assert found.counts[:3].tolist() == [3, 1, 1]
        assert len(found) == 5

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("r.csv", "body\nthe\n", r"r\.csv: .*text"),
            ("r.json", "", r"r\.json: only files named \.txt, .*\.parquet can have a column"),
            ("empty.csv", "text\n", r"empty\.csv: has no reports"),
        ],
    )
    def test_columns_that_aren_t_there(
        self, opened: WordBundle, tmp_path: Path, name: str, content: str, message: str
    ) -> None:
        with pytest.raises(ParameterError, match=message):
            read(tmp_path, name, content, opened, column="text")

    def test_parquet_of_other_types(self, opened: WordBundle, tmp_path: Path) -> None:
        for word, count in (
            (pa.array(["the"]).dictionary_encode(), pa.array([4], pa.uint16())),
            (pa.array(["the"], pa.large_string()), pa.array([4], pa.int8())),
        ):
            content = parquet(tmp_path, word=word, count=count)
            assert len(read(tmp_path, "r.parquet", content, opened)) == 4


class TestBatches:
    def test_one_that_comes_twice_counts_once(self, opened: WordBundle, tmp_path: Path) -> None:
        line = json.dumps(batch(opened)) + "\n"
        other = json.dumps(batch(opened, batch="a" * 32))
        found = read(tmp_path, "r.jsonl", line + line + other, opened)
        assert (len(found), found.batches, found.repeated) == (2, 2, 1)

    def test_setting_and_period(self, opened: WordBundle, tmp_path: Path) -> None:
        weeks = [WEEK, {"start": "2026-11-02T00:00:00Z", "end": WEEK["start"]}]
        lines = "\n".join(
            json.dumps(batch(opened, setting=SETTING, batch=f"{i:032x}", period=week))
            for i, week in enumerate(weeks)
        )
        found = read(tmp_path, "r.jsonl", lines, opened)
        assert found.stated == MADE
        assert found.period == ("2026-11-02T00:00:00Z", "2026-11-16T00:00:00Z")

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"format": "brr"}, "format"),
            ({"format_version": 2}, "format_version"),
            ({"format_version": True}, "format_version"),
            ({"bundle": "0" * 63}, "bundle"),
            ({"batch": "A" * 32}, "batch"),
            ({"setting": None}, "setting"),
            ({"setting": "default"}, "setting"),
            ({"setting": {**SETTING, "more": 1}}, "setting"),
            ({"setting": {**SETTING, "epsilon": "0.5"}}, "setting"),
            ({"period": {"start": "2026-11-09T00:00:00Z"}}, "period"),
            ({"period": {"start": "2026-11-09", "end": "2026-11-10"}}, "period"),
            ({"period": {"start": 1, "end": 2}}, "period"),
            ({"period": {**WEEK, "start": "2026-1-6T0:0:0Z"}}, "period"),
            ({"period": {**WEEK, "end": "٢٠٢٦-11-23T00:00:00Z"}}, "period"),
            ({"period": {**WEEK, "start": "2026-11-16T24:00:00Z"}}, "period"),
            ({"setting": {**SETTING, "mechanism": "secretword"}}, "setting"),
            ({"setting": {**SETTING, "epsilon": -1}}, "setting"),
            ({"setting": {**SETTING, "parameters": {"secretword": 1}}}, "setting"),
            ({"setting": {**SETTING, "parameters": {"radius": "secretword"}}}, "setting"),
            ({"words": None}, "counts"),
            ({"words": None, "counts": {"the": -1}}, "counts"),
            ({"words": None, "counts": {"the": 1.5}}, "counts"),
            ({"words": None, "counts": {"the": True}}, "counts"),
            ({"words": None, "counts": {"the": MOST_REPORTS + 1}}, "counts"),
            ({"words": ["the", 1]}, "words"),
            ({"secretword": "abc"}, None),
        ],
    )
    def test_a_wrong_field_is_named(
        self, opened: WordBundle, tmp_path: Path, fields: dict[str, Any], field: str | None
    ) -> None:
        wrong = batch(opened, **fields)
        says = f"field '{field}'" if field else "has an unknown field"
        with pytest.raises(ParameterError, match=rf"r\.jsonl: line 1: {says}") as caught:
            read(tmp_path, "r.jsonl", json.dumps(wrong), opened)
        assert "secretword" not in str(caught.value)
        assert not SCHEMA.is_valid(wrong) or fields == {"format_version": True}

    def test_the_schema_takes_what_the_reader_takes(self, opened: WordBundle) -> None:
        SCHEMA.check_schema(SCHEMA.schema)
        for good in (
            batch(opened),
            batch(opened, setting=SETTING, period=WEEK),
            batch(opened, words=None, counts={"the": 0, "of": MOST_REPORTS}),
        ):
            SCHEMA.validate(good)

    def test_the_document_s_example_is_of_the_schema(self) -> None:
        text = (SPEC / "reports.md").read_text()
        example = json.loads(text.split("```json\n")[1].split("```")[0])
        example["bundle"] = "0" * 64
        SCHEMA.validate(example)

    @pytest.mark.parametrize(
        ("first", "second", "says"),
        [
            ({}, {"bundle": "1" * 64}, "another bundle"),
            ({}, {"setting": SETTING}, "a different setting"),
        ],
    )
    def test_they_must_agree(
        self, opened: WordBundle, tmp_path: Path, first: Any, second: Any, says: str
    ) -> None:
        lines = [batch(opened, **first), batch(opened, batch="1" * 32, **second)]
        with pytest.raises(ParameterError, match=f"line 2: .*{says}"):
            read(tmp_path, "r.jsonl", "\n".join(map(json.dumps, lines)), opened)


OTHER = {"mechanism": "exponential", "epsilon": 1.5, "parameters": {}}
MEMORY = SETTING | {"second_epsilon": 1.0}


class TestOtherSettings:
    def lines(self, opened: WordBundle, *settings: Any) -> str:
        return "\n".join(
            json.dumps(batch(opened, setting=setting, batch=f"{i:032x}", words=["the"] * (i + 1)))
            for i, setting in enumerate(settings)
        )

    @pytest.mark.parametrize(
        "poison", [OTHER, MEMORY, "recommended", {**OTHER, "mechanism": "brr"}]
    )
    @pytest.mark.parametrize("at", [0, 3, 6])
    def test_the_culprit_is_named_and_can_be_left_out(
        self, opened: WordBundle, tmp_path: Path, poison: Any, at: int
    ) -> None:
        settings: list[Any] = [SETTING] * 6
        settings.insert(at, poison)
        lines = self.lines(opened, *settings)
        says = rf"r\.jsonl: line {at + 1}: made with a different setting than the other 6 batches"
        with pytest.raises(ParameterError, match=says):
            read(tmp_path, "r.jsonl", lines, opened)
        found = read(tmp_path, "r.jsonl", lines, opened, leave_out_others=True)
        assert (found.batches, found.others, found.stated) == (6, 1, MADE)
        assert len(found) == sum(range(1, 8)) - (at + 1)
        assert found.place == f"{tmp_path}/r.jsonl: line {2 if at == 0 else 1}"

    def test_three_are_named(self, opened: WordBundle, tmp_path: Path) -> None:
        lines = self.lines(opened, *[OTHER, MEMORY] * 4, *[SETTING] * 9)
        with pytest.raises(ParameterError, match=r"line 5 and 5 more: made .* other 9 batches"):
            read(tmp_path, "r.jsonl", lines, opened)
        assert read(tmp_path, "r.jsonl", lines, opened, leave_out_others=True).others == 8

    def test_the_same_said_otherwise_is_the_same(self, opened: WordBundle, tmp_path: Path) -> None:
        same = SETTING | {"parameters": {}}  # a radius of 8 is the default
        found = read(tmp_path, "r.jsonl", self.lines(opened, SETTING, same), opened)
        assert (found.batches, found.others) == (2, 0)

    def test_the_recommended_one_wins_a_tie(self, bundle: Path, tmp_path: Path) -> None:
        write_recommended(bundle, Setting(1.5, "exponential", {}, "a test"))
        opened = WordBundle.open(bundle)
        for stated in ("recommended", OTHER):
            lines = self.lines(opened, SETTING, stated, SETTING, stated)
            with pytest.raises(ParameterError, match=r"line 1, .*line 3: .* other 2 batches"):
                read(tmp_path, "r.jsonl", lines, opened)

    def test_a_tie_is_for_the_caller(self, opened: WordBundle, tmp_path: Path) -> None:
        lines = self.lines(opened, SETTING, OTHER)
        for leave_out_others in (False, True):
            with pytest.raises(ParameterError, match=r"line 2: .* than .*line 1, and each has"):
                read(tmp_path, "r.jsonl", lines, opened, leave_out_others=leave_out_others)
        with pytest.raises(ParameterError, match="line 1: made with a different setting"):
            read(tmp_path, "r.jsonl", lines, opened, stated=parse_stated(OTHER))
        found = read(
            tmp_path, "r.jsonl", lines, opened, stated=parse_stated(OTHER), leave_out_others=True
        )
        assert (len(found), found.others) == (2, 1)

    def test_none_is_of_the_caller_s(self, opened: WordBundle, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match=r"line 1: neither this batch nor any other"):
            read(
                tmp_path,
                "r.jsonl",
                self.lines(opened, SETTING),
                opened,
                stated=parse_stated(OTHER),
            )

    def test_tables_go_with_what_is_taken(self, opened: WordBundle, tmp_path: Path) -> None:
        (tmp_path / "r.jsonl").write_text(self.lines(opened, OTHER, SETTING, SETTING))
        (tmp_path / "r.txt").write_text("the of qqqq")
        paths = [tmp_path / "r.txt", tmp_path / "r.jsonl"]
        found = read_reports(paths, opened, leave_out_others=True, most_foreign=0.5)
        assert (len(found), found.foreign, found.others) == (7, 1, 1)


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("r.txt", b"", "no reports"),
            ("r.txt", b"the\nof \xff", "line 2 isn't UTF-8"),
            ("r.csv", b"", "names no column 'word'"),
            ("r.csv", b"word,count\n", "no reports"),
            ("r.csv", b"word,counts\nthe,1\n", "names no column 'count'"),
            ("r.csv", b"word,count,word\nthe,1,of\n", "names several columns 'word'"),
            ("r.csv", b"word,count\nthe,-1\n", "line 2: the count isn't a whole number"),
            ("r.csv", b"word,count\nthe,1\nof,1.5\n", "line 3: the count isn't a whole number"),
            ("r.csv", "word,count\nthe,١\n".encode(), "line 2: the count"),
            ("r.csv", b"word,count\nthe,99999999999999999\n", "line 2: the count"),
            ("r.csv", b"word,count\nthe,9007199254740992\nof,1\n", "line 3: more than 2^53"),
            ("r.csv", b"word,count\nthe\n", "line 2 has 1 columns"),
            ("r.csv", b'word,count\n"the,1\n', "line 2 isn't CSV"),
            ("r.csv", b"word,count\nt\0he,1\n", "line 2 has a zero byte"),
            ("r.json", b"[]", "not a JSON object"),
            ("r.jsonl", b"\n\n", "no reports"),
            ("r.parquet", b"word,count\nthe,1\n", "not a Parquet file"),
        ],
    )
    def test_one_line_says_where(
        self, opened: WordBundle, tmp_path: Path, name: str, content: bytes, says: str
    ) -> None:
        with pytest.raises(ParameterError) as caught:
            read(tmp_path, name, content, opened)
        assert says in str(caught.value)
        assert name in str(caught.value)

    @pytest.mark.parametrize(
        ("columns", "says"),
        [
            ({"number": [1]}, "no column 'word'"),
            ({"count": [1]}, "no column 'word'"),
            ({"word": ["the"], "count": [1.0]}, "column 'count' doesn't contain integers"),
            ({"word": [1], "count": [1]}, "column 'word' doesn't contain text"),
            ({"word": ["of", "the"], "count": [1, -1]}, "row 2: the count"),
            ({"word": ["the", None], "count": [1, 1]}, "row 2 has an empty field"),
            ({"word": ["the"], "count": pa.array([None], pa.int64())}, "row 1 has an empty"),
            ({"word": pa.array([], pa.string()), "count": pa.array([], pa.int64())}, "no reports"),
        ],
    )
    def test_parquet(
        self, opened: WordBundle, tmp_path: Path, columns: dict[str, Any], says: str
    ) -> None:
        with pytest.raises(ParameterError, match=says):
            read(tmp_path, "r.parquet", parquet(tmp_path, **columns), opened)

    def test_a_damaged_parquet_file(self, opened: WordBundle, tmp_path: Path) -> None:
        good = parquet(tmp_path, word=["the"] * 500, count=list(range(500)))
        for cut in (20, len(good) // 2, len(good) - 1):
            with pytest.raises(ParameterError, match="Parquet"):
                read(tmp_path, "r.parquet", good[:cut], opened)

    def test_foreign_words_are_counted_and_never_shown(
        self, opened: WordBundle, tmp_path: Path
    ) -> None:
        text = "the " * 99 + "secret-word"
        assert read(tmp_path, "r.txt", text, opened).foreign == 1
        with pytest.raises(ParameterError, match="1 of 100 reports") as caught:
            read(tmp_path, "r.txt", text, opened, most_foreign=0.005)
        assert "secret" not in str(caught.value)
        found = read(tmp_path, "r.txt", "the The", opened, most_foreign=1)  # letter by letter
        assert (len(found), found.foreign) == (1, 1)

    def test_a_file_given_twice(self, opened: WordBundle, tmp_path: Path) -> None:
        first, symbolic, hard = (tmp_path / name for name in ("a.txt", "b.txt", "c.txt"))
        first.write_text("the the")
        symbolic.symlink_to(first)
        hard.hardlink_to(first)
        for second in (first, symbolic, hard):
            with pytest.raises(ParameterError, match="given twice"):
                read_reports([first, second], opened)

    def test_what_is_not_a_file(self, opened: WordBundle, tmp_path: Path) -> None:
        for name in ("", "missing.txt", "missing.parquet"):
            with pytest.raises(ParameterError, match="can't be read"):
                read_reports([tmp_path / name], opened)


def test_a_prior_has_one_of_each_word_more(
    opened: WordBundle, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "prior.txt").write_text(f"{words[0]}\n" * 3 + f"{words[1]}\nqxzzq\n")
    prior = read_prior(opened, tmp_path / "prior.txt", 7.5)
    wanted = np.ones(len(opened) + 1)
    wanted[[0, 1, -1]] = 4, 2, 2  # the last one is the unknown word's
    np.testing.assert_allclose(prior.shares, wanted / (5 + len(opened) + 1), rtol=1e-12)
    assert prior.weight == 7.5


def test_counts_are_exact(opened: WordBundle, tmp_path: Path) -> None:
    found = read(tmp_path, "r.csv", f"word,count\nthe,{MOST_REPORTS - 1}\nthe,1\n", opened)
    assert found.counts.dtype == np.int64
    assert len(found) == MOST_REPORTS


def frames(bundle: WordBundle, word: str, days: int) -> list[dict[str, Any]]:
    """Return the frames of days of one word each, three words a frame, surely as typed."""
    setting = Setting(22.18, parameters={"radius": 0})
    reporter = TextReporter(bundle, setting, frames=Frames(3, 1))
    found = []
    for _ in range(days):
        reporter.add(word)
        found += map(json.loads, reporter.batches(*WEEK.values()))
    return found


def lines(batches: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in batches)


def test_fillers_of_frames_count_as_unknown(
    opened: WordBundle, words: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "frames.jsonl"
    file.write_text(lines(frames(opened, words[2], 200)))
    found = estimate_frequencies(opened, [file], FrequencyOptions(words=(words[2],)))
    (word,) = found.estimate.asked
    assert word.share == pytest.approx(1 / 3, abs=0.05)
    assert found.origin.batches == 200
    assert "frames: releases of unknown words fill them up" in "\n".join(lines_of(found, 3))
    assert "Releases of unknown words fill the frames" in render(found)


def test_frames_and_reports_of_a_setting_are_two_settings(
    opened: WordBundle, words: list[str], tmp_path: Path
) -> None:
    made = frames(opened, words[0], 3)
    text = batch(opened, setting=made[0]["setting"], batch="f" * 32)
    both = lines([*made, text])
    with pytest.raises(ParameterError, match="a different setting than the other 3 batches"):
        read(tmp_path, "r.jsonl", both, opened)
    found = read(tmp_path, "r.jsonl", both, opened, leave_out_others=True)
    assert (found.batches, len(found), found.others) == (3, 9, 1)


def test_frames_of_another_number_of_words_are_left_out(
    opened: WordBundle, words: list[str], tmp_path: Path
) -> None:
    three = replace(opened, manifest={**opened.manifest, "frames": {"words": 3, "a_day": 1}})
    made = frames(opened, words[0], 3)
    short = made[0] | {"words": made[0]["words"][:2], "batch": "f" * 32}
    found = read(tmp_path, "r.jsonl", lines([*made, short]), three)
    assert (found.batches, len(found), found.oversized) == (3, 9, 1)
    with pytest.raises(ParameterError, match="a frame with another number of words"):
        read(tmp_path, "r.jsonl", lines([short]), three)
