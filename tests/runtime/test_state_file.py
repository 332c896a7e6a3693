"""The private file that a budget and a memory each keep: whose it is, where, and what a disk does.

What holds for both is tested with both, as ``Keeper``; what it costs, with a budget.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from device import HOUR, UNIT

from brrkit import (
    BrrError,
    BudgetError,
    BudgetFileError,
    Memory,
    MemoryFileError,
    ParameterError,
    PrivacyBudget,
)


@dataclass(frozen=True)
class Keeper:
    """Who keeps a file.

    Attributes:
        of: makes it, with the file's path.
        uses: what reads the file and may write it.
        error: what they raise where it can't be used.
        name: of the argument that is the path.
    """

    of: Callable[[Any], Any]
    uses: Callable[[Any], list[Callable[[], object]]]
    error: type[BrrError]
    name: str


KEEPERS = {
    "budget": Keeper(
        lambda path: PrivacyBudget(10, HOUR, path),
        lambda budget: [budget.remaining, lambda: budget.spend(1, unit=UNIT)],
        BudgetFileError,
        "a budget's state_file",
    ),
    "memory": Keeper(
        lambda path: Memory(HOUR, path),
        lambda memory: [memory.key],
        MemoryFileError,
        "a memory's key_file",
    ),
}


@pytest.fixture(params=KEEPERS.values(), ids=list(KEEPERS))
def keeper(request: pytest.FixtureRequest) -> Keeper:
    return request.param


def use(keeper: Keeper, path: Path | str) -> None:
    """Write the file, if it isn't there, and read it."""
    for attempt in keeper.uses(keeper.of(path)):
        attempt()


@contextmanager
def at_once() -> Iterator[None]:
    """Fail instead of waiting for ever."""

    def fail(*arguments: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(600)  # which no busy machine takes
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def refused_at_once(keeper: Keeper, path: Path | str, match: str) -> None:
    for attempt in keeper.uses(keeper.of(path)):
        with at_once(), pytest.raises(keeper.error, match=match) as caught:
            attempt()
        assert len(str(caught.value)) <= 400
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["", ".", "..", "x/..", "/", "a\0b", "\ud800", None, 5, b"x"])
def test_a_path_that_names_no_file(keeper: Keeper, path: Any) -> None:
    with pytest.raises(ParameterError, match=f"{keeper.name} must be the path of a file"):
        keeper.of(path)


# --- links, and what isn't a file


@pytest.mark.parametrize("target", ["state", "missing", "elsewhere/state", "link"])
@pytest.mark.parametrize("name", ["link", "link.lock"])
def test_a_symbolic_link_is_refused(tmp_path: Path, keeper: Keeper, name: str, target: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    for place in ("state", "elsewhere/state"):
        use(keeper, tmp_path / place)
    (tmp_path / name).symlink_to(tmp_path / target)
    refused_at_once(keeper, tmp_path / "link", "a symbolic link; .*the file itself")
    assert not (tmp_path / "missing").exists()
    use(keeper, tmp_path / "state")


@pytest.mark.parametrize("name", ["link", "link.lock"])
def test_a_hard_link_is_refused(tmp_path: Path, keeper: Keeper, name: str) -> None:
    use(keeper, tmp_path / "state")
    (tmp_path / name).hardlink_to(tmp_path / "state")
    refused_at_once(keeper, tmp_path / "link", "has 2 hard links")
    refused_at_once(keeper, tmp_path / "state", "state: has 2 hard links; .*: remove the others")
    (tmp_path / name).unlink()
    use(keeper, tmp_path / "state")


@pytest.mark.parametrize("name", ["state", "state.lock"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "socket"])
def test_what_isn_t_a_file_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeper: Keeper, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        if kind == "fifo":
            os.mkfifo(name)
        elif kind == "folder":
            Path(name).mkdir()
        else:
            server.bind(name)
        refused_at_once(keeper, "state", f"{name}: .*; nothing is released until")


@pytest.mark.parametrize("kind", ["fifo", "link", "file", "hard link"])
def test_what_is_in_the_new_state_s_place_goes(tmp_path: Path, keeper: Keeper, kind: str) -> None:
    new, victim = tmp_path / "state.new", tmp_path / "victim"
    victim.write_text("untouched")
    if kind == "fifo":
        os.mkfifo(new)
    elif kind == "link":
        new.symlink_to(victim)
    elif kind == "hard link":
        new.hardlink_to(victim)
    else:
        new.write_text("left over")
    (tmp_path / "state.lock").write_bytes(b"garbage")  # it is a lock all the same
    with at_once():
        use(keeper, tmp_path / "state")
        use(keeper, tmp_path / "state")
    assert victim.read_text() == "untouched"
    assert not new.exists()


def test_two_paths_to_a_directory_are_one_budget(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "alias").symlink_to(folder)
    one, other = (PrivacyBudget(10, HOUR, tmp_path / f / "state") for f in ("folder", "alias"))
    one.spend(1, 6, unit=UNIT)
    with pytest.raises(BudgetError, match="4 of 10 is left"):
        other.spend(1, 5, unit=UNIT)
    with (folder / "state.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = os.fork()
        if child == 0:
            try:
                other.spend(1, unit=UNIT)
                os._exit(0)
            finally:
                os._exit(1)
        time.sleep(0.2)
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it didn't wait for the lock"
        fcntl.flock(lock, fcntl.LOCK_UN)
    assert os.waitpid(child, 0)[1] == 0
    assert one.remaining() == 3


def test_a_lock_that_is_removed_meanwhile_is_none(tmp_path: Path, budget: PrivacyBudget) -> None:
    """Who waited for it waits for the one that is in its place."""
    lock = tmp_path / "state.lock"
    lock.touch()
    with lock.open() as removed:
        fcntl.flock(removed, fcntl.LOCK_EX)
        child = os.fork()
        if child == 0:
            try:
                budget.spend(1, unit=UNIT)
                os._exit(0)
            finally:
                os._exit(1)
        time.sleep(0.2)
        lock.unlink()
        lock.touch()
        with lock.open() as current:
            fcntl.flock(current, fcntl.LOCK_EX)
            fcntl.flock(removed, fcntl.LOCK_UN)
            time.sleep(0.2)
            assert os.waitpid(child, os.WNOHANG) == (0, 0), "it took the removed lock"
            fcntl.flock(current, fcntl.LOCK_UN)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert budget.remaining() == 9


@pytest.mark.parametrize("content", [b"", b"a text, no state\n"])
def test_nothing_is_left_beside_another_file(
    tmp_path: Path, keeper: Keeper, content: bytes
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    refused_at_once(keeper, path, "nothing is released until")
    assert [other.name for other in tmp_path.iterdir()] == ["text.txt"]
    assert path.read_bytes() == content


def test_nothing_is_left_of_a_first_release_that_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        PrivacyBudget(1, HOUR, tmp_path / "state").spend(2, unit=UNIT)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_there_stays(tmp_path: Path, budget: PrivacyBudget) -> None:
    budget.spend(1, unit=UNIT)
    with pytest.raises(BudgetError):
        budget.spend(100, unit=UNIT)
    assert (tmp_path / "state.lock").exists()


def test_the_files_are_for_the_owner_only(keeper: Keeper, tmp_path: Path) -> None:
    use(keeper, tmp_path / "state")
    files = list(tmp_path.iterdir())
    assert {path.name for path in files} == {"state", "state.lock"}
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in files)


@pytest.mark.parametrize("name", ["x" * 300, "d/" * 3000 + "x", "a\nb\x1b[31m", "x" * 252])
def test_messages_are_one_short_line(tmp_path: Path, keeper: Keeper, name: str) -> None:
    path = tmp_path / name
    if len(name) < 100:
        path.write_bytes(b"damaged")
    refused_at_once(keeper, path, "nothing is released until")


# --- the disk


@pytest.mark.parametrize("path", ["missing/state", "file/state"])
def test_a_state_that_can_t_be_written_stops_releases(
    tmp_path: Path, keeper: Keeper, path: str
) -> None:
    (tmp_path / "file").touch()
    refused_at_once(keeper, tmp_path / path, "nothing is released until")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_directory_stops_releases(tmp_path: Path, keeper: Keeper) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(keeper.error, match="can't be written"):
            use(keeper, tmp_path / "state")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "write"])
def test_a_disk_that_fails_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    budget.spend(1, unit=UNIT)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        for _ in range(3):
            with pytest.raises(BudgetFileError, match="No space left on device"):
                budget.spend(1, unit=UNIT)
    assert budget.remaining() <= 9
    budget.spend(1, unit=UNIT)
    assert budget.remaining() <= 8
    assert not state.with_name("state.new").exists()


def test_a_full_disk_stops_releases(
    keeper: Keeper, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the first bytes and no more."""
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, content: write(file, content[:10]))
        with pytest.raises(keeper.error, match="No space left on device"):
            use(keeper, state)
    assert not state.exists()
    use(keeper, state)


def test_a_disk_without_locks_stops_releases(
    keeper: Keeper, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(keeper.error, match="No locks available"):
        use(keeper, state)
    assert not state.exists()


def test_the_state_is_flushed_before_it_takes_its_place(
    keeper: Keeper, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no test can do is cut the power; so the order of the calls is checked."""
    calls: list[str] = []

    def is_folder(file: int | Path) -> bool:
        return isinstance(file, int) and stat.S_ISDIR(os.fstat(file).st_mode)

    def recorded(name: str) -> Callable[..., Any]:
        original = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            calls.append(f"{name} a folder" if is_folder(arguments[0]) else name)
            return original(*arguments, **options)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, recorded(name))
    use(keeper, state)
    assert calls == ["fsync", "replace", "fsync a folder"]
