"""``--help`` of every module of the benchmarks says what it does, and does nothing."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
MAINS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "benchmarks").rglob("*.py")
    if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
)
WRITE = {"shuffled", "list_sizes", "candidates", "emoji_week", "written_in"}


def stored() -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in RESULTS.rglob("*")}


@pytest.mark.parametrize("module", MAINS)
def test_help_is_safe(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stored()
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
    assert stored() == before
    if module.rpartition(".")[2] in WRITE:
        assert "--output FILE" in said
    assert {each.rpartition(".")[2] for each in MAINS} >= WRITE
