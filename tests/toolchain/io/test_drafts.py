"""What is being written lies in a claimed folder: who is killed leaves it, the next removes it."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_tools import leftovers

from brrkit import locks
from brrkit_toolchain.io import drafts
from brrkit_toolchain.io.drafts import draft
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.files import replaced, write_text


def killed(program: str, folder: Path) -> None:
    """Run a program that kills itself."""
    start = "import os, signal\nfrom pathlib import Path\nfrom brrkit_toolchain.io import drafts\n"
    start += "from brrkit_toolchain.io.files import replaced\n"
    end = "\n os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", start + program + end], cwd=folder, check=False)
    assert done.returncode == -signal.SIGKILL


HALF = "with replaced(Path('out.csv')) as file:\n file.write(b'half'); file.flush()"


def test_the_next_write_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    for _ in range(2):
        killed(HALF, tmp_path)
    assert len(leftovers(tmp_path)) == 1  # the second removed what the first had left
    (tmp_path / ".out.csv.writing-mine").mkdir()
    (tmp_path / ".other.csv.writing-01234567").mkdir()
    write_text(tmp_path / "out.csv", "whole")
    assert leftovers(tmp_path) == [
        ".other.csv.writing-01234567",
        ".out.csv.writing-mine",
        "out.csv",
    ]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("Path('.out.csv.writing-01234567').mkdir()\nif 1:", id="before its claim"),
        pytest.param(
            "drafts.locks.lock = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n" + HALF,
            id="before its lock",
        ),
        pytest.param(
            "drafts._remove_claim = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
            "with drafts.draft(Path('out.csv'), 'writing') as new:\n new.write_text('half')\nif 1:",
            id="while it tidied up",
        ),
    ],
)
def test_wherever_it_was_killed(tmp_path: Path, program: str) -> None:
    killed(program, tmp_path)
    assert len(leftovers(tmp_path)) == 1
    write_text(tmp_path / "out.csv", "whole")
    assert leftovers(tmp_path) == ["out.csv"]


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    with replaced(tmp_path / "out") as first:
        first.write(b"first")
        with replaced(tmp_path / "out") as second:
            second.write(b"second")
        assert (tmp_path / "out").read_bytes() == b"second"
    assert (tmp_path / "out").read_bytes() == b"first"
    assert leftovers(tmp_path) == ["out"]


def test_nobody_else_can_look_into_it(tmp_path: Path) -> None:
    with replaced(tmp_path / "out"):
        (folder,) = tmp_path.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_who_looks_for_abandoned_ones_before_the_claim_loses_nobody_s_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder is claimed in three steps; another process comes after each, with its own write."""
    made, lock, another = Path.mkdir, locks.lock, write_text
    left = ["mkdir", "open"]

    def interrupted(step: str) -> None:
        if left and left[0] == step:
            left.pop(0)
            with monkeypatch.context() as undisturbed:
                undisturbed.setattr(Path, "mkdir", made)
                undisturbed.setattr(locks, "lock", lock)
                another(tmp_path / "out", step)

    def mkdir(path: Path, mode: int = 0o777) -> None:
        made(path, mode)
        interrupted("mkdir")

    def late(file: int) -> None:
        interrupted("open")
        lock(file)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(locks, "lock", late)
    with draft(tmp_path / "out", "writing") as new:
        new.write_text("mine")
        new.replace(tmp_path / "out")
    assert left == []
    assert (tmp_path / "out").read_text() == "mine"
    assert leftovers(tmp_path) == ["out"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="out: can't be written") as raised:
        write_text(tmp_path / "out", "content")
    assert ("free some space" in str(raised.value)) == (number != errno.EIO)
    assert leftovers(tmp_path) == []


def test_without_locks_nothing_is_removed_and_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_: int) -> bool:
        raise OSError(95, os.strerror(95))

    killed(HALF, tmp_path)
    left = leftovers(tmp_path)
    monkeypatch.setattr(drafts.locks, "lock", none)
    monkeypatch.setattr(drafts.locks, "try_lock", none)
    write_text(tmp_path / "out.csv", "whole")
    assert leftovers(tmp_path) == [*left, "out.csv"]


BUSY = """
import sys
from pathlib import Path
from brrkit_toolchain.io.files import write_text
for number in range(100):
    write_text(Path(sys.argv[1]), sys.argv[2])
"""


def test_many_at_once_write_one_file(tmp_path: Path) -> None:
    """Each finds the others' folders all the time; one that is taken from its owner fails it."""
    command = [sys.executable, "-c", BUSY, tmp_path / "out"]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert leftovers(tmp_path) == ["out"]
