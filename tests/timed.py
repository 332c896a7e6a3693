"""Run a command, and print how many seconds it took, and how many of the CPU, with all it started.

    python tests/timed.py NAME COMMAND...

Where ``BRR_TIMES`` names a file, the line is added to it, too. Exits as the command does.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Run the command that the arguments give."""
    name, *command = sys.argv[1:]
    start = time.monotonic()
    code = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, cpu = time.monotonic() - start, used.ru_utime + used.ru_stime
    line = f"{name:<16} {wall:6.0f} s {cpu:6.0f} s of CPU"
    print(line, flush=True)
    if file := os.environ.get("BRR_TIMES"):
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"{line}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
