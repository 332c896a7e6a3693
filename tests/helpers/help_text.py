"""``--help`` of the modules of a folder of measurements says what they do, and does nothing."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def mains(folder: str) -> list[str]:
    """Return the modules with a command line."""
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / folder).rglob("*.py")
        if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
    )


def help_of(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return the help of a module, which has changed no stored result."""
    results = ROOT / module.partition(".")[0] / "results"
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*")}
    if module == "benchmarks.brr":  # it adds mechanisms to the process
        done = subprocess.run(
            [sys.executable, "-m", module, "-h"], cwd=ROOT, capture_output=True, check=False
        )
        code, said = done.returncode, done.stdout.decode()
    else:
        monkeypatch.setattr(sys, "argv", [module, "--help"])
        with warnings.catch_warnings(), pytest.raises(SystemExit) as stop:
            warnings.simplefilter("ignore")
            runpy.run_module(module, run_name="__main__")
        code, said = stop.value.code or 0, capsys.readouterr().out
    assert code == 0
    assert said.lower().startswith("usage: ")
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*")} == before
    return said
