"""What runs in a package's own environment, which has neither brrkit nor what others need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["benchmarks/peer_release.py", "research/peers/library.py"])
def test_it_starts_with_the_standard_library_alone(script: str) -> None:
    command = [sys.executable, "-I", "-S", str(ROOT / script), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
