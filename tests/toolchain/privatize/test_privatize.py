"""A corpus in record batches, in files, and in several processes."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bundle_tools import leftovers, rewrite
from hypothesis import given, settings
from hypothesis import strategies as st

from brrkit import BrrError, OutOfVocabularyError, ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit.tokenizer import tokenize
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.language import run_cache
from brrkit_toolchain.privatize.batches import CorpusJob, Worker, kept_worker, pieces, privatize
from brrkit_toolchain.privatize.plan import CorpusPlan
from brrkit_toolchain.privatize.processes import in_processes

if TYPE_CHECKING:
    from conftest import Brr, Outcome

SURE = 22.18  # an epsilon at which a word stays but for one in 10^12: none of the 10^5 here changes
SECRET = "xyzzyplugh"
TEXTS = ["The old Town!", "", None, f"of {SECRET} and the", "the the the"]


def job(bundle: Path, **changes: Any) -> CorpusJob:
    setting = Setting(SURE, parameters={"radius": 0})
    return CorpusJob(
        str(bundle), CorpusPlan(**{"columns": ("text",), "setting": setting, **changes})
    )


def record_batch(texts: Sequence[str | None], kind: Any = None) -> pa.RecordBatch:
    numbers = pa.array(range(len(texts)), pa.int64())
    return pa.record_batch({"id": numbers, "text": pa.array(texts, kind or pa.string())})


def test_one_text_is_no_list_of_columns() -> None:
    with pytest.raises(ParameterError, match="lists of names, not strings"):
        CorpusPlan("text")


class TestBatches:
    def test_texts_become_their_words(self, sample_bundle: Path) -> None:
        vocabulary = WordBundle.open(sample_bundle).vocabulary
        every = " ".join(vocabulary.word(i) for i in range(0, 2_000, 13))
        [out] = privatize([record_batch([*TEXTS, every])], job(sample_bundle))
        assert out.schema.names == ["text"]
        words = out["text"].to_pylist()
        unchanged = ["the old town", "", None, "the the the", every]
        assert [words[i] for i in (0, 1, 2, 4, 5)] == unchanged
        assert words[3].split()[0] == "of"
        assert words[3].split()[2:] == ["and", "the"]
        assert SECRET not in words[3]

    def test_a_kept_worker_serves_the_next_tasks_of_its_job(self, sample_bundle: Path) -> None:
        own, batch = job(sample_bundle, columns=["text"]), record_batch(["the old town"] * 400)
        worker = kept_worker(own)
        assert kept_worker(replace(own)) is worker
        private = replace(own, plan=replace(own.plan, setting=Setting(1e-3)))
        assert kept_worker(private) is not worker
        first, second = (
            list(privatize([batch], private, worker=kept_worker(private))) for _ in range(2)
        )
        assert first != second  # each task draws for itself
        assert kept_worker(own) is not worker  # of one job only

    def test_only_named_columns_come_out(self, sample_bundle: Path) -> None:
        batch = pa.record_batch(
            {"secret": [SECRET], "a": ["the"], "n": [1.5], "b": ["old"]},
            metadata={"secret": SECRET},
        )
        [out] = privatize([batch], job(sample_bundle, columns=("b", "a"), keep=("n",)))
        assert out.to_pydict() == {"a": ["the"], "n": [1.5], "b": ["old"]}
        assert out.schema.metadata is None

    @pytest.mark.parametrize(
        "kind",
        [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    )
    def test_every_kind_of_text(self, sample_bundle: Path, kind: pa.DataType) -> None:
        plain = record_batch(["the", None, "old the"])
        batch = pa.record_batch([plain["text"].cast(kind)], ["text"])
        chosen = job(sample_bundle)
        [out] = privatize([batch], chosen)
        assert out["text"].to_pylist() == ["the", None, "old the"]
        expected = pa.large_string() if kind == pa.large_string() else pa.string()
        assert out.schema.field("text").type == expected
        assert out.schema == chosen.schema(batch.schema)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"columns": ()}, "no column to privatize"),
            ({"columns": ("text", "txt")}, "column 'txt' isn't there, or is there twice"),
            ({"keep": ("idd",)}, "column 'idd' isn't there, or is there twice"),
            ({"keep": ("text",)}, "column 'text' is named twice"),
            ({"columns": ("id",)}, "column 'id' contains int64, not text"),
            ({"setting": Setting(0.0)}, "epsilon must be a number"),
            ({"setting": Setting(1, "laplas")}, "there is no such mechanism"),
            ({"oov": "keep"}, "there is no such oov"),
            ({"setting": Setting(1, parameters={"t": 1})}, "no parameter 't'"),
        ],
    )
    def test_bad_jobs(self, sample_bundle: Path, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            list(privatize([record_batch(TEXTS)], job(sample_bundle, **changes)))

    def test_error_names_the_place_only(self, sample_bundle: Path) -> None:
        chosen = job(sample_bundle, oov="error")
        with pytest.raises(OutOfVocabularyError) as caught:
            list(privatize([record_batch(["the"] * 4), record_batch(TEXTS)], chosen))
        assert "row 8, column 'text': word 2 of 4 is out of vocabulary" in str(caught.value)
        assert SECRET not in str(caught.value)

    @pytest.mark.parametrize("mechanism", ["brr", "vickrey", "exponential"])
    def test_unknown_words_are_drawn_by_the_masses(
        self, sample_bundle: Path, mechanism: str
    ) -> None:
        texts = [" ".join([SECRET] * 3_000)]
        chosen = job(sample_bundle, setting=Setting(SURE, mechanism))
        [out] = privatize([record_batch(texts)], chosen)
        words = out["text"][0].as_py().split()
        assert len(words) == 3_000
        bundle = WordBundle.open(sample_bundle)
        share = float(stand_in_shares(bundle.masses)[:20].sum())
        assert share > 0.2  # if all 2,000 words were as likely, 0.01
        frequent = {bundle.vocabulary.word(i) for i in range(20)}
        found = sum(word in frequent for word in words) / 3_000
        assert found == pytest.approx(share, abs=0.06)  # 6.5 standard deviations

    @settings(max_examples=25)
    @given(texts=st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=40)))
    def test_a_word_for_each_token(self, sample_bundle: Path, texts: list[str | None]) -> None:
        if sample_bundle not in WORKERS:
            WORKERS[sample_bundle] = Worker(
                job(sample_bundle, setting=Setting(0.3, parameters={"radius": 0}))
            )
        worker = WORKERS[sample_bundle]
        for text, out in zip(texts, worker(record_batch(texts))["text"].to_pylist(), strict=True):
            assert (out is None) == (text is None)
            assert len((out or "").split()) == len(tokenize(text or ""))

    def test_more_tokens_than_are_remembered(
        self, sample_bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(run_cache, "_MOST_RUNS", 3)
        text = f"the of and {'xyz' * 33} old town the of and in old town"
        [out] = privatize([record_batch([text])], job(sample_bundle, oov="drop"))
        assert out["text"].to_pylist() == [text.replace("xyz" * 33 + " ", "")]

    def test_the_source_of_random_bytes_is_the_system_s(
        self, sample_bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[int] = []

        def watched(size: int, right: Any = os.urandom) -> bytes:
            asked.append(size)
            return bytes(right(size))

        assert Worker.__init__.__defaults__ == (os.urandom,)
        Worker(job(sample_bundle), watched)(record_batch(["the"] * 100))
        assert sum(asked) >= 2 * 8 * 100


WORKERS: dict[Path, Worker] = {}


class TestFrames:
    def test_every_text_becomes_one_of_its_pieces(self, sample_bundle: Path) -> None:
        chosen = job(sample_bundle, frame_words=3)
        [out] = privatize([record_batch([*TEXTS, "of and the old town"])], chosen)
        words = [text and text.split() for text in out["text"].to_pylist()]
        assert words[2] is None
        assert {len(each) for each in words if each is not None} == {3}
        assert words[0] == ["the", "old", "town"]
        assert words[4] == ["the", "the", "the"]
        assert words[3][::2] == ["of", "and"] or words[3][0] == "the"
        assert words[5] == ["of", "and", "the"] or words[5][:2] == ["old", "town"]
        assert SECRET not in out["text"].to_pylist()[3]

    def test_an_empty_file_has_no_frames(self, sample_bundle: Path) -> None:
        [out] = privatize([record_batch([])], job(sample_bundle, frame_words=3))
        assert out["text"].to_pylist() == []

    def test_marks_are_words_of_a_frame(self, sample_bundle: Path) -> None:
        batch = pa.record_batch({"text": ["the old town"], "m": ["[[4, 7]]"]})
        [out] = privatize([batch], job(sample_bundle, frame_words=3, marks="m"))
        assert out["text"].to_pylist()[0].split()[::2] == ["the", "town"]

    @pytest.mark.parametrize(
        "changes", [{"oov": "drop"}, {"oov": "error"}, {"rest": "pass", "marks": "m"}]
    )
    def test_what_shows_the_number_of_words_is_refused(
        self, sample_bundle: Path, changes: dict[str, Any]
    ) -> None:
        with pytest.raises(ParameterError, match="a fixed number of words"):
            job(sample_bundle, frame_words=8, **changes)

    @pytest.mark.parametrize("words", [0, 65, 8.0, True])
    def test_a_frame_has_1_to_64_words(self, sample_bundle: Path, words: Any) -> None:
        with pytest.raises(ParameterError, match="1 to 64 words"):
            job(sample_bundle, frame_words=words)

    def test_each_piece_is_as_likely(self) -> None:
        """A chi-square of 4 degrees of freedom: above 50 with 4e-10."""
        text = np.arange(9)  # the last of 5 pieces has one word
        frames = framed([text] * 5_000, 2, 9, random.Random(1).randbytes)
        starts, counts = np.unique(frames[:, 0], return_counts=True)
        assert starts.tolist() == [0, 2, 4, 6, 8]
        assert set(map(tuple, frames.tolist())) == {(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)}
        assert ((counts - 1_000) ** 2 / 1_000).sum() < 50

    def test_lines_and_files(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        file, output = tmp_path / "in.txt", tmp_path / "out.txt"
        file.write_text("the old town of\n\nof\n")
        options = (sample_bundle, "--epsilon", SURE, "--radius", 0, "--input", file)
        lines = brr("privatize", *options, "--frame-words", 4).out.splitlines()
        brr("privatize", *options, "--frame-words", 4, "--output", output)
        for found in (lines, output.read_text().splitlines()):
            assert [len(line.split()) for line in found] == [4, 4, 4]
            assert found[0] == "the old town of"
            assert found[2].split()[0] == "of"
        assert (
            "the bundle has no frames; give --frame-words"
            in brr("privatize", *options, "--frames").err
        )

    def test_a_bundles_own(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        shape = {"frames": {"words": 5, "a_day": 2}}
        bundle = Path(shutil.copytree(sample_bundle, tmp_path / "framed"))
        rewrite(bundle, edit=lambda fields: fields.update(shape))
        file = tmp_path / "in.txt"
        file.write_text("the old town of\n\nof\n")
        options = (bundle, "--epsilon", SURE, "--radius", 0, "--input", file, "--frames")
        lines = brr("privatize", *options).out.splitlines()
        assert [len(line.split()) for line in lines] == [5, 5, 5]
        memory = ("--memory", 3600, tmp_path / "key")
        assert "a memory would link frames" in brr("privatize", *options, *memory).err


class TestPieces:
    @settings(max_examples=50)
    @given(
        sizes=st.lists(st.lists(st.integers(0, 300), max_size=30), max_size=6),
        limit=st.integers(1, 2_000),
    )
    def test_all_rows_in_order_and_bounded(self, sizes: list[list[int]], limit: int) -> None:
        given = [record_batch(["x" * size for size in part]) for part in sizes]
        found = list(pieces(given, limit))
        rows = [text for piece in found for text in piece["text"].to_pylist()]
        assert rows == ["x" * size for part in sizes for size in part]
        for piece in found:
            assert piece.num_rows == 1 or piece.nbytes <= limit + 100

    def test_small_batches_are_joined(self) -> None:
        small = [record_batch(["the"])] * 1_000
        assert [piece.num_rows for piece in pieces(small, 1 << 20)] == [1_000]

    def test_memory_is_bounded_by_bytes(self, sample_bundle: Path, tmp_path: Path) -> None:
        """Eight times the rows take no more memory; one-letter words take the most for a byte."""
        script = """
import resource, sys
import pyarrow as pa
from brrkit import Setting
from brrkit_toolchain.privatize import batches
from brrkit_toolchain.privatize.plan import CorpusPlan
batch = pa.record_batch({"text": ["a " * 500] * 125})
work = batches.Worker(batches.CorpusJob(sys.argv[1], CorpusPlan(("text",), setting=Setting(1.0))))
for count in (3, 24):
    for piece in batches.pieces([batch] * count, 1 << 18):
        work(piece)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
        printed = subprocess.check_output([sys.executable, "-c", script, sample_bundle])
        first, second = map(int, printed.split())
        assert second - first < 5_000  # KB; words of 21 batches more are 10 MB as numbers alone


# Formats: how a file of rows is written, and how it is read again.


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(list(rows)), path, row_group_size=2)


def read_rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, strict=True))
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return list(pq.read_table(path).to_pylist())


ROWS = [
    {"id": "007", "text": 'the "old"\ntown, of', "who": SECRET},
    {"id": "1e3", "text": "and\r\nthe", "who": SECRET},
    {"id": 'a,"b', "text": "", "who": SECRET},
    {"id": "", "text": "in", "who": SECRET},
]
EXPECTED = [
    {"id": "007", "text": "the old town of"},
    {"id": "1e3", "text": "and the"},
    {"id": 'a,"b', "text": ""},
    {"id": "", "text": "in"},
]
SUFFIXES = [".csv", ".jsonl", ".parquet"]


@pytest.fixture
def run(brr: Brr, sample_bundle: Path, tmp_path: Path) -> Callable[..., Outcome]:
    """Privatize a file in ``tmp_path`` into ``out`` with the same suffix."""

    def privatize_file(name: str, *options: object) -> Outcome:
        source = tmp_path / name
        return brr(
            *("privatize", sample_bundle, "--input", source),
            *("--output", tmp_path / f"out{source.suffix}"),
            *("--epsilon", SURE, "--radius", 0),
            *options,
        )

    return privatize_file


Run = Callable[..., "Outcome"]


class TestFiles:
    # In several processes in TestJobs: this one reads and writes all files.
    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_columns(self, run: Run, tmp_path: Path, suffix: str) -> None:
        write_rows(tmp_path / f"in{suffix}", ROWS)
        outcome = run(f"in{suffix}", "--column", "text", "--keep", "id")
        assert (outcome.code, outcome.err) == (0, "")
        assert read_rows(tmp_path / f"out{suffix}") == EXPECTED
        assert SECRET.encode() not in (tmp_path / f"out{suffix}").read_bytes()
        assert outcome.out == f"Wrote 4 rows to {tmp_path / f'out{suffix}'}\n"
        assert leftovers(tmp_path) == [f"in{suffix}", f"out{suffix}"]
        assert run(f"in{suffix}", "--column", "text").code == 0  # no other column by default
        assert read_rows(tmp_path / f"out{suffix}") == [{"text": row["text"]} for row in EXPECTED]

    def test_text(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "in.txt").write_bytes(b"\xef\xbb\xbfThe old!\r\n\nof the\nand")
        (tmp_path / "out.txt").write_text("what is there is replaced")
        assert run("in.txt").code == 0
        assert (tmp_path / "out.txt").read_bytes() == b"the old\n\nof the\nand\n"

    def test_the_format_of_another_suffix(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "in.log").write_text("the\n")
        assert "this suffix states no format" in run("in.log").err
        assert run("in.log", "--format", "text").code == 0
        assert (tmp_path / "out.log").read_text() == "the\n"

    def test_json_that_is_kept_stays_what_it_is(self, run: Run, tmp_path: Path) -> None:
        rows = [
            {"text": "the", "a": {"x": [1, 2.5, None, "ü\u2028"]}, "b": None},
            {"text": None, "a": 1e300, "b": 12345678901234567890},
            {"text": "old", "b": "null"},
        ]
        write_rows(tmp_path / "in.jsonl", rows)
        assert run("in.jsonl", "--column", "text", "--keep", "b", "--keep", "a").code == 0
        lines = (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]
        assert [json.loads(line) for line in lines] == rows

    def test_parquet_keeps_types(self, run: Run, tmp_path: Path) -> None:
        table = pa.table(
            {
                "text": pa.array(["the", None, "old"], pa.large_string()),
                "when": pa.array([0, None, 2], pa.timestamp("us", tz="UTC")),
                "tags": pa.array([[1], [], None], pa.list_(pa.int8())),
                "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            },
            metadata={"typed": SECRET},
        )
        pq.write_table(table, tmp_path / "in.parquet")
        kept = ("when", "tags", "kind")
        options = [option for name in kept for option in ("--keep", name)]
        assert run("in.parquet", "--column", "text", *options).code == 0
        found = pq.read_table(tmp_path / "out.parquet")
        assert found.select(kept).equals(table.select(kept))
        assert found["text"].to_pylist() == ["the", None, "old"]
        assert SECRET.encode() not in (tmp_path / "out.parquet").read_bytes()

    @pytest.mark.parametrize("suffix", [".csv", ".parquet", ".txt", ".jsonl"])
    def test_no_rows(self, run: Run, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"in{suffix}"
        if suffix == ".parquet":
            pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
        else:
            path.write_text("text\n" if suffix == ".csv" else "")
        options = () if suffix == ".txt" else ("--column", "text")
        assert run(path.name, *options).out.startswith("Wrote 0 rows")
        assert suffix == ".txt" or read_rows(tmp_path / f"out{suffix}") == []


class TestBadFiles:
    """One line that names the file and the place; the old output stays; nothing typed is shown."""

    @pytest.fixture
    def fails(self, run: Run, tmp_path: Path) -> Any:
        def check(name: str, content: bytes, *options: object, columns: bool = True) -> str:
            (tmp_path / name).write_bytes(content)
            out = tmp_path / f"out{Path(name).suffix}"
            out.write_text("before")
            named = ("--column", "text") if columns else ()
            outcome = run(name, *named, *options)
            assert outcome.code == 1
            assert outcome.err.startswith("Error: ")
            assert outcome.err.count("\n") == 1
            assert SECRET not in outcome.err.replace(str(tmp_path), "")
            assert out.read_text() == "before"
            assert leftovers(tmp_path) == sorted([name, out.name])
            return outcome.err

        return check

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("in.csv", b"", "in.csv: the first line names no column 'text'"),
            ("in.csv", b"xyzzyplugh,b\n1,2\n", "in.csv: the first line names no column 'text'"),
            ("in.csv", b"text,text\n1,2\n", "names several columns 'text'"),
            ("in.csv", b"id,text\n1,the\n2,xyzzyplugh,3\n", "line 3 has 3 columns, but the first"),
            ("in.csv", b'id,text\n1,"the\n\n', "in.csv: line 2 isn't CSV"),
            ("in.csv", b'id,text\n1,"xyzzyplugh"x\n', "in.csv: line 2 isn't CSV"),
            ("in.csv", b"id,text\n1,xyzzyplugh\xff\n", "in.csv: line 2 isn't UTF-8"),
            ("in.jsonl", b'{"text": "the"}\nxyzzyplugh\n', "line 2 isn't a JSON object"),
            ("in.jsonl", b'{"text": "the"}\n["xyzzyplugh"]\n', "line 2 isn't a JSON object"),
            ("in.jsonl", b'{"text": "\\ud800 xyzzyplugh"}\n', "line 1 has half a surrogate pair"),
            ("in.jsonl", b'{"text": "a"}\n{"t": "xyzzyplugh"}\n', "line 2: column 'text' isn't"),
            ("in.jsonl", b'{"text": 5}\n', "line 1: column 'text' isn't there, or is neither"),
            ("in.parquet", b"xyzzyplugh" * 100, "in.parquet: damaged, or not a Parquet file"),
            ("in.parquet", b"", "in.parquet: damaged, or not a Parquet file"),
        ],
    )
    def test_content(self, fails: Any, name: str, content: bytes, message: str) -> None:
        assert message in fails(name, content)

    def test_a_long_line(self, fails: Any) -> None:
        content = b"the\n" + b"x" * (1 << 24) + b"\n"
        assert "line 2 has more than 16,777,216 bytes" in fails("in.txt", content, columns=False)

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_in_this_process_and_in_others(self, fails: Any, jobs: int) -> None:
        content = b"id,text\n1,the\n2,of xyzzyplugh\n"
        message = fails("in.csv", content, "--oov", "error", "--jobs", jobs)
        assert "row 2, column 'text': word 2 of 2 is out of vocabulary" in message

    def test_a_damaged_page(self, run: Run, tmp_path: Path) -> None:
        texts = [f"{SECRET} {i}" for i in range(5_000)]
        pq.write_table(pa.table({"text": texts}), tmp_path / "in.parquet", compression="zstd")
        content = bytearray((tmp_path / "in.parquet").read_bytes())
        content[100:2_000] = random.Random(1).randbytes(1_900)
        (tmp_path / "in.parquet").write_bytes(content)
        outcome = run("in.parquet", "--column", "text")
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "in.parquet: damaged" in outcome.err
        assert leftovers(tmp_path) == ["in.parquet"]

    def test_text_that_is_not_utf8_in_parquet(self, run: Run, tmp_path: Path) -> None:
        data = pa.array([b"the", f"{SECRET}\xff".encode("latin-1")], pa.binary())
        column = pa.Array.from_buffers(pa.string(), 2, data.buffers())
        pq.write_table(pa.table({"text": column}), tmp_path / "in.parquet")
        outcome = run("in.parquet", "--column", "text")
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "row" in outcome.err
        assert "not UTF-8" in outcome.err
        assert SECRET not in outcome.err

    def test_no_file_and_a_column_of_numbers(self, run: Run, tmp_path: Path) -> None:
        assert "in.parquet: can't be read" in run("in.parquet", "--column", "text").err
        pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "in.parquet")
        err = run("in.parquet", "--column", "text").err
        assert "in.parquet: column 'text' contains int64, not text" in err

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--column", "text"), "name it with --output"),
            (("--jobs", 2), "name it with --output"),
            (("--format", "csv"), "name it with --output"),
            (("--output", "OUT"), "name it with --input"),
            (("--input", "IN.csv", "--output", "OUT"), "name the column of texts"),
            (("--input", "IN.txt", "--output", "OUT", "--keep", "a"), "have no columns"),
            (("--input", "IN.txt", "--output", "OUT", "--budget", 1, 1, "B"), "leave it out with"),
        ],
    )
    def test_options(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, options: Any, message: str
    ) -> None:
        named = [tmp_path / o if str(o)[:2] in ("IN", "OU", "B") else o for o in options]
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, *named)
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert message in outcome.err
        assert leftovers(tmp_path) == []


def children(pid: int) -> list[int]:
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for some in found for child in some]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def wait_until(holds: Callable[[], object]) -> None:
    """Wait as long as a busy machine needs."""
    while not holds():
        time.sleep(0.02)


class TestJobs:
    @pytest.mark.false_alarm(1e-9)
    def test_the_same_rows(self, sample_bundle: Path) -> None:
        """No other word is within 9 bits: one comes out with less than e^-90."""
        texts = [f"the old {'town ' * (i % 7)}of" for i in range(3_000)]
        chosen = job(sample_bundle, keep=("id",))
        given = [record_batch(texts[start : start + 100]) for start in range(0, 3_000, 100)]
        one, two = (
            pa.Table.from_batches(in_processes(given, chosen, jobs, limit=9_000)) for jobs in (1, 2)
        )
        assert len(two.to_batches()) > 6
        assert one.equals(two)
        assert two["text"].to_pylist() == [text.replace("  ", " ") for text in texts]

    @pytest.mark.false_alarm(1e-9)
    def test_workers_draw_differently_until_one_is_killed(self, sample_bundle: Path) -> None:
        """Of four draws of 1,000 words, each of which has other outputs, two aren't equal."""
        before = set(children(os.getpid()))
        chosen = job(sample_bundle, setting=Setting(0.1, parameters={"radius": 0}))
        work = in_processes([record_batch(["the"] * 1_000)] * 40, chosen, 2, limit=9_000)
        drawn = {tuple(next(work)["text"].to_pylist()) for _ in range(4)}
        assert len(drawn) == 4
        workers = set(children(os.getpid())) - before
        assert len(workers) == 2
        os.kill(workers.pop(), signal.SIGKILL)
        with pytest.raises(BrrError, match=r"ended early \(exit code -9\)"):
            list(work)
        assert not any(map(running, workers))

    @pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc to find children in")
    def test_an_interrupt_leaves_nothing(self, sample_bundle: Path, tmp_path: Path) -> None:
        # A first piece without a word, which is soon written, and others that take long; then the
        # next one doesn't come.
        blank, numbers = (" " * 1_000 + "\n") * 7_000, map("{}\n".format, range(1_000_000))
        (tmp_path / "in.txt").write_text(blank + "".join(numbers))
        (tmp_path / "out.txt").write_text("before\n")
        script = (
            "import signal, time\n"
            "import brrkit_toolchain.privatize.processes as processes\n"
            "pieces = processes.pieces\n"
            "def endless(*arguments):\n"
            "    yield from pieces(*arguments)\n"
            "    while True: time.sleep(1)\n"
            "processes.pieces = endless\n"
            f"signal.signal({signal.SIGINT:d}, signal.SIG_DFL)\n"  # behind nohup, too
            "from brrkit_toolchain.__main__ import main\n"
            "main()\n"
        )
        command = ["privatize", sample_bundle, "--epsilon", "1", "--jobs", "2"]
        files = ["--input", tmp_path / "in.txt", "--output", tmp_path / "out.txt"]
        process = subprocess.Popen(
            [sys.executable, "-c", script, *command, *files],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        # Until rows are being written.
        wait_until(
            lambda: (
                process.poll() is not None
                or any(p.stat().st_size for p in tmp_path.glob(".out.txt.*/new"))
            )
        )
        workers = children(process.pid)
        assert len(workers) == 2
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err) == (130, b"", b"Interrupted.\n")
        assert leftovers(tmp_path) == ["in.txt", "out.txt"]
        assert (tmp_path / "out.txt").read_text() == "before\n"
        wait_until(lambda: not any(map(running, workers)))
