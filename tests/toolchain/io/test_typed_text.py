"""Tables without a header: their first row is what somebody typed, and no message shows it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Brr

SECRET = "qzvypassphrase"
COMMANDS = {
    "train": ("adept", "train", "--output", "out", "--data"),
    "train with labels": (
        *("adept", "train", "--output", "out", "--label-column", "label", "--data"),
    ),
    "evaluate": ("evaluate", "bundle", "--embeddings", "e.txt", "--epsilon", "1", "--data"),
    "labels": ("calibrate", "bundle", "--labels"),
    "privatize": (
        *("privatize", "bundle", "--epsilon", "1", "--output", "out.csv", "--column", "text"),
        "--input",
    ),
    "estimate": ("estimate", "--bundle", "bundle", "--epsilon", "1"),
    "column": ("estimate", "--bundle", "bundle", "--epsilon", "1", "--column", "text"),
}
TABLES = {
    "nohead.csv": f"my {SECRET} is here,1\n{SECRET} again,0\n".encode(),
    "nohead.tsv": f"my {SECRET} is here\t1\n{SECRET} again\t0\n".encode(),
    "one.csv": f"{SECRET}\n{SECRET}\n".encode(),
    "twice.csv": f"text,text,{SECRET}\na,b,{SECRET}\n".encode(),
    "quotes.csv": f'"{SECRET}\n'.encode(),
    "nohead.csv.gz": gzip.compress(f"my {SECRET} is here,1\n".encode(), mtime=0),
    "plain.csv.gz": f"{SECRET} is here,1\n".encode(),
    "cut.csv.gz": gzip.compress(f"text,label\n{SECRET},1\n".encode(), mtime=0)[:-9],
}


@pytest.fixture
def folder(tmp_path: Path, sample_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in TABLES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "e.txt").write_text("the 1 0\nof 0 1\nand 1 1\n")
    (tmp_path / "bundle").symlink_to(sample_bundle)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "table"),
    [
        *((command, table) for command in COMMANDS for table in ("nohead.csv", "cut.csv.gz")),
        *(("privatize", table) for table in TABLES if table not in ("nohead.csv", "cut.csv.gz")),
    ],
)
def test_no_command_shows_it(brr: Brr, folder: Path, command: str, table: str) -> None:
    """All have one reader, which one command has read every table."""

    done = brr(*COMMANDS[command], table)
    assert done.code != 0
    assert done.err.count("\n") == 1
    for part in (SECRET, SECRET[:2], SECRET[:2].encode().hex()):
        assert part not in done.out + done.err, done.err


def test_it_says_how_many_columns_and_which_to_name(brr: Brr, folder: Path) -> None:
    done = brr(*COMMANDS["train"], "nohead.csv")
    assert "nohead.csv: the first line names no column 'text' among its 2 fields" in done.err
    assert "write the columns' names there" in done.err
