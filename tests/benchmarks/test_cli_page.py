"""The reference of the command line is what the commands say of themselves."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.cli_page import PAGE, rewritten
from benchmarks.provenance import ROOT

WORDS = 3_400

# In a process of its own: tests register mechanisms and methods, which help texts then name.
REWRITTEN = "from benchmarks.cli_page import *; print(rewritten(PAGE.read_text('utf-8')), end='')"


def test_the_page_is_of_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", REWRITTEN],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == PAGE.read_text("utf-8"), "run 'make numbers'"
    assert len(done.stdout.split()) <= WORDS, "shorten the commands' help"


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        rewritten("# Command line")
