"""The tests' shell scripts, some of which only run in a nightly job or a release, name real files."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
NAMED = re.compile(r"\btests/[\w./-]+\.(?:py|sh|mjs|js)\b")


def test_named_files_exist() -> None:
    scripts = sorted(TESTS.glob("*.sh"))
    named = {file for script in scripts for file in NAMED.findall(script.read_text("utf-8"))}
    assert {"tests/bounds.sh", "tests/toolchain/codes/test_codes.py"} <= named
    assert [file for file in sorted(named) if not (TESTS.parent / file).is_file()] == []
