"""The tests' shell scripts, some of which only a nightly job runs, name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
NAMED = re.compile(r"\btests/[\w./-]+\.(?:py|sh|mjs|js)\b")


def test_named_files_exist() -> None:
    scripts = [script.read_text("utf-8") for script in sorted(TESTS.glob("*.sh"))]
    written_out = "\n".join(scripts).replace("$tests/", "tests/toolchain/")
    named = set(NAMED.findall(written_out))
    assert {"tests/bounds.sh", "tests/toolchain/codes/test_portable.py"} <= named
    assert [file for file in sorted(named) if not (TESTS.parent / file).is_file()] == []
