"""Signals end a process from wherever it is, tidily."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bundle_tools import leftovers

from brrkit_toolchain.io.interrupts import cleanup_on_signal

START = """
import os, signal, sys, threading, time
from pathlib import Path
from brrkit_toolchain.io.interrupts import end_on_signals, ignore_signals, cleanup_on_signal
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
end_on_signals()
here = os.getpid()
"""


def run(program: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", START + program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


ENDED = (130, "Interrupted.\n")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_line_and_an_exit_code(tmp_path: Path, name: str) -> None:
    assert run(f"os.kill(here, signal.{name}); print('goes on')", tmp_path) == ENDED


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("lock = threading.Lock(); lock.acquire(); lock.acquire()", id="a lock"),
        pytest.param("os.read(os.pipe()[0], 1)", id="a read"),
        pytest.param("os.mkfifo('p'); os.unlink('p') if 0 else open('p')", id="a pipe"),
        pytest.param(
            "from concurrent.futures import ThreadPoolExecutor as P\n"
            "with P(1) as pool: pool.submit(time.sleep, 99).result()",
            id="a pool of threads",
        ),
        pytest.param(
            "while True:\n try: time.sleep(99)\n except BaseException: pass",
            id="an except that carries on",
        ),
        pytest.param(
            "class C:\n def __del__(self): time.sleep(99)\nc = C(); del c", id="a destructor"
        ),
    ],
)
def test_from_wherever_it_is(tmp_path: Path, place: str) -> None:
    """Again and again: Python forgets a signal that comes in the instant before it waits."""
    alarm = """
def alarm():
    while True:
        time.sleep(0.3)
        os.kill(here, signal.SIGTERM)
threading.Thread(target=alarm, daemon=True).start()
"""
    assert run(alarm + place, tmp_path) == ENDED


def test_what_is_half_done_is_tidied_up_last_first(tmp_path: Path) -> None:
    program = """
def first():
    Path("order").open("a").write("first ")
def second():
    Path("order").open("a").write("second ")
    raise RuntimeError("a defect doesn't keep the others from tidying up")
with cleanup_on_signal(first), cleanup_on_signal(second):
    os.kill(here, signal.SIGINT)
"""
    assert run(program, tmp_path) == ENDED
    assert (tmp_path / "order").read_text() == "second first "


def test_a_second_signal_while_it_tidies_up(tmp_path: Path) -> None:
    program = """
def tidy():
    os.kill(here, signal.SIGTERM)
    time.sleep(0.1)
    Path("half").unlink()
Path("half").touch()
with cleanup_on_signal(tidy):
    os.kill(here, signal.SIGINT)
"""
    assert run(program, tmp_path) == ENDED
    assert leftovers(tmp_path) == []


def test_standard_error_that_is_elsewhere_for_a_while(tmp_path: Path) -> None:
    program = "os.dup2(os.open('/dev/null', os.O_WRONLY), 2); os.kill(here, signal.SIGINT)"
    assert run(program, tmp_path) == ENDED


def test_a_fork_leaves_everything_to_its_parent(tmp_path: Path) -> None:
    program = """
with cleanup_on_signal(lambda: Path("order").open("a").write("tidied")):
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGTERM)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, file=sys.stderr)
"""
    assert run(program, tmp_path) == (0, "130\n")
    assert (tmp_path / "order").read_text() == "tidied"


def test_after_the_work_its_exit_code_stands(tmp_path: Path) -> None:
    assert run("ignore_signals(); os.kill(here, signal.SIGINT); sys.exit(3)", tmp_path) == (3, "")


def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    program = START.replace("signal.SIG_DFL", "signal.SIG_IGN") + "os.kill(here, signal.SIGHUP)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_without_a_signal_it_is_a_finally(tmp_path: Path) -> None:
    called: list[int] = []
    with pytest.raises(ZeroDivisionError), cleanup_on_signal(lambda: called.append(1)):
        raise ZeroDivisionError
    with cleanup_on_signal(lambda: called.append(2)):
        assert called == [1]
    assert called == [1, 2]


def test_nothing_takes_time_before_a_signal_ends_it() -> None:
    """The script ``brr`` imports ``main``, which begins with the handlers of signals."""
    program = "import sys; import brrkit_toolchain.__main__; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not {"numpy", "click", "brrkit"} & set(done.stdout.split())
