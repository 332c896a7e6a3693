"""What `make test` says of the time that its stages take."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TIMED = Path(__file__).parent / "timed.py"
SPIN = "import time\nwhile time.process_time() < 1.6: pass\nraise SystemExit(3)"


def test_a_commands_seconds_are_printed_and_kept_and_it_exits_the_same(tmp_path: Path) -> None:
    times = tmp_path / "times"
    times.write_text("before\n")
    done = subprocess.run(
        [sys.executable, TIMED, "a stage", sys.executable, "-c", SPIN],
        env={**os.environ, "BRR_TIMES": str(times)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    found = re.fullmatch(r"a stage +(\d+) s +(\d+) s of CPU\n", done.stdout)
    assert found
    assert int(found[1]) >= 2
    assert int(found[2]) >= 2
    assert times.read_text() == f"before\n{done.stdout}"
