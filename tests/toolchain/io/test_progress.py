"""How far a command is: where nobody watches, a line now and then."""

from __future__ import annotations

import sys
import types

import pytest

from brrkit_toolchain.io import progress
from brrkit_toolchain.io.progress import Progress


def test_lines_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three bars of 30 seconds each: a line where none was printed for 20, whichever bar it is."""
    now = [0.0]
    monkeypatch.setattr(progress, "_last", [])
    monkeypatch.setattr(progress, "SECONDS", 20.0)
    clock = types.SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(progress, "time", clock)
    for name in ("One", "Two", "Three"):
        for _ in (bar := Progress(range(30), desc=name, progress=True)):
            now[0] += 1
            bar.refresh()
        Progress(range(3), desc="Silent").refresh()
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["One", "Two", "Two", "Three"]
    assert not set(said.err) & {"\r", "\x1b"}
    assert "/30 [" in lines[0]


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
