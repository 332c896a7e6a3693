"""The examples run, and find what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from brrkit import CountsSetting
from brrkit_toolchain import write_recommended

ROOT = Path(__file__).parents[2]


@pytest.mark.false_alarm(1e-9)
def test_a_week_of_phones(bundle: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    write_recommended(bundle, CountsSetting(12.0, 1, "a test", {}))
    text = tmp_path / "text.txt"
    text.write_text("the river and the sea\nthe london river\na place of the river and sea\n")
    command = [
        *(sys.executable, "-m", "examples.week", str(text), "--output", str(tmp_path / "week")),
        *("--bundle", str(bundle), "--phones", "60", "--words-a-day", "5"),
        *("--rising", "river", "--processes", "1"),
    ]
    paths = [str(ROOT / name) for name in ("runtime", "toolchain", ".")]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "60 phones sent 420 batches" in done.stdout
    # 60 phones x 3 days x 4.5 words or so, of which one in five or so is "river"; then twice that.
    found = re.search(r"^river +(\S+) +(\S+) +(\S+) to (\S+)$", done.stdout, re.M)
    assert found is not None, done.stdout
    assert 0.1 < float(found[2]) < 0.35  # 0.21, with a standard deviation of 0.015
    assert (tmp_path / "week" / "changes.html").exists()
