"""One reader of tables: every command takes every ending, and bad files are one clear error."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brrkit.errors import ParameterError
from brrkit_counting.estimate.table import COLUMNS, write_table
from brrkit_toolchain.io.files import LARGEST_LIST, text_lines
from brrkit_toolchain.io.tables import blocks, delimited
from brrkit_toolchain.io.tables.blocks import LONGEST_LINE
from brrkit_toolchain.io.tables.formats import SUFFIXES, TEXT
from brrkit_toolchain.io.tables.parts import Columns
from brrkit_toolchain.io.tables.reading import lines, opened, rows

if TYPE_CHECKING:
    from conftest import Brr

    from brrkit_counting.estimate.from_files import Frequencies

SECRET = "qzvypassphrase"
PACKS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
TABLES = [
    f"{suffix}{packed}"
    for suffix, name in SUFFIXES.items()
    if name != TEXT
    for packed in ([""] if name == "parquet" else PACKS)
]
"""Every ending of a table."""


def made(path: Path, columns: dict[str, list[Any]]) -> Path:
    """Write a table in the format that the ending of ``path`` says."""
    inner, packed = (path, "") if path.suffix not in PACKS else (path.with_suffix(""), path.suffix)
    records = list(zip(*columns.values(), strict=True))
    if inner.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
        return path
    if inner.suffix in (".jsonl", ".ndjson"):
        content = "".join(
            json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in records
        )
    elif inner.suffix == ".tsv":
        content = "".join("\t".join(map(str, row)) + "\n" for row in [tuple(columns), *records])
    else:
        text = io.StringIO()
        csv.writer(text).writerows([tuple(columns), *records])
        content = text.getvalue()
    path.write_bytes(PACKS[packed](content.encode()))
    return path


ROWS = {
    "text": [*["the old town"] * 5, f"of {SECRET}", ""],
    "label": [7] * 7,
    "word": ["the", "of", "and", "in", "to", "a", SECRET],
    "count": [9, 8, 7, 6, 5, 4, 3],
}
COLUMN = ("--column", "text")
FEW = "FILE: has 17 words; give at least"
COMMANDS = {
    "build": (
        ("build", "--output", "new", "--embeddings", "e.txt", "--text", "FILE", *COLUMN),
        "FILE: has 5 words of the vocabulary that 5 texts have",
    ),
    "measure": (("measure", "bundle", "--epsilon", 1, "--text", "FILE", *COLUMN), FEW),
    "calibrate": (("calibrate", "bundle", "--attack-success", 0.2, "--text", "FILE", *COLUMN), FEW),
    "calibrate for counts": (
        *(("calibrate", "bundle", "--for", "counts", "--text", "FILE", *COLUMN),),
        FEW,
    ),
    "report": (("report", "bundle", "--output", "r.html", "--text", "FILE", *COLUMN), FEW),
    "evaluate": (
        ("evaluate", "bundle", "--embeddings", "none", "--epsilon", 1, "--data", "FILE"),
        "FILE: column 'label' has 1 classes in 6 texts that aren't empty",
    ),
    "estimate from texts": (
        ("estimate", "FILE", "--bundle", "bundle", "--foreign", 0, *COLUMN),
        "FILE: 1 of 17 reports have words that aren't in this bundle",
    ),
    "estimate": (
        ("estimate", "FILE", "--bundle", "bundle", "--foreign", 0),
        "FILE: 3 of 42 reports have words that aren't in this bundle",
    ),
}


@pytest.fixture
def folder(sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current one, with a bundle and small embeddings."""
    (tmp_path / "bundle").symlink_to(sample_bundle)
    (tmp_path / "e.txt").write_text("the 1 0\nof 0 1\nand 1 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# JSON lines without a column are batches.
CASES = [
    (command, ending)
    for command in COMMANDS
    for ending in (".csv.gz", ".jsonl.xz", ".parquet")
    if command != "estimate" or not ending.startswith(".jsonl")
]


@pytest.mark.parametrize(("command", "ending"), CASES)
def test_every_command_reads_tables(brr: Brr, folder: Path, command: str, ending: str) -> None:
    """By the one reader, of which other endings are tested below: all rows, which are too few."""
    file = made(folder / f"t{ending}", ROWS)
    arguments, says = COMMANDS[command]
    done = brr(*(file.name if part == "FILE" else part for part in arguments))
    assert says.replace("FILE", file.name) in done.err
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize("ending", TABLES)
def test_privatize_reads_and_writes_every_ending(brr: Brr, folder: Path, ending: str) -> None:
    file = made(folder / f"t{ending}", ROWS)
    done = brr(
        *("privatize", "bundle", "--epsilon", 22, "--radius", 0, "--input", file, *COLUMN),
        *("--keep", "label", "--oov", "drop", "--output", f"out{ending}"),
    )
    assert done.err == ""
    found = list(rows(folder / f"out{ending}", ["text", "label"]))
    assert [row for _, row in found] == [*[("the old town", "7")] * 5, ("of", "7"), ("", "7")]
    content = (folder / f"out{ending}").read_bytes()
    assert content.startswith((b"\x1f\x8b", b"\xfd7zXZ", b"PAR1")) == (
        ending.endswith((".gz", ".xz", ".parquet"))
    )


@pytest.mark.parametrize("packed", PACKS)
def test_plain_text_may_be_compressed_everywhere(brr: Brr, folder: Path, packed: str) -> None:
    """Texts, one a line; lists of words; reports."""
    pack = PACKS[packed]
    name = f"t.txt{packed}"
    (folder / name).write_bytes(pack(f"the old town\nof {SECRET}\n".encode()))
    sure = ("privatize", "bundle", "--epsilon", 22, "--radius", 0, "--oov", "drop", "--input")
    assert brr(*sure, name).out == "the old town\nof\n"
    assert brr(*sure, name, "--output", f"out.txt{packed}").code == 0
    assert [line for _, line in lines(folder / f"out.txt{packed}")] == ["the old town\n", "of\n"]
    assert next(iter(text_lines(folder / name, "a list"))) == "the old town\n"
    done = brr("measure", "bundle", "--epsilon", 1, "--text", name)
    assert f"{name}: has 5 words" in done.err
    done = brr("estimate", name, "--bundle", "bundle", "--foreign", 0)
    assert f"{name}: 1 of 5 reports" in done.err


@pytest.mark.parametrize("packed", PACKS)
@pytest.mark.parametrize("inner", [".json", ".jsonl", ".ndjson"])
def test_batches_may_be_compressed(brr: Brr, folder: Path, inner: str, packed: str) -> None:
    name = f"r{inner}{packed}"
    (folder / name).write_bytes(PACKS[packed](b'{"format": "brr"}\n'))
    done = brr("estimate", name, "--bundle", "bundle")
    line = "" if inner == ".json" else ": line 1"
    assert f"{name}{line}: field 'format'" in done.err


def test_one_compression_becomes_another(brr: Brr, folder: Path) -> None:
    file = made(folder / "t.csv.gz", ROWS)
    command = ("privatize", "bundle", "--epsilon", 22, "--input", file, *COLUMN, "--output")
    for name in ("out.csv", "out.csv.xz", "OUT.CSV.GZ"):
        assert brr(*command, name).code == 0
        assert len(list(rows(folder / name, ["text"]))) == 7
    packed = (folder / "OUT.CSV.GZ").read_bytes()
    assert packed[3] == 0  # no name
    assert packed[4:8] == bytes(4)  # no time
    for name, says in (
        ("out.jsonl.gz", "is written in the format of"),
        ("out.parquet.gz", "is written in the format of"),
    ):
        assert says in brr(*command, name).err
    made(folder / "t.parquet", ROWS)
    done = brr(*command[:5], "t.parquet", *command[6:], "out.parquet.gz")
    assert "out.parquet.gz: Parquet compresses itself; leave out .gz" in done.err


@pytest.mark.parametrize("ending", TABLES)
def test_an_estimate_is_written_as_every_table(tmp_path: Path, ending: str) -> None:
    shares = np.array([0.5, 1 / 3])
    estimate = SimpleNamespace(
        words=("the", "of"), counts=np.array([2**53, 0]), shares=shares, low=shares, high=shares
    )
    found = SimpleNamespace(estimate=estimate)
    write_table(tmp_path / f"t{ending}", cast("Frequencies", found))
    third = "0.3333333333333333" if ending == ".parquet" else "0.333333"
    assert of(tmp_path / f"t{ending}", *COLUMNS) == [
        ("the", str(2**53), "0.5", "0.5", "0.5"),
        ("of", "0", third, third, third),
    ]


# --- what a file gives


def of(path: Path, *names: str) -> list[tuple[str, ...]]:
    return [row for _, row in rows(path, names)]


class TestRows:
    @pytest.mark.parametrize("ending", TABLES)
    def test_each_has_its_place(self, tmp_path: Path, ending: str) -> None:
        file = made(tmp_path / f"t{ending}", {"a": ["x", "y"], "b": [1, 2]})
        unit, first = ("row", 1) if ending == ".parquet" else ("line", 1 if "j" in ending else 2)
        assert list(rows(file, ["b", "a"])) == [
            (f"{file}: {unit} {first}", ("1", "x")),
            (f"{file}: {unit} {first + 1}", ("2", "y")),
        ]

    def test_a_record_over_several_lines(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text('a,b\n\n"x\ny",z\nu,v\n')
        found = list(rows(tmp_path / "t.csv", ["a"]))
        assert [(place[-6:], row) for place, row in found] == [
            ("line 4", ("x\ny",)),
            ("line 5", ("u",)),
        ]

    def test_tsv_has_no_quotes(self, tmp_path: Path) -> None:
        (tmp_path / "t.tsv").write_bytes(b'\xef\xbb\xbfa\tb\r\n"x\ty"\r\n\r\n\t\n')
        assert of(tmp_path / "t.tsv", "a", "b") == [('"x', 'y"'), ("", "")]

    def test_an_empty_line_is_a_row_of_one_column(self, tmp_path: Path) -> None:
        (tmp_path / "t.tsv").write_text("a\nx\n\ny\n")
        assert of(tmp_path / "t.tsv", "a") == [("x",), ("",), ("y",)]

    @pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
    def test_values_as_text(self, tmp_path: Path, ending: str) -> None:
        columns: dict[str, list[Any]] = {"a": ["x", None], "b": [7, -1], "c": [True, False]}
        file = made(tmp_path / f"t{ending}", {**columns, "d": [0.5, 4.5]})
        assert of(file, "a", "b", "c", "d") == [
            ("x", "7", "true", "0.5"),
            ("", "-1", "false", "4.5"),
        ]

    def test_texts_are_no_numbers(self, tmp_path: Path) -> None:
        file = made(tmp_path / "t.parquet", {"a": ["x", None], "b": [7, -1]})
        with opened(file, "parquet", Columns(["a", "b"])) as table:
            [part] = table.parts
            assert part.texts("a") == ["x", None]
            with pytest.raises(ParameterError, match="column 'b' contains no text"):
                part.texts("b")

    def test_parquet_of_other_types(self, tmp_path: Path) -> None:
        texts = pa.array(["x", "y", "x"])
        for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
            pq.write_table(pa.table({"a": texts.cast(kind)}), tmp_path / "t.parquet")
            assert of(tmp_path / "t.parquet", "a") == [("x",), ("y",), ("x",)]
        pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "t.parquet")
        with pytest.raises(ParameterError, match=r"column 'a' contains list<.*>, not text"):
            of(tmp_path / "t.parquet", "a")

    def test_a_column_that_is_asked_for_twice(self, tmp_path: Path) -> None:
        for ending in TABLES:
            file = made(tmp_path / f"t{ending}", {"a": ["x"]})
            assert of(file, "a", "a") == [("x", "x")]


BAD = {
    "nul.csv": (b"a,b\nqz,1\nqz\0,2\n", "line 3 has a zero byte; check the file"),
    "nul.tsv": (b"a\tb\nqz\0\t2\n", "line 2 has a zero byte; check the file"),
    "nul.jsonl": (b'{"a": "qz\0", "b": 1}\n', "line 1 isn't a JSON object"),
    "latin.csv": (b"a,b\nqz\xe9,1\n", "line 2 isn't UTF-8; convert the text first"),
    "latin.jsonl": (b'{"a": "qz\xe9", "b": 1}\n', "line 1 isn't UTF-8"),
    "long.csv": (b"a,b\n" + b"q" * LONGEST_LINE + b",1\n", "line 2 has more than 16,777,216 byte"),
    "long.jsonl": (b'{"a": "' + b"q" * LONGEST_LINE, "line 1 has more than 16,777,216 bytes"),
    "open.csv": (b'a,b\nqz,1\n"qz,2\n' + b"qz,3\n" * 9, "line 3 isn't CSV"),
    "short.tsv": (b"a\tb\nqz\n", "line 2 has 1 columns, but the first line names 2"),
    "array.jsonl": (b'{"a": "x", "b": 1}\n["qz"]\n', "line 2 isn't a JSON object"),
    "key.jsonl": (b'{"a": "x", "b": 1}\n{"a": "qz", "a": "y", "b": 1}', "line 2 isn't a JSON obj"),
    "deep.jsonl": (b'{"a": ' + b"[" * 99_999, "line 1 isn't a JSON object"),
    "list.jsonl": (b'{"a": ["qz"], "b": 1}\n', "line 1: column 'a' isn't there, or is neither a"),
    "nan.jsonl": (
        b'{"a": "qz", "b": NaN}\n',
        "line 1 has NaN or Infinity, which JSON lacks; write n",
    ),
    "half.jsonl": (b'{"a": "qz", "b": "\\ud800"}\n', "line 1 has half a surrogate pair; repair"),
    "pretty.jsonl": (
        b'{\n  "a": "qz"\n}\n',
        "line 1 isn't a JSON object; write one object per line",
    ),
    "all.jsonl": (
        b'[{"a": "qz", "b": 1}]\n',
        "line 1 isn't a JSON object; write one object per line",
    ),
    "all.json": (b'[{"a": "qz", "b": 1}]\n', "this suffix states no table format"),
    "semicolons.csv": (b"a;b\nqz;1\n", "its fields look separated by semicolons; write it as CSV"),
    "tabs.csv": (b"a\tb\nqz\t1\n", "its fields look separated by tabs; write it as CSV"),
    "bars.tsv": (b"a|b\nqz|1\n", "look separated by vertical bars; write it as TSV"),
    "sep.csv": (b"sep=;\na;b\nqz;1\n", "its first line names a separator, as spreadsheets"),
    "cr.csv": (b"a,b\rqz,1\r", "line 1 has a carriage return that ends no line; write the file"),
    "cr.tsv": (b"a\tb\rqz\t1\r", "its lines end with carriage returns alone; write it as TSV"),
    "none.jsonl": (b'{"b": "qz"}\n', "line 1: column 'a' isn't there"),
    "twice.csv": (b"a,a,b\nqz,qz,qz\n", "names several columns 'a' among its 3 fields"),
    "other.csv": (b"qz,qz\nqz,qz\n", "names no column 'a' among its 2 fields; write"),
    "empty.tsv": (b"", "names no column 'a' among its 0 fields"),
    "no.parquet": (b"a,b\nqz,1\n", "damaged, or not a Parquet file; write it again"),
    "table.txt": (
        b"a,b\nqz,1\n",
        "this suffix states no table format; .csv, .tsv, .jsonl, .ndjson",
    ),
    "table.doc": (b"a,b\nqz,1\n", "this suffix states no table format"),
    "t.parquet.gz": (gzip.compress(b"qz", mtime=0), "this suffix states no table format"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_clear_error(tmp_path: Path, name: str) -> None:
    content, says = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ParameterError) as caught:
        of(tmp_path / name, "a", "b")
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "qz" not in str(caught.value)


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_blocks_of_lines_give_what_lines_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, delimiter: str
) -> None:
    """Wherever a block ends, and whatever is wrong, rows, places and errors are the same."""
    source, plain = random.Random(f"blocks {delimiter}"), delimited._plain_rows
    file = tmp_path / ("t.csv" if delimiter == "," else "t.tsv")

    def outcome() -> list[object]:
        try:
            return list(rows(file, ["b", "a"]))
        except ParameterError as error:
            return [str(error)]

    taken: list[bool] = []

    def noted(*arguments: Any) -> Any:
        found = plain(*arguments)
        taken.append(found is not None)
        return found

    seen = set()
    for _ in range(300):
        odd = source.choice(["", "", "\n", '"', "\0", "\r", "\udcff", delimiter])
        fields = ["", "x", "ü", "1", " ", *(['"y\nz"', '"'] if odd == '"' else [])]
        ends = source.choice(["\n", "\r\n"])
        lines = [
            delimiter.join(source.choice(fields) for _ in "abc")
            for _ in range(source.randrange(20))
        ]
        if lines:
            row = source.randrange(len(lines))
            at = source.randrange(len(lines[row]) + 1)
            lines[row] = lines[row][:at] + odd + lines[row][at:]
        content = ends.join([delimiter.join("abc"), *lines]) + source.choice(["", ends])
        file.write_bytes(content.encode("utf-8", "surrogateescape"))
        monkeypatch.setattr(delimited, "_plain_rows", lambda *_: None)
        monkeypatch.setattr(blocks, "PART", 1 << 20)
        expected = outcome()
        monkeypatch.setattr(delimited, "_plain_rows", noted)
        for part in (1, source.randrange(2, 40), 1 << 20):
            monkeypatch.setattr(blocks, "PART", part)
            assert outcome() == expected
        seen.add(type(expected[0]) if expected else None)
    assert seen == {tuple, str, None}
    assert {*taken} == {True, False}


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage"])
def test_damaged_compression(tmp_path: Path, pack: Callable[[bytes], bytes], damage: str) -> None:
    content = pack(b"a,b\n" + b"".join(b"%d,qz\n" % i for i in range(9_999)))
    middle = len(content) // 2
    content = {
        "cut": content[:-9],
        "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "garbage": content[:6] + b"qz" * 99,
    }[damage]
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(
        ParameterError, match=r"t\.csv: (damaged \(.* up to line [0-9]+\); g|line )"
    ):
        of(tmp_path / "t.csv", "a")


def test_xz_may_be_several_streams(tmp_path: Path) -> None:
    file = tmp_path / "t.csv.xz"
    streams = [lzma.compress(text) for text in (b"a,b\n1,2\n", b"3,", b"", b"4\n")]
    for between in (b"", b"\0" * 8, b"\0" * 200_000):
        file.write_bytes(between.join(streams) + between)
        assert of(file, "a", "b") == [("1", "2"), ("3", "4")]
    file.write_bytes(streams[0] + b"qz")
    with pytest.raises(ParameterError, match="damaged"):
        of(file, "a")


def _asking_for_memory(packed: bytes) -> bytes:
    """Return an xz file whose first block asks for a dictionary of 4 GiB."""
    start = 12
    end = start + (packed[start] + 1) * 4
    header = bytearray(packed[start : end - 4])
    header[header.index(b"\x21\x01", 2) + 2] = 40
    checked = bytes(header) + zlib.crc32(header).to_bytes(4, "little")
    return packed[:start] + checked + packed[end:]


def test_xz_asks_for_too_much_memory(tmp_path: Path) -> None:
    (tmp_path / "t.csv.xz").write_bytes(_asking_for_memory(lzma.compress(b"a,b\nqz,1\n")))
    with pytest.raises(ParameterError, match=r"t\.csv\.xz: .*asks for more than 128 MiB of mem"):
        of(tmp_path / "t.csv.xz", "a")
    (tmp_path / "best.csv.xz").write_bytes(lzma.compress(b"a,b\n1,2\n", preset=9))
    assert of(tmp_path / "best.csv.xz", "a") == [("1",)]


def _long_texts(folder: Path) -> list[Path]:
    """Write 200 texts of a million letters into files of Parquet of less than 1,000 bytes."""
    text, count = "word " * 200_000, 200
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([text]))
    files = []
    for name, column, how in (
        ("coded", coded, {"store_schema": False}),
        ("dictionary", coded, {}),
        (
            "prefixes",
            pa.array([text] * count),
            {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}},
        ),
    ):
        files.append(folder / f"{name}.parquet")
        pq.write_table(pa.table({"a": column}), files[-1], compression="zstd", **how)
        assert files[-1].stat().st_size < 1_000
    return files


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux says what a process held")
@pytest.mark.parametrize("repeated", [False, True])
def test_parquet_that_decodes_to_much_more(tmp_path: Path, repeated: bool) -> None:
    script = """
import re, sys
from pathlib import Path
from brrkit_toolchain.io.tables.parts import Columns
from brrkit_toolchain.io.tables.reading import opened
letters = 0
with opened(Path(sys.argv[1]), "parquet", Columns(["a"]), repeated=sys.argv[2] == "True") as table:
    for part in table.parts:
        letters += sum(map(len, part.texts("a")))
        assert part.batch.num_rows == 1
print(letters, re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
    for file in _long_texts(tmp_path):
        printed = subprocess.check_output([sys.executable, "-c", script, file, str(repeated)])
        letters, largest = map(int, printed.split())
        assert letters == 200_000_000
        assert largest < 300_000, file.name  # KB


def test_parquet_with_pages_that_unpack_to_much_more(tmp_path: Path) -> None:
    texts = pa.array(["word " * 20_000] * 1_000)
    pq.write_table(
        pa.table({"a": texts, "b": range(1_000)}),
        tmp_path / "t.parquet",
        compression="zstd",
        use_dictionary=False,
    )
    with pytest.raises(ParameterError, match="column 'a' unpacks to more than 250 times its size"):
        of(tmp_path / "t.parquet", "a")
    assert len(of(tmp_path / "t.parquet", "b")) == 1_000


def test_a_text_of_parquet_is_no_longer_than_a_line(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x", "q" * (LONGEST_LINE + 1)]}), tmp_path / "t.parquet")
    with pytest.raises(ParameterError, match="row 2 has more than 16,777,216 bytes; split it"):
        of(tmp_path / "t.parquet", "a")


@pytest.mark.parametrize("repeated", [False, True])
def test_parts_of_parquet_are_its_rows_in_order(tmp_path: Path, repeated: bool) -> None:
    source = random.Random("parts")
    texts = [source.choice(["", "x", "ü" * 9, "long " * 60_000, None]) for _ in range(900)]
    for array in (pa.array(texts), pa.array(texts).dictionary_encode()):
        table = pa.table({"a": array, "b": pa.array(range(900))})
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=400)
        columns = Columns(["a"], keep=["b"])
        with opened(tmp_path / "t.parquet", "parquet", columns, repeated=repeated) as opened_table:
            parts = list(opened_table.parts)
        assert [text for part in parts for text in part.texts("a")] == texts
        assert [n for part in parts for n in part.batch["b"].to_pylist()] == list(range(900))
        assert [n for part in parts for n in part.numbers] == list(range(1, 901))
        assert len(parts) > 20


def test_parquet_with_a_name_that_comes_twice(tmp_path: Path) -> None:
    pq.write_table(pa.table([["qz"], ["qz"]], ["a", "a"]), tmp_path / "t.parquet")
    for name, says in (("a", "there are several columns 'a'"), ("b", "there is no column 'b'")):
        with pytest.raises(ParameterError, match=f"{says}; name another column"):
            of(tmp_path / "t.parquet", name)


def test_a_long_field_is_read(tmp_path: Path) -> None:
    for ending in TABLES:
        file = made(tmp_path / f"t{ending}", {"a": ["x" * 1_000_000]})
        assert of(file, "a") == [("x" * 1_000_000,)]


def test_a_list_that_unpacks_to_too_much(tmp_path: Path) -> None:
    line = b"x" * 49_999 + b"\n"
    (tmp_path / "list.txt").write_bytes(gzip.compress(line * (LARGEST_LIST // 50_000 + 1)))
    with pytest.raises(ParameterError, match="a list can't be read"):
        for _ in text_lines(tmp_path / "list.txt", "a list"):
            pass


def test_memory_is_bounded(tmp_path: Path) -> None:
    """Of ten times the rows a reader holds no more."""
    script = """
import resource, sys
from pathlib import Path
from brrkit_toolchain.io.tables.reading import rows
for name in sys.argv[1:]:
    for _ in rows(Path(name), ["a"]):
        pass
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    endings = (".csv.gz", ".tsv", ".jsonl.xz", ".parquet")
    files = [
        made(tmp_path / f"{count}{ending}", {"a": ["x" * 9_000] * count})
        for count in (400, 4_000)
        for ending in endings
    ]
    printed = subprocess.check_output([sys.executable, "-c", script, *files])
    largest = [int(line) for line in printed.split()]
    assert largest[-1] - largest[len(endings) - 1] < 15_000  # KB, of 36 MB more in each file
