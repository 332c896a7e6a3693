"""Marked parts of a corpus: a column says which parts of a text are secret."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bundle_tools import ENCYCLOPEDIA, error_of

from brrkit import Mark, Privatizer, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain import BuildPlan, CorpusPlan, build_bundle
from brrkit_toolchain.privatize.batches import CorpusJob, privatize, read_marks

if TYPE_CHECKING:
    from conftest import Brr

SURE = Setting(22.18, "brr")  # a word stays but for one in 10^12
TEXT = "The old world, said ZOLTAN Kodály to xyzzyplugh"
NAME = [TEXT.index("ZOLTAN"), TEXT.index(" to x"), "names"]
UNKNOWN = [len(TEXT) - 4, len(TEXT) - 2]  # is widened to the whole token


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 words; "john" is the only one of the list names."""
    folder = tmp_path_factory.mktemp("marks")
    (folder / "names.txt").write_text("john\n")
    plan = BuildPlan(method="lsh", vocabulary_size=400, secret=[folder / "names.txt"])
    build_bundle(ENCYCLOPEDIA, folder / "bundle", plan)
    return folder / "bundle"


def released(bundle: Path, text: str, marks: Any, **changes: Any) -> str:
    plan = {"columns": ("text",), "marks": "marks", "setting": SURE, **changes}
    batch = pa.record_batch({"text": [text], "marks": [marks]})
    [out] = privatize([batch], CorpusJob(str(bundle), CorpusPlan(**plan)))
    assert out.schema.names == ["text"]
    found: str = out["text"][0].as_py()
    return found


def test_a_mark_is_one_word_of_its_list(listed: Path) -> None:
    assert released(listed, TEXT, json.dumps([NAME]), oov="drop") == "the old world said john to"


def test_an_unknown_mark_is_one_word_that_is_drawn(listed: Path) -> None:
    vocabulary = WordBundle.open(listed).vocabulary
    words = released(listed, TEXT, json.dumps([UNKNOWN, NAME])).split()
    assert words[:6] == ["the", "old", "world", "said", "john", "to"]
    assert len(words) == 7
    assert vocabulary.find(words[6]) is not None


def test_the_rest_passes_as_it_is_typed(listed: Path) -> None:
    vocabulary = WordBundle.open(listed).vocabulary
    marks = json.dumps([UNKNOWN, NAME])
    whole = released(listed, TEXT, marks, rest="pass")
    before, last = whole.rsplit(" ", 1)
    assert before == "The old world, said john to"
    assert vocabulary.find(last) is not None
    assert released(listed, TEXT, marks, rest="pass", oov="drop") == f"{before} "
    assert released(listed, TEXT, None, rest="pass") == TEXT


def test_it_is_what_the_runtime_does(listed: Path) -> None:
    bundle = WordBundle.open(listed)
    privatizer = Privatizer(bundle, SURE, oov="drop")
    marks = [Mark(*NAME), Mark(*UNKNOWN)]
    for rest in ("release", "pass"):
        expected = privatizer.text(TEXT, marks, rest=rest)
        assert (
            released(listed, TEXT, json.dumps([NAME, UNKNOWN]), rest=rest, oov="drop") == expected
        )


@pytest.mark.parametrize(
    ("stated", "marks"),
    [
        (None, []),
        ("", []),
        ("[]", []),
        ('[[0, 4, "names"], [7, 9]]', [Mark(0, 4, "names"), Mark(7, 9)]),
        ('"[[0, 4]]"', [Mark(0, 4)]),
        ([[0, 4]], [Mark(0, 4)]),
    ],
)
def test_marks_are_json(stated: Any, marks: list[Mark]) -> None:
    assert read_marks(stated) == marks


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ("[[0, 4", "contains no marks; write JSON"),
        ("[0, 4]", "contains no marks"),
        ("7", "contains no marks"),
        ("[[0]]", "contains no marks"),
        ('[[0, 4, "names", 1]]', "contains no marks"),
        ('{"0": 4}', "contains no marks"),
        ('["ab"]', "mark 1: "),
        ('[[0, "x"]]', "mark 1: "),
        ("[[4, 4]]", "mark 1: "),
        ("[[0, 999]]", "mark 1: "),
        ('[[0, 4], [0, 4, "pets"]]', "mark 2: "),
        ("[" * 100_000, "contains no marks"),
    ],
)
def test_bad_marks_name_their_row(listed: Path, stated: str, says: str) -> None:
    plan = CorpusPlan(("text",), marks="marks", setting=SURE)
    batch = pa.record_batch({"text": ["the"] + [TEXT] * 2, "marks": [None, "", stated]})
    said = error_of(lambda: list(privatize([batch], CorpusJob(str(listed), plan))))
    assert said.startswith("row 3, column 'marks': ")
    assert says in said
    assert "ZOLTAN" not in said


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rest": "pass", "marks": None}, "rest: without marks nothing would be privatized"),
        ({"rest": "keep"}, "rest must be one of: release, pass"),
        ({"columns": ("text", "title")}, "marks: they belong to one column of texts"),
    ],
)
def test_plans_that_say_too_little(changes: dict[str, Any], says: str) -> None:
    assert says in error_of(lambda: CorpusPlan(**{"columns": ("text",), "marks": "m", **changes}))


class TestFiles:
    OPTIONS = ("--column", "text", "--marks", "spans", "--epsilon", 22.18, "--mechanism", "brr")

    @pytest.mark.parametrize("file_format", ["csv", "tsv", "jsonl", "parquet"])
    def test_formats(self, brr: Brr, listed: Path, tmp_path: Path, file_format: str) -> None:
        rows = [(1, TEXT, [NAME]), (2, "of the king", [])]
        file, output = tmp_path / f"in.{file_format}", tmp_path / f"out.{file_format}"
        if file_format == "jsonl":
            lines = (json.dumps({"id": i, "text": t, "spans": s}) for i, t, s in rows)
            file.write_text("\n".join(lines), encoding="utf-8")
        elif file_format == "parquet":
            columns = zip(*((i, t, json.dumps(s)) for i, t, s in rows), strict=True)
            pq.write_table(pa.table(dict(zip(("id", "text", "spans"), columns, strict=True))), file)
        else:
            with file.open("w", encoding="utf-8", newline="") as stream:
                table = [("id", "text", "spans"), *((str(i), t, json.dumps(s)) for i, t, s in rows)]
                if file_format == "csv":
                    csv.writer(stream).writerows(table)
                else:
                    stream.writelines("\t".join(row) + "\n" for row in table)
        options = (*self.OPTIONS, "--keep", "id", "--rest", "pass")
        outcome = brr("privatize", listed, "--input", file, "--output", output, *options)
        assert outcome.code == 0, outcome.err
        assert "What no mark covers is written as it is, not privatized" in outcome.err
        content = output.read_bytes()
        if file_format == "parquet":
            content = pq.read_table(output).to_pandas().to_csv().encode()
        assert b"said john to xyzzyplugh" in content
        assert b"spans" not in content
        assert b"ZOLTAN" not in content

    def test_errors(self, brr: Brr, listed: Path, tmp_path: Path) -> None:
        file, output = tmp_path / "in.csv", tmp_path / "out.csv"
        file.write_text('text,spans\nthe old town,"[[0, 99]]"\n')
        outcome = brr("privatize", listed, "--input", file, "--output", output, *self.OPTIONS)
        assert outcome.code == 1
        assert "row 1, column 'spans': mark 1: " in outcome.err
        assert not output.exists()
        outcome = brr("privatize", listed, *self.OPTIONS)
        assert "name it with --output" in outcome.err
