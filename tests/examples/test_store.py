"""The receiver's store: a file that is whole, and doesn't tell in which order batches came."""

from __future__ import annotations

import itertools
import json
import os
import random
import secrets
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brrkit.setting import Setting
from brrkit_counting.reports.batch import Batch
from brrkit_counting.reports.setting import ReportSetting
from examples.receiver import store as module
from examples.receiver.store import Store, StoreError, TooLongError, to_line

BUNDLE = "b" * 64
SETTING = ReportSetting(Setting(0.5))
BATCHES = 400
LEAST_ORDER = 0.32
"""Spearman's correlation of 400 places with the order of arrival has the deviation 1 / sqrt(399)
where the order isn't told, so it is larger than this with probability 2e-10. A test looks at a few,
and draws the same each time, unless another process draws."""


def batch(words: int = 30, identity: str | None = None) -> Batch:
    return Batch(
        BUNDLE,
        SETTING,
        identity or secrets.token_hex(16),
        ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"),
        {f"word{i}": i + 1 for i in range(words)},
    )


def correlation(offsets: list[int]) -> float:
    """Return the rank correlation of what came first, second ... with where it is in a file."""
    n = len(offsets)
    ranks = {offset: rank for rank, offset in enumerate(sorted(offsets))}
    squares = sum((ranks[offset] - i) ** 2 for i, offset in enumerate(offsets))
    return 1 - 6 * squares / (n * (n * n - 1))


def order_in(folder: Path, batches: list[Batch]) -> float:
    """Return the largest rank correlation of arrival with the ids' places in any of the files."""
    found = []
    for path in folder.iterdir():
        content = path.read_bytes()
        for ids in (
            [bytes.fromhex(b.identity) for b in batches],
            [b.identity.encode() for b in batches],
        ):
            for find in (content.find, content.rfind):
                offsets = [find(identity) for identity in ids]
                if min(offsets) >= 0:
                    found.append(abs(correlation(offsets)))
    assert found, "no file has the ids"
    return max(found)


def exported(store: Path, folder: Path) -> dict[str, dict[str, int]]:
    reader = Store(store, None)
    reader.export(folder / "x.jsonl")
    reader.close()
    lines = map(json.loads, (folder / "x.jsonl").read_text().splitlines())
    return {line["batch"]: line["counts"] for line in lines}


def fill(path: Path, number: int = BATCHES) -> list[Batch]:
    made = [batch() for _ in range(number)]
    store = Store(path, BUNDLE)
    assert all(store.add(each) for each in made)
    store.close()
    return made


def test_batches_of_any_size_come_out_as_they_went_in(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db", BUNDLE)
    made = [batch(words) for words in (0, 1, 2, *range(20, 140, 7), 3_000)]
    made.append(batch(identity=f"{int(made[0].identity, 16) ^ 1:032x}"))  # but for a bit the same
    rng = random.Random(1)
    rng.shuffle(made)
    assert [store.add(each) for each in made] == [True] * len(made)
    assert [store.add(each) for each in made] == [False] * len(made)
    assert len(store) == len(made)
    store.close()
    assert exported(tmp_path / "s.db", tmp_path) == {b.identity: dict(b.counts) for b in made}
    store = Store(tmp_path / "s.db", BUNDLE)
    assert [store.add(each) for each in made] == [False] * len(made)
    store.close()


def test_the_file_does_not_tell_the_order(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    made = fill(folder / "s.db")
    assert order_in(folder, made) < LEAST_ORDER


def test_a_store_that_keeps_the_order_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the shuffle the test above fails."""
    monkeypatch.setattr(module.secrets, "randbelow", lambda end: end - 1)
    assert order_in(tmp_path, fill(tmp_path / "s.db")) > 0.9


def test_what_is_overwritten_is_gone(tmp_path: Path) -> None:
    """Nothing is left of a piece's earlier places: an id is there as often as it has pieces."""
    made = fill(tmp_path / "s.db", 120)
    content = (tmp_path / "s.db").read_bytes()
    for each in made:
        pieces = -(-len(to_line(each)) // module._PIECE_BYTES)
        assert content.count(bytes.fromhex(each.identity)) == pieces


def test_the_order_of_pieces_is_as_likely_as_any_other(tmp_path: Path) -> None:
    """Chi-squared of the 24 orders of 4 pieces: above 79 with probability 1e-7 (23 degrees)."""
    counts = dict.fromkeys(itertools.permutations(range(4)), 0)
    rounds = 2_400
    for _ in range(rounds):
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.execute("CREATE TABLE pieces (place INTEGER PRIMARY KEY, content BLOB NOT NULL)")
        for piece in range(4):
            module._insert(database, bytes([piece]))
        rows = database.execute("SELECT content FROM pieces ORDER BY place")
        counts[tuple(content[0] for (content,) in rows)] += 1
        database.close()
    expected = rounds / len(counts)
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 79


def running(program: str, store: Path) -> subprocess.Popen[str]:
    """Start a program that imports this module and uses ``store``."""
    return subprocess.Popen(
        [sys.executable, "-c", program, store, Path(__file__).parent],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.false_alarm(1e-9)
def test_after_kill_the_order_isn_t_told_either(tmp_path: Path) -> None:
    """A process is killed while it stores; of the file and what lies beside it."""
    program = (
        "import sys; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from test_store import BUNDLE, Store, batch\n"
        "store = Store(Path(sys.argv[1]), BUNDLE)\n"
        "while True:\n"
        "    each = batch()\n"
        "    store.add(each)\n"
        "    print(each.identity, flush=True)\n"
    )
    folder = tmp_path / "store"
    folder.mkdir()
    with running(program, folder / "s.db") as process:
        assert process.stdout is not None
        came = [process.stdout.readline().strip() for _ in range(BATCHES)]
        process.kill()
        came += process.stdout.read().split()
    whole = [batch(identity=identity) for identity in came if len(identity) == 32]
    content = (folder / "s.db").read_bytes()
    places = [content.find(bytes.fromhex(each.identity)) for each in whole]
    assert abs(correlation(places)) < LEAST_ORDER

    assert {each.identity for each in whole} <= exported(folder / "s.db", tmp_path).keys()


def test_the_one_file_is_complete(tmp_path: Path) -> None:
    """After each answer, not only once it is closed: a copy of it alone has every batch."""
    store = Store(tmp_path / "s.db", BUNDLE)
    for number in range(1, 6):
        store.add(batch())
        assert sorted(p.name for p in tmp_path.glob("s.db*")) == ["s.db"]
        copy = tmp_path / f"copy{number}.db"
        shutil.copy(tmp_path / "s.db", copy)
        assert len(exported(copy, tmp_path)) == number
    store.close()


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    first, second = (Store(tmp_path / "s.db", BUNDLE) for _ in "12")
    made = [batch() for _ in range(20)]
    added = [
        (a if i % 2 else b).add(each) for i, each in enumerate(made) for a, b in [(first, second)]
    ]
    assert all(added)
    assert not any(store.add(each) for each in made for store in (first, second))
    assert len(first) == len(second) == 20
    first.close()
    second.close()
    assert exported(tmp_path / "s.db", tmp_path).keys() == {b.identity for b in made}


def test_threads_share_a_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db", BUNDLE)
    made = [batch() for _ in range(40)]
    new: list[bool] = []

    def add() -> None:
        new.extend(store.add(each) for each in made)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (new.count(True), len(store)) == (40, 40)
    store.close()


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_store_that_has_gone_is_no_success(tmp_path: Path, how: str) -> None:
    path = tmp_path / "s.db"
    store = Store(path, BUNDLE)
    old = batch()
    store.add(old)
    path.rename(tmp_path / "moved.db")
    if how == "removed":
        (tmp_path / "moved.db").unlink()
    elif how == "replaced":
        shutil.copy(tmp_path / "moved.db", path)
    for each in (old, batch()):
        with pytest.raises(StoreError, match=r"s\.db: removed or replaced while in use"):
            store.add(each)
    if how == "renamed":
        (tmp_path / "moved.db").rename(path)
        assert store.add(batch())
        assert not store.add(old)
        assert len(store) == len(exported(path, tmp_path)) == 2
    store.close()


def test_it_goes_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stored in a file without a name isn't stored; put back, it is there once."""
    path = tmp_path / "s.db"
    store, one = Store(path, BUNDLE), batch()
    insert = module._insert

    def and_move(database: sqlite3.Connection, content: bytes) -> None:
        insert(database, content)
        if path.exists():
            path.rename(tmp_path / "moved.db")

    monkeypatch.setattr(module, "_insert", and_move)
    with pytest.raises(StoreError):
        store.add(one)
    monkeypatch.undo()
    (tmp_path / "moved.db").rename(path)
    store.add(one)
    store.close()
    assert exported(path, tmp_path) == {one.identity: dict(one.counts)}


def test_a_locked_store_says_so_soon(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db", BUNDLE, patience=0.1)
    other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another program is using it"):
        store.add(batch())
    other.execute("ROLLBACK")
    other.close()
    assert store.add(batch())
    store.close()


def damaged(path: Path, how: str) -> None:
    Store(path, BUNDLE).close()
    database = sqlite3.connect(path)
    database.executescript(how)
    database.close()


@pytest.mark.parametrize(
    "how",
    [
        "DELETE FROM bundle",
        "INSERT INTO bundle VALUES ('x')",
        "DROP TABLE bundle",
        "DROP TABLE pieces",
        "DROP TABLE bundle; CREATE TABLE bundle (sha256)",
        "UPDATE bundle SET sha256 = x'00'",
        "DROP TABLE pieces; CREATE TABLE pieces (secretname)",
        "PRAGMA application_id = 7",
    ],
)
def test_a_damaged_store_is_one_clear_error(tmp_path: Path, how: str) -> None:
    damaged(tmp_path / "s.db", how)
    before = (tmp_path / "s.db").read_bytes()
    for bundle in (BUNDLE, None):
        with pytest.raises(StoreError, match=r"s\.db: .*(name another|check the file)") as caught:
            Store(tmp_path / "s.db", bundle)
        assert "secretname" not in str(caught.value)
        assert (tmp_path / "s.db").read_bytes() == before


def test_what_is_no_store_of_the_bundle(tmp_path: Path) -> None:
    Store(tmp_path / "mine.db", BUNDLE).close()
    (tmp_path / "text.db").write_text("what somebody typed, at some length. " * 40)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    for name, bundle, says in (
        ("mine.db", "0" * 64, "another bundle"),
        ("text.db", BUNDLE, "can't be used as a store .it isn't an SQLite database, or is damaged"),
        ("other.db", BUNDLE, "not a store"),
        ("none.db", None, "no such store"),
    ):
        with pytest.raises(StoreError, match=says):
            Store(tmp_path / name, bundle)
    assert not (tmp_path / "none.db").exists()


def test_memory_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", str(tmp_path / ":memory:")):
        with pytest.raises(StoreError, match="a store must be a file"):
            Store(Path(name), BUNDLE)
    store = Store(Path("file:x?mode=memory"), BUNDLE)  # a file of that name
    store.add(batch())
    store.close()
    assert len(exported(tmp_path / "file:x?mode=memory", tmp_path)) == 1


def test_what_can_t_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk."""

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "_prepare", full)
    with pytest.raises(StoreError, match="the disk is full"):
        Store(tmp_path / "s.db", BUNDLE)
    assert list(tmp_path.iterdir()) == []


def test_store_and_export_are_the_user_s_own(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        fill(tmp_path / "s.db", 1)
        exported(tmp_path / "s.db", tmp_path)
    finally:
        os.umask(old)
    for name in ("s.db", "x.jsonl"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name


def test_a_line_is_never_longer_than_estimate_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, one = Store(tmp_path / "s.db", BUNDLE), batch()
    length = len(to_line(one)) + 1  # with the newline
    monkeypatch.setattr(module, "LARGEST_LINE", length - 1)
    with pytest.raises(TooLongError):
        store.add(one)
    monkeypatch.setattr(module, "LARGEST_LINE", length)
    assert store.add(one)
    store.close()


def test_a_signal_waits_for_what_is_being_stored(tmp_path: Path) -> None:
    """The file alone has it, with no journal beside it."""
    program = (
        "import sys, threading, time; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from test_store import BUNDLE, Store, batch, module\n"
        "from brrkit_toolchain.io.interrupts import end_on_signals, cleanup_on_signal\n"
        "end_on_signals()\n"
        "store, insert = Store(Path(sys.argv[1]), BUNDLE), module._insert\n"
        "def slow(database, content):\n"
        "    insert(database, content)\n"
        "    print('storing', flush=True)\n"
        "    closing.wait()\n"
        "    time.sleep(0.5)\n"
        "def close():\n"
        "    closing.set()\n"
        "    store.close()\n"
        "module._insert, module._CLOSING_SECONDS = slow, 600\n"
        "closing = threading.Event()\n"
        "with cleanup_on_signal(close):\n"
        "    thread = threading.Thread(target=store.add, args=[batch()])\n"
        "    thread.start()\n"
        "    while True: time.sleep(0.1)\n"
    )
    folder = tmp_path / "store"
    folder.mkdir()
    with running(program, folder / "s.db") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "storing\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(600) == 130
    assert [path.name for path in folder.iterdir()] == ["s.db"]
    assert len(exported(folder / "s.db", tmp_path)) == 1
