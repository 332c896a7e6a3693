"""How far a command is: where nobody watches, a line now and then."""

from __future__ import annotations

import sys
import types
from contextlib import suppress

import pytest

from brrkit_toolchain.io import progress
from brrkit_toolchain.io.progress import Progress


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds on the clock, for a process that has shown no bar."""
    seconds = [0.0]
    monkeypatch.setattr(progress, "_last", [])
    monkeypatch.setattr(progress, "SECONDS", 20.0)
    clock = types.SimpleNamespace(monotonic=lambda: seconds[0])
    monkeypatch.setattr(progress, "time", clock)
    return seconds


def test_lines_now_and_then(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    """Three bars of 30 seconds each: a line where none was printed for 20, and one at the end."""
    for name in ("One", "Two", "Three"):
        for _ in (bar := Progress(range(30), desc=name, progress=True)):
            now[0] += 1
            bar.refresh()
        Progress(range(3), desc="Silent").refresh()
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        *["One"] * 2,
        *["Two"] * 2,
        *["Three"] * 2,
    ]
    assert all(": 100%|" in line for line in lines[1::2])
    assert not set(said.err) & {"\r", "\x1b"}
    assert "/30 [" in lines[0]


@pytest.mark.parametrize(
    ("total", "steps", "fails", "says"),
    [
        (30, 30, False, ["Bar:  63%", "Bar: 100%"]),
        (30, 25, False, ["Bar:  63%", "Bar: 100%"]),  # enough was read of a file
        (30, 25, True, ["Bar:  63%"]),
        (30, 19, False, ["Bar:  63%", "Bar: 100%"]),
        (15, 15, False, []),  # too short for a line
    ],
)
def test_the_last_line_says_whether_it_finished(
    now: list[float],
    capsys: pytest.CaptureFixture[str],
    total: int,
    steps: int,
    fails: bool,
    says: list[str],
) -> None:
    with suppress(OSError), Progress(total=total, desc="Bar", progress=True) as bar:
        for _ in range(steps):
            bar.update()
            now[0] += 1.0625
            bar.refresh()
        if fails:
            raise OSError
    bar.close()
    assert [line.partition("|")[0] for line in capsys.readouterr().err.splitlines()] == says


def test_a_command_that_takes_long_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], brr: object, bundle: object
) -> None:
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    assert callable(brr)
    outcome = brr("calibrate", bundle, "--sample", 50, "--mechanism", "exponential")
    assert outcome.code == 0
    assert outcome.err.count("\n") >= 2
    assert not set(outcome.err) & {"\r", "\x1b"}
    assert not sys.stderr.isatty()
